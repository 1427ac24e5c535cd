#include "wire.h"

enum { MAX_VARINT = 10 };

int wire_read_varint(struct wire_bytes *bytes, uint64_t *out_value) {
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

int wire_read_field(struct wire_bytes *bytes, struct wire_field *field) {
    uint64_t tag, length = 0;
    if (!wire_read_varint(bytes, &tag) || tag >> 3 == 0) {
        return 0;
    }
    field->number = tag >> 3;
    field->wire_type = (unsigned)(tag & 7);
    switch (field->wire_type) {
    case WIRE_VARINT: return wire_read_varint(bytes, &length);
    case WIRE_64: length = 8; break;
    case WIRE_32: length = 4; break;
    case WIRE_BYTES:
        if (!wire_read_varint(bytes, &length)) {
            return 0;
        }
        break;
    default: return 0;
    }
    if (length > (uint64_t)(bytes->end - bytes->at)) {
        return 0;
    }
    field->content = (struct wire_bytes){bytes->at, bytes->at + length};
    bytes->at += length;
    return 1;
}
