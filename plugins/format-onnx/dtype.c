#include "dtype.h"

static const struct {
    tn_dtype dtype;
    const char *name;
} types[] = {
    {0, "UNDEFINED"},      {TN_F32, "FLOAT"},   {TN_U8, "UINT8"},      {TN_I8, "INT8"},
    {TN_U16, "UINT16"},    {TN_I16, "INT16"},   {TN_I32, "INT32"},     {TN_I64, "INT64"},
    {TN_STRING, "STRING"}, {TN_BOOL, "BOOL"},   {TN_F16, "FLOAT16"},   {TN_F64, "DOUBLE"},
    {TN_U32, "UINT32"},    {TN_U64, "UINT64"},  {0, "COMPLEX64"},      {0, "COMPLEX128"},
    {TN_BF16, "BFLOAT16"}, {0, "FLOAT8E4M3FN"}, {0, "FLOAT8E4M3FNUZ"}, {0, "FLOAT8E5M2"},
    {0, "FLOAT8E5M2FNUZ"}, {0, "UINT4"},        {0, "INT4"},           {0, "FLOAT4E2M1"},
    {0, "FLOAT8E8M0"},     {0, "UINT2"},        {0, "INT2"},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

tn_dtype dtype_from_onnx(int64_t number) {
    return number >= 0 && number < TYPE_COUNT ? types[number].dtype : 0;
}

int32_t dtype_to_onnx(tn_dtype dtype) {
    for (int32_t i = 1; i < TYPE_COUNT; i++) {
        if (types[i].dtype == dtype) {
            return i;
        }
    }
    return 0;
}

const char *onnx_dtype_name(int64_t number) {
    return number >= 0 && number < TYPE_COUNT ? types[number].name : "?";
}

tn_status require_dtype(const tn_host *host, const char *what, int64_t number,
                        tn_dtype *out_dtype) {
    const tn_dtype dtype = dtype_from_onnx(number);
    if (dtype == 0) {
        return tn_fail(host, number > 0 && number < TYPE_COUNT ? TN_UNSUPPORTED : TN_CORRUPT,
                       "%s: element type %lld (%s) is none that Tenon has", what, (long long)number,
                       onnx_dtype_name(number));
    }
    *out_dtype = dtype;
    return TN_OK;
}
