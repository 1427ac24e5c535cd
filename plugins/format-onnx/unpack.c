#include "unpack.h"

#include "wire.h"

/* A model nests graphs in attributes of nodes of graphs; three messages a level. */
enum { MAX_DEPTH = 100 };

/* An empty message takes two bytes of the file and up to some two hundred of memory. */
enum { BYTES_PER_BYTE = 160, BYTES_BESIDE = 1 << 16 };

static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *descriptor,
                                                  const struct wire_field *field) {
    return field->number > UINT32_MAX
               ? NULL
               : protobuf_c_message_descriptor_get_field(descriptor, (unsigned)field->number);
}

static const ProtobufCMessageDescriptor *message_of(const ProtobufCMessageDescriptor *descriptor,
                                                    const struct wire_field *field) {
    const ProtobufCFieldDescriptor *known = find_field(descriptor, field);
    return known != NULL && known->type == PROTOBUF_C_TYPE_MESSAGE && field->wire_type == WIRE_BYTES
               ? known->descriptor
               : NULL;
}

struct level {
    const ProtobufCMessageDescriptor *descriptor;
    struct wire_bytes bytes;
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
                             struct wire_bytes bytes) {
    struct level levels[MAX_DEPTH + 1];
    int depth = 0;
    levels[0] = (struct level){descriptor, bytes, ""};
    while (depth >= 0) {
        struct level *level = &levels[depth];
        struct wire_field field;
        if (level->bytes.at == level->bytes.end) {
            depth--;
            continue;
        }
        if (!wire_read_field(&level->bytes, &field)) {
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
    void *memory =
        TN_SERVICE(unpacked->host, memory)->allocate(unpacked->host, size > 0 ? size : 1);
    if (memory != NULL) {
        unpacked->budget -= size;
    }
    return memory;
}

static void give_back(void *context, void *memory) {
    struct unpacked *unpacked = context;
    TN_SERVICE(unpacked->host, memory)->free(unpacked->host, memory);
}

tn_status check_message(const tn_host *host, const ProtobufCMessageDescriptor *descriptor,
                        const void *data, uint64_t size) {
    if (size > INT64_MAX / BYTES_PER_BYTE) {
        return tn_fail(host, TN_OUT_OF_RANGE, "%llu bytes are more than a file can have",
                       (unsigned long long)size);
    }
    const unsigned char *bytes = data;
    return check_depth(host, descriptor, (struct wire_bytes){bytes, bytes + size});
}

tn_status unpack(const tn_host *host, const ProtobufCMessageDescriptor *descriptor,
                 const void *data, uint64_t size, struct unpacked *unpacked) {
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
    struct wire_bytes bytes = {start, start + size};
    int fields = 0;
    struct wire_field field;
    while (bytes.at < bytes.end) {
        const struct wire_bytes before = bytes;
        if (!wire_read_field(&bytes, &field)) {
            /* Cut off by the end of the piece that is shown: the tag alone must do. */
            uint64_t tag;
            bytes = before;
            return fields > 0 || (wire_read_varint(&bytes, &tag) && tag >> 3 <= 32);
        }
        const ProtobufCFieldDescriptor *known = find_field(descriptor, &field);
        if (known == NULL && field.number > 32) {
            return 0;
        }
        fields++;
    }
    return fields > 0;
}
