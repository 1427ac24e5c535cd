/*
 * An operator whose kernel wants and gives channels-last tensors: each element plus the number of
 * its channel. A view that is not laid out as agreed is an error.
 */
#include <tenon/plugin.h>

#include "probe_layouts.h"

static const char *const data_name[] = {"data"};
static const char *const output_name[] = {"output"};
static const tn_dtype floats[] = {TN_F32};
static const tn_in_place first_in_place[] = {{0, 0}};

static void channels_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    (void)query;
    inputs[0] = outputs[0] = TN_LAYOUT_CHANNELS_LAST;
}

static int64_t place_count(const tn_view *view) {
    int64_t count = 1;
    for (int32_t axis = 2; axis < view->rank; axis++) {
        count *= view->shape[axis];
    }
    return count;
}

/* Row-major strides may be left out where they are the same. */
static tn_status check(const tn_host *host, const tn_view *view) {
    const int64_t places = place_count(view), channels = view->shape[1];
    if (view->strides == NULL) {
        return places == 1 || channels == 1
                   ? TN_OK
                   : tn_fail(host, TN_INTERNAL, "the view is row-major, not channels-last");
    }
    if (view->strides[1] != 1 || view->strides[0] != places * channels ||
        view->strides[view->rank - 1] != channels) {
        return tn_fail(host, TN_INTERNAL, "the strides are not those of channels-last");
    }
    return TN_OK;
}

static tn_status channels_run(const tn_run_call *call) {
    const float *data = (const float *)tn_data(call->inputs[0]);
    float *output = (float *)tn_data(call->outputs[0]);
    const int64_t channels = call->outputs[0]->shape[1];
    TN_TRY(check(call->host, call->inputs[0]));
    TN_TRY(check(call->host, call->outputs[0]));
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        output[i] = data[i] + (float)(i % channels);
    }
    return TN_OK;
}

static tn_status channels_infer(tn_infer_call *call) {
    TN_TRY(tn_infer_elementwise(call));
    if (call->inputs[0].shape.rank >= 0 && call->inputs[0].shape.rank < 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the input must have channels");
    }
    return TN_OK;
}

const tn_op probe_channels_op = {.struct_size = TN_OP_SIZE,
                                 .doc = "Adds to each element the number of its channel.",
                                 .input_names = data_name,
                                 .input_name_count = 1,
                                 .output_names = output_name,
                                 .output_name_count = 1,
                                 .infer = channels_infer};
const tn_kernel probe_channels_kernel = {.struct_size = TN_KERNEL_SIZE,
                                         .op = "probe_channels",
                                         .target = "cpu",
                                         .dtypes = floats,
                                         .dtype_count = 1,
                                         .in_place = first_in_place,
                                         .in_place_count = 1,
                                         .run = channels_run,
                                         .layouts = channels_layouts};

static void wrong_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    (void)query;
    (void)outputs;
    inputs[0] = 7;
}

const tn_kernel probe_wrong_layout_kernel = {.struct_size = TN_KERNEL_SIZE,
                                             .op = "probe_wrong_layout",
                                             .target = "cpu",
                                             .dtypes = floats,
                                             .dtype_count = 1,
                                             .run = channels_run,
                                             .layouts = wrong_layouts};
