#include "element.h"

const tn_dtype floating_dtypes[FLOATING_DTYPE_COUNT] = {TN_F32, TN_F64, TN_F16, TN_BF16};

#define DEFINE_LOADER(NAME, STORED, REAL, WIDENED)                                                 \
    static void NAME(const void *source, int64_t stride, int64_t count, void *reals) {             \
        const STORED *elements = source;                                                           \
        REAL *target = reals;                                                                      \
        for (int64_t i = 0; i < count; i++) {                                                      \
            target[i] = WIDENED(elements[i * stride]);                                             \
        }                                                                                          \
    }

DEFINE_LOADER(load_f32, float, float, )
DEFINE_LOADER(load_f64, double, double, )
DEFINE_LOADER(load_f16, uint16_t, float, tn_float_from_f16)
DEFINE_LOADER(load_i8, int8_t, float, )
DEFINE_LOADER(load_u8, uint8_t, float, )
DEFINE_LOADER(load_bf16, uint16_t, float, tn_float_from_bf16)

element_loader element_loader_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_F64: return load_f64;
    case TN_F16: return load_f16;
    case TN_BF16: return load_bf16;
    case TN_I8: return load_i8;
    case TN_U8: return load_u8;
    default: return load_f32;
    }
}

#define DEFINE_STORER(NAME, STORED, REAL, ROUNDED)                                                 \
    static void NAME(const void *reals, int64_t count, void *target) {                             \
        const REAL *source = reals;                                                                \
        STORED *elements = target;                                                                 \
        for (int64_t i = 0; i < count; i++) {                                                      \
            elements[i] = ROUNDED(source[i]);                                                      \
        }                                                                                          \
    }

DEFINE_STORER(store_f32, float, float, )
DEFINE_STORER(store_f64, double, double, )
DEFINE_STORER(store_f16, uint16_t, float, tn_f16_from_float)
DEFINE_STORER(store_i8, int8_t, float, (int8_t))
DEFINE_STORER(store_u8, uint8_t, float, (uint8_t))
DEFINE_STORER(store_bf16, uint16_t, float, tn_bf16_from_float)

element_storer element_storer_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_F64: return store_f64;
    case TN_F16: return store_f16;
    case TN_BF16: return store_bf16;
    case TN_I8: return store_i8;
    case TN_U8: return store_u8;
    default: return store_f32;
    }
}
