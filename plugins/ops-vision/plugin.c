/*
 * The plugin "ops-vision": operators on boxes and regions of pictures, and the plain C kernels for
 * them.
 */
#include "operators.h"

static const tn_dtype real_dtypes[] = {TN_F32, TN_F64, TN_F16};
static const tn_dtype single_dtypes[] = {TN_F32};

#define ENTRIES(OP, NAME, DTYPES, PREPARE, RUN)                                                    \
    TN_ENTRY_OP(NAME, &OP##_op),                                                                   \
        TN_ENTRY_KERNEL(NAME, (&(const tn_kernel){                                                 \
                                  .struct_size = TN_KERNEL_SIZE,                                   \
                                  .op = NAME,                                                      \
                                  .target = "cpu",                                                 \
                                  .dtypes = DTYPES,                                                \
                                  .dtype_count = sizeof(DTYPES) / sizeof((DTYPES)[0]),             \
                                  .prepare = PREPARE,                                              \
                                  .run = RUN,                                                      \
                              })),

static const tn_entry entries[] = {OPERATORS(ENTRIES)};

TN_PLUGIN_WITH("ops-vision", "0.1.0", "error/1", "parallel/1", NULL, NULL, entries);
