/* The encoding of protocol buffers, a field at a time. */
#ifndef FORMAT_ONNX_WIRE_H
#define FORMAT_ONNX_WIRE_H

#include <stdint.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct wire_bytes {
    const unsigned char *at, *end;
};

struct wire_field {
    uint64_t number;
    unsigned wire_type;
    struct wire_bytes content; /* of WIRE_BYTES */
};

/* 1: a number; 0: there is none. */
int wire_read_varint(struct wire_bytes *bytes, uint64_t *out_value);

/* 1: a field; 0: the bytes end here or are not a message's. */
int wire_read_field(struct wire_bytes *bytes, struct wire_field *field);

#endif
