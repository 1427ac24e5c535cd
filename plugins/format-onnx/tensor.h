/* ONNX tensors to Tenon's. */
#ifndef FORMAT_ONNX_TENSOR_H
#define FORMAT_ONNX_TENSOR_H

#include <tenon/plugin.h>

#include <onnx.pb-c.h>

/* `path` is the field's, for messages ("graph.initializer[3]"). `model_path` is the file's, beside
 * which external data lies; NULL: there can be none. */
tn_status onnx_read_tensor(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                           const char *model_path, tn_tensor **out_tensor);

#endif
