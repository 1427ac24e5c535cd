#include "probe_speeds.h"

#include <string.h>
#include <time.h>

static const tn_dtype floats[] = {TN_F32};

static tn_status quick_run(const tn_run_call *call) {
    memcpy(tn_data(call->outputs[0]), tn_data(call->inputs[0]), tn_byte_size(call->outputs[0]));
    return TN_OK;
}

static tn_status slow_run(const tn_run_call *call) {
    const struct timespec pause = {0, 3000000};
    nanosleep(&pause, NULL);
    return quick_run(call);
}

const tn_kernel probe_speeds_slow_kernel = {.struct_size = TN_KERNEL_SIZE,
                                            .op = "probe_speeds",
                                            .target = "cpu",
                                            .dtypes = floats,
                                            .dtype_count = 1,
                                            .priority = 100,
                                            .run = slow_run};
const tn_kernel probe_speeds_quick_kernel = {.struct_size = TN_KERNEL_SIZE,
                                             .op = "probe_speeds",
                                             .target = "cpu",
                                             .dtypes = floats,
                                             .dtype_count = 1,
                                             .run = quick_run};
