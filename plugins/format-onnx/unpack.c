#include "unpack.h"

/* A model nests graphs in attributes of nodes of graphs; three messages a level. */
enum { MAX_DEPTH = 100, MAX_VARINT = 10 };

/* An empty message takes two bytes of the file and up to some two hundred of memory. */
enum { BYTES_PER_BYTE = 160, BYTES_BESIDE = 1 << 16 };

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct bytes {
    const unsigned char *at, *end;
};

static int read_varint(struct bytes *bytes, uint64_t *out_value) {
    uint64_t value = 0;
    for (unsigned i = 0; i < MAX_VARINT && bytes->at < bytes->end; i++) {
        const unsigned char byte = *bytes->at++;
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *out_value = value;
            return 1;
        }
    }
    return 0;
}

struct field {
    uint64_t number;
    unsigned wire_type;
    struct bytes content; /* of WIRE_BYTES */
};

/* 1: a field; 0: the bytes end here or are not a message's. */
static int read_field(struct bytes *bytes, struct field *field) {
    uint64_t tag, length = 0;
    if (!read_varint(bytes, &tag) || tag >> 3 == 0) {
        return 0;
    }
    field->number = tag >> 3;
    field->wire_type = (unsigned)(tag & 7);
    switch (field->wire_type) {
    case WIRE_VARINT: return read_varint(bytes, &length);
    case WIRE_64: length = 8; break;
    case WIRE_32: length = 4; break;
    case WIRE_BYTES:
        if (!read_varint(bytes, &length)) {
            return 0;
        }
        break;
    default: return 0;
    }
    if (length > (uint64_t)(bytes->end - bytes->at)) {
        return 0;
    }
    field->content = (struct bytes){bytes->at, bytes->at + length};
    bytes->at += length;
    return 1;
}

static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *descriptor,
                                                  const struct field *field) {
    return field->number > UINT32_MAX
               ? NULL
               : protobuf_c_message_descriptor_get_field(descriptor, (unsigned)field->number);
}

static const ProtobufCMessageDescriptor *message_of(const ProtobufCMessageDescriptor *descriptor,
                                                    const struct field *field) {
    const ProtobufCFieldDescriptor *known = find_field(descriptor, field);
    return known != NULL && known->type == PROTOBUF_C_TYPE_MESSAGE && field->wire_type == WIRE_BYTES
               ? known->descriptor
               : NULL;
}

struct level {
    const ProtobufCMessageDescriptor *descriptor;
    struct bytes bytes;
    const char *field_name;
};

static tn_status too_deep(const tn_host *host, const struct level *levels) {
    char path[160];
    size_t used = 0;
    path[0] = '\0';
    for (int i = 1; i < 8; i++) {
        used += (size_t)snprintf(path + used, sizeof path - used, "%s%s", i > 1 ? "." : "",
                                 levels[i].field_name);
        if (used >= sizeof path) {
            break;
        }
    }
    return tn_fail(host, TN_CORRUPT, "%s…: messages are nested more than %d deep", path, MAX_DEPTH);
}

/* Walks the messages without recursion, so that no file decides how much stack is used. */
static tn_status check_depth(const tn_host *host, const ProtobufCMessageDescriptor *descriptor,
                             struct bytes bytes) {
    struct level levels[MAX_DEPTH + 1];
    int depth = 0;
    levels[0] = (struct level){descriptor, bytes, ""};
    while (depth >= 0) {
        struct level *level = &levels[depth];
        struct field field;
        if (level->bytes.at == level->bytes.end) {
            depth--;
            continue;
        }
        if (!read_field(&level->bytes, &field)) {
            return tn_fail(host, TN_CORRUPT,
                           "byte %lld: this is no protocol buffer, or it is cut short (in a %s)",
                           (long long)(level->bytes.at - bytes.at), level->descriptor->name);
        }
        const ProtobufCMessageDescriptor *inner = message_of(level->descriptor, &field);
        if (inner == NULL) {
            continue;
        }
        if (depth == MAX_DEPTH) {
            return too_deep(host, levels);
        }
        levels[++depth] =
            (struct level){inner, field.content, find_field(level->descriptor, &field)->name};
    }
    return TN_OK;
}

static void *take(void *context, size_t size) {
    struct unpacked *unpacked = context;
    if (size > unpacked->budget) {
        return NULL;
    }
    void *memory = memory_service(unpacked->host)->allocate(unpacked->host, size > 0 ? size : 1);
    if (memory != NULL) {
        unpacked->budget -= size;
    }
    return memory;
}

static void give_back(void *context, void *memory) {
    struct unpacked *unpacked = context;
    memory_service(unpacked->host)->free(unpacked->host, memory);
}

tn_status unpack(const tn_host *host, const ProtobufCMessageDescriptor *descriptor,
                 const void *data, uint64_t size, struct unpacked *unpacked) {
    if (size > INT64_MAX / BYTES_PER_BYTE) {
        return tn_fail(host, TN_OUT_OF_RANGE, "%llu bytes are more than a file can have",
                       (unsigned long long)size);
    }
    const unsigned char *bytes = data;
    TN_TRY(check_depth(host, descriptor, (struct bytes){bytes, bytes + size}));
    *unpacked = (struct unpacked){.host = host, .budget = size * BYTES_PER_BYTE + BYTES_BESIDE};
    unpacked->allocator = (ProtobufCAllocator){take, give_back, unpacked};
    unpacked->message = protobuf_c_message_unpack(descriptor, &unpacked->allocator, size, data);
    if (unpacked->message == NULL) {
        return tn_fail(host, TN_CORRUPT,
                       "protobuf-c cannot read it as a %s: a field has the wrong type, a text is "
                       "not a text, or memory ran out",
                       descriptor->name);
    }
    return TN_OK;
}

void unpacked_release(struct unpacked *unpacked) {
    if (unpacked->message != NULL) {
        protobuf_c_message_free_unpacked(unpacked->message, &unpacked->allocator);
        unpacked->message = NULL;
    }
}

int looks_like(const ProtobufCMessageDescriptor *descriptor, const void *data, uint64_t size) {
    const unsigned char *start = data;
    struct bytes bytes = {start, start + size};
    int fields = 0;
    struct field field;
    while (bytes.at < bytes.end) {
        const struct bytes before = bytes;
        if (!read_field(&bytes, &field)) {
            /* Cut off by the end of the piece that is shown: the tag alone must do. */
            uint64_t tag;
            bytes = before;
            return fields > 0 || (read_varint(&bytes, &tag) && tag >> 3 <= 32);
        }
        const ProtobufCFieldDescriptor *known = find_field(descriptor, &field);
        if (known == NULL && field.number > 32) {
            return 0;
        }
        fields++;
    }
    return fields > 0;
}
