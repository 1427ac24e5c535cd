/* ONNX's numbers for element types. */
#ifndef FORMAT_ONNX_DTYPE_H
#define FORMAT_ONNX_DTYPE_H

#include <tenon/plugin.h>

/* 0 when Tenon has no such type. */
tn_dtype dtype_from_onnx(int64_t number);
/* 0 (UNDEFINED) when ONNX has no such type. */
int32_t dtype_to_onnx(tn_dtype dtype);
/* "FLOAT8E4M3FN", for messages; "?" for a number that names nothing. */
const char *onnx_dtype_name(int64_t number);

/* Fails with `what` in front when Tenon has no such type. */
tn_status require_dtype(const tn_host *host, const char *what, int64_t number, tn_dtype *out_dtype);

#endif
