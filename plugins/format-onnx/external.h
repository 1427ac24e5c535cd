/* Elements that lie in a file beside the model. */
#ifndef FORMAT_ONNX_EXTERNAL_H
#define FORMAT_ONNX_EXTERNAL_H

#include <tenon/plugin.h>

#include <onnx.pb-c.h>

struct external_file {
    tn_source source;
    const void *bytes; /* of the tensor */
};

/* Opens the file of a tensor with external data, which must lie in the model's folder or below it,
 * also after links are followed, and hold `size` bytes for the tensor. */
tn_status external_open(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                        const char *model_path, uint64_t size, struct external_file *out_file);
void external_close(const tn_host *host, struct external_file *file);

#endif
