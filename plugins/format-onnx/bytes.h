/* Protocol buffer messages as they grow. A failure is kept, so that additions need no check. */
#ifndef FORMAT_ONNX_BYTES_H
#define FORMAT_ONNX_BYTES_H

#include <tenon/plugin.h>

struct bytes_out {
    const tn_host *host;
    char *data;
    uint64_t size, capacity;
    tn_status status;
};

void bytes_finish(struct bytes_out *bytes);
void put_bytes(struct bytes_out *bytes, const void *data, uint64_t size);

/* A field of a message: a whole number; a float; a text; bytes. */
void put_int(struct bytes_out *bytes, uint32_t field, int64_t value);
void put_float(struct bytes_out *bytes, uint32_t field, float value);
void put_text(struct bytes_out *bytes, uint32_t field, const char *text);
void put_data(struct bytes_out *bytes, uint32_t field, const void *data, uint64_t size);
/* Another message, which is finished by it. */
void put_message(struct bytes_out *bytes, uint32_t field, struct bytes_out *message);

#endif
