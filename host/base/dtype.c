/* Names of element types. */
#include <string.h>

#include <tenon/api.h>

static const struct {
    tn_dtype dtype;
    const char *name;
    const char *alias;
} names[] = {
    {TN_F32, "float32", "f32"},    {TN_F64, "float64", "f64"},   {TN_F16, "float16", "f16"},
    {TN_BF16, "bfloat16", "bf16"}, {TN_I8, "int8", "i8"},        {TN_I16, "int16", "i16"},
    {TN_I32, "int32", "i32"},      {TN_I64, "int64", "i64"},     {TN_U8, "uint8", "u8"},
    {TN_U16, "uint16", "u16"},     {TN_U32, "uint32", "u32"},    {TN_U64, "uint64", "u64"},
    {TN_BOOL, "bool", "boolean"},  {TN_STRING, "string", "str"}, {TN_SEQUENCE, "sequence", "seq"},
};

const char *tn_dtype_text(tn_dtype dtype) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].dtype == dtype) {
            return names[i].name;
        }
    }
    return "unknown";
}

tn_dtype tn_dtype_from_text(const char *text) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, text) == 0 || strcmp(names[i].alias, text) == 0) {
            return names[i].dtype;
        }
    }
    return 0;
}
