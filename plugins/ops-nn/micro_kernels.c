#include "micro_kernels.h"

#include <tenon/plugin/types.h>

/* What every machine of the architecture has. */
#define VECTOR_BYTES 16
#define MICRO_TARGET
#define MICRO_NAME(base) REAL_NAME(base##_baseline)

#include "real_float.h"

#include "micro_kernel_template.h"

#include "real_double.h"

#include "micro_kernel_template.h"

static const micro_kernels baseline_kernels = {multiply_baseline_f32, multiply_baseline_f64,
                                               weigh_baseline_f32, weigh_baseline_f64};

#if defined(__x86_64__)

#undef VECTOR_BYTES
#undef MICRO_TARGET
#undef MICRO_NAME
#define VECTOR_BYTES 32
#define MICRO_TARGET __attribute__((target("avx2")))
#define MICRO_NAME(base) REAL_NAME(base##_avx2)

#include "real_float.h"

#include "micro_kernel_template.h"

#include "real_double.h"

#include "micro_kernel_template.h"

static const micro_kernels avx2_kernels = {multiply_avx2_f32, multiply_avx2_f64, weigh_avx2_f32,
                                           weigh_avx2_f64};

const micro_kernels *micro_kernels_select(void) {
    return __builtin_cpu_supports("avx2") ? &avx2_kernels : &baseline_kernels;
}

#else

const micro_kernels *micro_kernels_select(void) {
    return &baseline_kernels;
}

#endif
