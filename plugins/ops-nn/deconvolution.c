/* The operator Deconvolution. */
#include "convolution.h"
#include "deconvolution_plan.h"
#include "infer.h"
#include "operators.h"
#include "state.h"

static const tn_attribute fields[] = {
    CONVOLUTION_FIELDS("True", "512"),
    TN_FIELD(convolution_attributes, adj, INTS, "()", WINDOW_RANGE_ZERO,
             "Rows and columns added behind the output, fewer than the stride: they tell apart the "
             "outputs that a convolution would make into the same data."),
    TN_FIELD(convolution_attributes, target_shape, INTS, "()", WINDOW_RANGE_ZERO,
             "The spatial extents of the output; pad and adj then follow from it and those given "
             "have no effect."),
};

static const char *const input_names[] = {"data", "weight", "bias"};
static const char *const output_names[] = {"output"};

/* MXNet writes zeros where it means that there is no target shape. */
static int has_target_shape(const convolution_attributes *attributes) {
    for (int64_t i = 0; i < attributes->target_shape.count; i++) {
        if (attributes->target_shape.values[i] != 0) {
            return 1;
        }
    }
    return 0;
}

static tn_status arity(tn_arity_call *call) {
    const convolution_attributes *attributes = call->attributes;
    const int32_t rank = (int32_t)attributes->kernel.count;
    TN_TRY(convolution_arity(call));
    TN_TRY(convolution_check_channels_first(call->host, attributes));
    TN_TRY(window_check_list(call->host, "adj", &attributes->adj, rank));
    return window_check_list(call->host, "target_shape", &attributes->target_shape, rank);
}

/* What is cut off in front, and the extent of the output, along one axis. */
typedef struct output_axis {
    int64_t pad;
    int64_t extent;
} output_axis;

/* `reach` elements come out before any are cut off. */
static tn_status fit_target(const tn_host *host, int64_t reach, int64_t target, int64_t *out_pad,
                            int64_t *out_adj) {
    if (target < 1 || target > reach) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "target_shape asks for an extent of %lld, expected 1 to %lld",
                       (long long)target, (long long)reach);
    }
    *out_pad = divide_up(reach - target, 2);
    *out_adj = (reach - target) % 2;
    return TN_OK;
}

static tn_status find_output(const tn_host *host, const convolution_attributes *attributes,
                             const sliding_window *window, int32_t index, int64_t extent,
                             output_axis *out_axis) {
    const window_axis *axis = &window->axes[index];
    int64_t pad = axis->pad, pad_behind = axis->pad_behind;
    int64_t adj = attributes->adj.count > 0 ? attributes->adj.values[index] : 0;
    int64_t reach;
    if (extent < 1 || __builtin_mul_overflow(extent - 1, axis->stride, &reach) ||
        __builtin_add_overflow(reach, window_span(axis), &reach)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "data has extent %lld along spatial axis %d",
                       (long long)extent, (int)index);
    }
    if (has_target_shape(attributes)) {
        TN_TRY(fit_target(host, reach, attributes->target_shape.values[index], &pad, &adj));
        pad_behind = pad;
    }
    if (adj >= axis->stride) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "adj is %lld along spatial axis %d, but must be less than the stride, %lld",
                       (long long)adj, (int)index, (long long)axis->stride);
    }
    int64_t rest;
    if (__builtin_sub_overflow(reach, pad + pad_behind - adj, &rest) || rest < 1) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "pad=%lld does not leave a valid output along spatial axis %d",
                       (long long)pad, (int)index);
    }
    *out_axis = (output_axis){pad, rest};
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    sliding_window window;
    TN_TRY(convolution_window(call->host, call->attributes, NULL, &window));
    TN_TRY(convolution_infer_channels(call, &window, 1));
    const tn_shape *data = &call->inputs[0].shape;
    tn_shape fact = call->outputs[0].shape;
    for (int32_t i = 0; i < window.rank; i++) {
        if (data->extents[2 + i] < 0) {
            continue;
        }
        output_axis axis;
        TN_TRY(find_output(call->host, call->attributes, &window, i, data->extents[2 + i], &axis));
        fact.extents[2 + i] = axis.extent;
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

const tn_op deconvolution_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution run backwards, for data with one to three spatial axes: each element of "
           "data, over all channels of its group, adds a copy of the kernel's weights times itself "
           "to the output, the copies of neighbours being a stride apart.",
    OP_ATTRIBUTES(fields, convolution_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

static tn_status prepare(tn_prepare_call *call) {
    const convolution_attributes *attributes = call->attributes;
    sliding_window window;
    TN_TRY(convolution_window(call->host, attributes, NULL, &window));
    for (int32_t i = 0; i < window.rank; i++) {
        output_axis axis;
        TN_TRY(
            find_output(call->host, attributes, &window, i, call->inputs[0]->shape[2 + i], &axis));
        window.axes[i].pad = axis.pad;
    }
    return deconvolution_plan_create(call, &window, attributes->num_group);
}

const tn_kernel deconvolution_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "Deconvolution",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare,
    .run = deconvolution_run,
    .release = state_release,
};
