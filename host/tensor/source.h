/* Files that formats read, and tensors whose elements are bytes of them. */
#ifndef TENON_TENSOR_SOURCE_H
#define TENON_TENSOR_SOURCE_H

#include <tenon/plugin/format.h>
#include <tenon/tensor.h>

/* A file as a source: mapped, or read as a whole into memory when the runtime's options say so. IO
 * and NOT_FOUND name the path and the system's reason. */
tn_status tni_source_open(tn_runtime *runtime, const char *path, tn_source *out_source);

/* The same of an open file, which stays the caller's. `path` is not copied. */
tn_status tni_source_open_file(tn_runtime *runtime, int descriptor, const char *path,
                               tn_source *out_source);

/* Ends the reading. Tensors keep what they use of the file. */
void tni_source_close(tn_runtime *runtime, tn_source *source);

/*
 * A tensor with these elements, which lie row-major at `bytes`. Where that is inside a source that
 * is being read, aligned as the dtype asks and not small, it is that memory itself; otherwise a
 * copy.
 */
tn_status tni_tensor_of_bytes(tn_runtime *runtime, tn_dtype dtype, int32_t rank,
                              const int64_t *extents, const void *bytes, tn_tensor **out_tensor);

#endif
