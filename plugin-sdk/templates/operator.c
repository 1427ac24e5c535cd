/*
 * The operator @NAME@ and its kernel for the CPU. This line builds it; nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <tenon/plugin.h>

/* Computes y = 2 x + 1 for each element. */
static tn_status run(const tn_run_call *call) {
    const float *x = (const float *)tn_data(call->inputs[0]);
    float *y = (float *)tn_data(call->outputs[0]);
    const int64_t count = tn_element_count(call->inputs[0]);
    for (int64_t i = 0; i < count; i++) {
        y[i] = 2 * x[i] + 1;
    }
    return TN_OK;
}

static const char *const inputs[] = {"data"};
static const char *const outputs[] = {"output"};
static const tn_op op = {.struct_size = TN_OP_SIZE,
                         .doc = "Computes 2 x + 1.",
                         .input_names = inputs,
                         .input_name_count = 1,
                         .output_names = outputs,
                         .output_name_count = 1,
                         .infer = tn_infer_elementwise};

static const tn_dtype dtypes[] = {TN_F32};
static const tn_kernel kernel = {.struct_size = TN_KERNEL_SIZE,
                                 .op = "@NAME@",
                                 .target = "cpu",
                                 .dtypes = dtypes,
                                 .dtype_count = 1,
                                 .run = run};

static const tn_entry entries[] = {TN_ENTRY_OP("@NAME@", &op),
                                   TN_ENTRY_KERNEL("@NAME@.cpu", &kernel)};
TN_PLUGIN("@NAME@", "0.1.0", entries);
