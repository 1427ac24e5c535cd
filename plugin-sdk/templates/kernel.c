/*
 * A faster kernel for an operator that another plugin offers; here for "relu". This line builds it;
 * nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <tenon/plugin.h>

/* Elements that one thread should at least have to do. */
enum { GRAIN = 16384 };

typedef struct arrays {
    const float *x;
    float *y;
} arrays;

static void part(void *context, int64_t begin, int64_t end) {
    const arrays *a = (const arrays *)context;
    for (int64_t i = begin; i < end; i++) {
        a->y[i] = a->x[i] > 0 ? a->x[i] : 0;
    }
}

/* The hot path: takes no memory, parses nothing, waits for no lock. */
static tn_status run(const tn_run_call *call) {
    arrays a = {(const float *)tn_data(call->inputs[0]), (float *)tn_data(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->inputs[0]), GRAIN, part, &a);
    return TN_OK;
}

/* Which nodes it can compute, beyond what `dtypes` says: 0 for no, 1 for yes. */
static int32_t supports(const tn_kernel_query *query) {
    return query->input_count == 1 && query->output_count == 1;
}

static const tn_dtype dtypes[] = {TN_F32};
static const tn_in_place in_place[] = {{0, 0}}; /* the output may lie where the input lies */
static const tn_kernel kernel = {.struct_size = TN_KERNEL_SIZE,
                                 .op = "relu",
                                 .target = "cpu",
                                 .dtypes = dtypes,
                                 .dtype_count = 1,
                                 .priority = 100, /* plain C reference kernels have 0 */
                                 .in_place = in_place,
                                 .in_place_count = 1,
                                 .supports = supports,
                                 .run = run};

static const tn_entry entries[] = {TN_ENTRY_KERNEL("@NAME@", &kernel)};
TN_PLUGIN_WITH("@NAME@", "0.1.0", "error/1", "parallel/1", NULL, NULL, entries);
