/* ONNX's sparse tensors, as whole ones. */
#ifndef FORMAT_ONNX_SPARSE_H
#define FORMAT_ONNX_SPARSE_H

#include <onnx.pb-c.h>
#include <tenon/plugin.h>

/* As onnx_read_tensor; the elements that are not stored are 0. */
tn_status onnx_read_sparse_tensor(const tn_host *host, const Onnx__SparseTensorProto *proto,
                                  const char *path, const char *model_path, tn_tensor **out_tensor);

#endif
