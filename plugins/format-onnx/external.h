/* Elements that lie in a file beside the model. */
#ifndef FORMAT_ONNX_EXTERNAL_H
#define FORMAT_ONNX_EXTERNAL_H

#include <onnx.pb-c.h>

#include "services.h"

struct external_file {
    int file;
    uint64_t offset;
};

/* Opens the file of a tensor with external data, which must lie in the model's folder or below it,
 * also after links are followed, and hold `size` bytes for the tensor. */
tn_status external_open(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                        const char *model_path, uint64_t size, struct external_file *out_file);
/* Reads the bytes and closes the file, also on failure. */
tn_status external_read(const tn_host *host, const char *path, const struct external_file *file,
                        uint64_t size, void *target);
void external_close(const struct external_file *file);

#endif
