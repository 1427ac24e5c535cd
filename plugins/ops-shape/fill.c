#include "fill.h"

#define GRAIN_ELEMENTS (64 * 1024)

typedef struct fill_job {
    char *target;
    unsigned char element[8];
} fill_job;

#define DEFINE_FILL(NAME, TYPE)                                                                    \
    static void NAME(void *context, int64_t begin, int64_t end) {                                  \
        const fill_job *job = context;                                                             \
        TYPE *target = (TYPE *)(void *)job->target;                                                \
        TYPE element;                                                                              \
        memcpy(&element, job->element, sizeof element);                                            \
        for (int64_t i = begin; i < end; i++) {                                                    \
            target[i] = element;                                                                   \
        }                                                                                          \
    }

DEFINE_FILL(fill_8, uint8_t)
DEFINE_FILL(fill_16, uint16_t)
DEFINE_FILL(fill_32, uint32_t)
DEFINE_FILL(fill_64, uint64_t)

void fill_elements(const tn_host *host, void *target, int64_t count, const void *element,
                   size_t size) {
    fill_job job = {target, {0}};
    memcpy(job.element, element, size);
    switch (size) {
    case 1: tn_parallel_for(host, count, GRAIN_ELEMENTS, fill_8, &job); break;
    case 2: tn_parallel_for(host, count, GRAIN_ELEMENTS, fill_16, &job); break;
    case 4: tn_parallel_for(host, count, GRAIN_ELEMENTS, fill_32, &job); break;
    default: tn_parallel_for(host, count, GRAIN_ELEMENTS, fill_64, &job); break;
    }
}

int64_t integer_from_double(double value) {
    if (value >= 0x1p63) {
        return INT64_MAX;
    }
    return value > -0x1p63 ? (int64_t)value : INT64_MIN;
}

/* The low bytes of a two's complement number are the narrower number. */
static void store_low_bytes(tn_dtype dtype, uint64_t bits, void *element) {
    memcpy(element, &bits, TN_DTYPE_SIZE(dtype));
}

void element_from_double(tn_dtype dtype, double value, void *element) {
    const float single = (float)value;
    switch (dtype) {
    case TN_F64: memcpy(element, &value, sizeof value); break;
    case TN_F32: memcpy(element, &single, sizeof single); break;
    case TN_F16: store_low_bytes(dtype, tn_f16_from_float(single), element); break;
    case TN_BF16: store_low_bytes(dtype, tn_bf16_from_float(single), element); break;
    case TN_BOOL: store_low_bytes(dtype, value != 0.0, element); break;
    case TN_U64:
        store_low_bytes(dtype,
                        value >= 0x1p63 && value < 0x1p64 ? (uint64_t)value
                                                          : (uint64_t)integer_from_double(value),
                        element);
        break;
    default: store_low_bytes(dtype, (uint64_t)integer_from_double(value), element); break;
    }
}

void element_from_integer(tn_dtype dtype, int64_t value, void *element) {
    switch (dtype) {
    case TN_F64:
    case TN_F32:
    case TN_F16:
    case TN_BF16: element_from_double(dtype, (double)value, element); break;
    case TN_BOOL: store_low_bytes(dtype, value != 0, element); break;
    default: store_low_bytes(dtype, (uint64_t)value, element); break;
    }
}
