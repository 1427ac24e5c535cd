#include "bytes.h"

enum { FIRST_CAPACITY = 256, WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_32 = 5 };

void bytes_finish(struct bytes_out *bytes) {
    tn_free(bytes->host, bytes->data);
    bytes->data = NULL;
    bytes->size = bytes->capacity = 0;
}

static tn_status reserve(struct bytes_out *bytes, uint64_t more) {
    if (bytes->capacity - bytes->size >= more) {
        return TN_OK;
    }
    uint64_t capacity = bytes->capacity > 0 ? bytes->capacity * 2 : FIRST_CAPACITY;
    capacity = capacity - bytes->size >= more ? capacity : bytes->size + more;
    void *data = TN_SERVICE(bytes->host, memory)->allocate(bytes->host, capacity);
    if (data == NULL) {
        return tn_fail(bytes->host, TN_OUT_OF_MEMORY, "no memory for %llu bytes of a model",
                       (unsigned long long)capacity);
    }
    if (bytes->size > 0) {
        memcpy(data, bytes->data, bytes->size);
    }
    tn_free(bytes->host, bytes->data);
    bytes->data = data;
    bytes->capacity = capacity;
    return TN_OK;
}

void put_bytes(struct bytes_out *bytes, const void *data, uint64_t size) {
    if (bytes->status == TN_OK && size > 0) {
        bytes->status = reserve(bytes, size);
        if (bytes->status == TN_OK) {
            memcpy(bytes->data + bytes->size, data, size);
            bytes->size += size;
        }
    }
}

static void put_varint(struct bytes_out *bytes, uint64_t value) {
    unsigned char out[10];
    uint64_t size = 0;
    for (; value > 0x7f; value >>= 7) {
        out[size++] = (unsigned char)(value | 0x80);
    }
    out[size++] = (unsigned char)value;
    put_bytes(bytes, out, size);
}

static void put_tag(struct bytes_out *bytes, uint32_t field, unsigned wire_type) {
    put_varint(bytes, (uint64_t)field << 3 | wire_type);
}

void put_int(struct bytes_out *bytes, uint32_t field, int64_t value) {
    put_tag(bytes, field, WIRE_VARINT);
    put_varint(bytes, (uint64_t)value);
}

void put_float(struct bytes_out *bytes, uint32_t field, float value) {
    put_tag(bytes, field, WIRE_32);
    put_bytes(bytes, &value, sizeof value);
}

void put_data(struct bytes_out *bytes, uint32_t field, const void *data, uint64_t size) {
    put_tag(bytes, field, WIRE_BYTES);
    put_varint(bytes, size);
    put_bytes(bytes, data, size);
}

void put_text(struct bytes_out *bytes, uint32_t field, const char *text) {
    put_data(bytes, field, text, strlen(text));
}

void put_message(struct bytes_out *bytes, uint32_t field, struct bytes_out *message) {
    if (bytes->status == TN_OK) {
        bytes->status = message->status;
    }
    put_data(bytes, field, message->data, message->size);
    bytes_finish(message);
}
