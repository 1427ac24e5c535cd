/*
 * The plugin that bench_plugins makes a thousand of: ten operators with a kernel each. The mark
 * q0000q, which is in its name and in all of theirs, is replaced in copies of the file.
 */
#include <tenon/plugin.h>

static tn_status run(const tn_run_call *call) {
    const float *x = (const float *)tn_data(call->inputs[0]);
    float *y = (float *)tn_data(call->outputs[0]);
    const int64_t count = tn_element_count(call->inputs[0]);
    for (int64_t i = 0; i < count; i++) {
        y[i] = 2 * x[i] + 1;
    }
    return TN_OK;
}

typedef struct attributes {
    int64_t axis;
    double scale;
    tn_ints shape;
} attributes;

static const tn_attribute rows[] = {
    TN_FIELD(attributes, axis, INT, "1", "[-32,31]", "An axis."),
    TN_FIELD(attributes, scale, FLOAT, "1.0", NULL, "A factor."),
    TN_FIELD(attributes, shape, INTS, "()", "[0,inf)", "A shape."),
};

static const char *const inputs[] = {"data"};
static const char *const outputs[] = {"output"};
static const tn_op op = {.struct_size = TN_OP_SIZE,
                         .doc = "Computes 2 x + 1.",
                         .input_names = inputs,
                         .input_name_count = 1,
                         .output_names = outputs,
                         .output_name_count = 1,
                         .attributes = rows,
                         .attribute_count = sizeof rows / sizeof rows[0],
                         .attribute_stride = TN_ATTRIBUTE_STRIDE,
                         .attributes_size = sizeof(attributes),
                         .infer = tn_infer_elementwise};

static const tn_dtype dtypes[] = {TN_F32};

#define KERNEL(N)                                                                                  \
    static const tn_kernel kernel##N = {.struct_size = TN_KERNEL_SIZE,                             \
                                        .op = "q0000q_" #N,                                        \
                                        .target = "cpu",                                           \
                                        .dtypes = dtypes,                                          \
                                        .dtype_count = 1,                                          \
                                        .run = run};
#define ENTRIES(N) TN_ENTRY_OP("q0000q_" #N, &op), TN_ENTRY_KERNEL("q0000q_" #N ".cpu", &kernel##N)

KERNEL(0)
KERNEL(1)
KERNEL(2)
KERNEL(3)
KERNEL(4)
KERNEL(5)
KERNEL(6)
KERNEL(7)
KERNEL(8)
KERNEL(9)

static const tn_entry entries[] = {ENTRIES(0), ENTRIES(1), ENTRIES(2), ENTRIES(3), ENTRIES(4),
                                   ENTRIES(5), ENTRIES(6), ENTRIES(7), ENTRIES(8), ENTRIES(9)};
TN_PLUGIN("q0000q", "1.0.0", entries);
