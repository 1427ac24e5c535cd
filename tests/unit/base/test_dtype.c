/* Names of element types. */
#include <criterion/criterion.h>

#include <tenon/api.h>

TestSuite(dtype);

static const struct {
    tn_dtype dtype;
    const char *name, *alias;
    size_t size;
} types[] = {
    {TN_F32, "float32", "f32", 4},    {TN_F64, "float64", "f64", 8}, {TN_F16, "float16", "f16", 2},
    {TN_BF16, "bfloat16", "bf16", 2}, {TN_I8, "int8", "i8", 1},      {TN_I16, "int16", "i16", 2},
    {TN_I32, "int32", "i32", 4},      {TN_I64, "int64", "i64", 8},   {TN_U8, "uint8", "u8", 1},
    {TN_U16, "uint16", "u16", 2},     {TN_U32, "uint32", "u32", 4},  {TN_U64, "uint64", "u64", 8},
    {TN_BOOL, "bool", "boolean", 1},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

Test(dtype, each_has_a_name_and_a_short_one) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        cr_expect_str_eq(tn_dtype_text(types[i].dtype), types[i].name);
        cr_expect_eq(tn_dtype_from_text(types[i].name), types[i].dtype, "%s", types[i].name);
        cr_expect_eq(tn_dtype_from_text(types[i].alias), types[i].dtype, "%s", types[i].alias);
        cr_expect_eq(TN_DTYPE_SIZE(types[i].dtype), types[i].size, "%s", types[i].name);
    }
}

Test(dtype, no_two_are_the_same) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        for (size_t j = 0; j < i; j++) {
            cr_expect_neq(types[i].dtype, types[j].dtype, "%s", types[i].name);
        }
    }
}

Test(dtype, other_texts_name_none) {
    static const char *const texts[] = {"",         "float",  "Float32",   "float32 ", " float32",
                                        "float322", "float3", "complex64", "unknown",  "f8",
                                        "None",     "int128", "float32\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_expect_eq(tn_dtype_from_text(texts[i]), 0, "'%s'", texts[i]);
    }
}

Test(dtype, other_numbers_have_no_name) {
    static const tn_dtype numbers[] = {
        0, 1, UINT32_MAX, TN_DTYPE(2, 128), TN_F32 + (1u << 16), TN_F32 & 0xffffu};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        cr_expect_str_eq(tn_dtype_text(numbers[i]), "unknown", "0x%x", numbers[i]);
    }
}
