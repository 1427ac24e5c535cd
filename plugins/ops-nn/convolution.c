/* The operator Convolution, and what Deconvolution has in common with it. */
#include "convolution.h"

#include "infer.h"
#include "operators.h"

static const tn_attribute fields[] = {
    CONVOLUTION_FIELDS("False", "1024"),
    CONVOLUTION_AUTO_PAD_FIELD,
};

static const char *const input_names[] = {"data", "weight", "bias"};
static const char *const output_names[] = {"output"};

tn_status convolution_window(const tn_host *host, const convolution_attributes *attributes,
                             const int64_t *extents, sliding_window *out_window) {
    TN_TRY(window_init(host, &attributes->kernel, &attributes->stride, &attributes->dilate,
                       &attributes->pad, out_window));
    for (int32_t i = 0; attributes->auto_pad != AUTO_PAD_NONE && i < out_window->rank; i++) {
        window_axis *axis = &out_window->axes[i];
        axis->pad = axis->pad_behind = 0;
        if (extents != NULL && extents[i] >= 0) {
            window_pad_same(axis, extents[i], attributes->auto_pad == AUTO_PAD_SAME_UPPER);
        }
    }
    return TN_OK;
}

tn_status convolution_check_channels_first(const tn_host *host,
                                           const convolution_attributes *attributes) {
    int channels_last = 0;
    TN_TRY(
        window_layout(host, attributes->layout, (int32_t)attributes->kernel.count, &channels_last));
    return channels_last ? tn_fail(host, TN_UNSUPPORTED,
                                   "a layout with the channels last is not computed here, only "
                                   "NCW, NCHW and NCDHW are; for Convolution the pass "
                                   "choose-layout changes it (--pass choose-layout)")
                         : TN_OK;
}

tn_status convolution_arity(tn_arity_call *call) {
    const convolution_attributes *attributes = call->attributes;
    sliding_window window;
    int channels_last = 0;
    TN_TRY(convolution_window(call->host, attributes, NULL, &window));
    TN_TRY(window_layout(call->host, attributes->layout, window.rank, &channels_last));
    if (attributes->auto_pad != AUTO_PAD_NONE && attributes->pad.count > 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "auto_pad chooses the padding: pad must be left out");
    }
    if (attributes->num_filter != TN_NONE && attributes->num_filter % attributes->num_group != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "num_filter=%lld is not a multiple of num_group=%lld",
                       (long long)attributes->num_filter, (long long)attributes->num_group);
    }
    call->input_count = attributes->no_bias ? 2 : 3;
    return TN_OK;
}

/* `per_group` channels of the weight are one group's share of data's channels. */
static tn_status infer_group(const tn_host *host, int64_t groups, int64_t *channels,
                             int64_t *per_group) {
    if (*channels >= 0 && *channels % groups != 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "data has %lld channels, which is not a multiple of num_group=%lld",
                       (long long)*channels, (long long)groups);
    }
    int64_t share = *channels < 0 ? TN_UNKNOWN : *channels / groups;
    TN_TRY(infer_same_extent(host, "a group's share of data's channels", &share,
                             "the number of channels in weight", per_group));
    if (share >= 0 && __builtin_mul_overflow(share, groups, channels)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "weight has too many channels");
    }
    return TN_OK;
}

/* TN_UNKNOWN when neither the attribute nor the weight says how many filters there are. */
static tn_status find_filters(const tn_infer_call *call, int data_channels_first,
                              int64_t *out_filters) {
    const convolution_attributes *attributes = call->attributes;
    const tn_shape *weight = &call->inputs[1].shape;
    const int32_t axis = data_channels_first ? 1 : 0;
    const int64_t groups = data_channels_first ? attributes->num_group : 1;
    *out_filters = attributes->num_filter;
    if (attributes->num_filter == TN_NONE) {
        *out_filters = weight->rank > axis ? weight->extents[axis] : TN_UNKNOWN;
        if (*out_filters >= 0 && __builtin_mul_overflow(*out_filters, groups, out_filters)) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "weight has too many filters");
        }
        if (*out_filters >= 0 && *out_filters % attributes->num_group != 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "weight has %lld filters, which is not a multiple of num_group=%lld",
                           (long long)*out_filters, (long long)attributes->num_group);
        }
    }
    return TN_OK;
}

tn_status convolution_infer_channels(tn_infer_call *call, const sliding_window *window,
                                     int data_channels_first) {
    const tn_host *host = call->host;
    const convolution_attributes *attributes = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *weight = &call->inputs[1].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    tn_shape fact = tn_shape_of_rank(2 + window->rank);
    TN_TRY(tn_infer_shape(host, "data", data, &fact));
    int64_t filters;
    TN_TRY(find_filters(call, data_channels_first, &filters));
    fact.extents[1] = filters;
    TN_TRY(tn_infer_shape(host, "output", output, &fact));
    TN_TRY(infer_same_extent(host, "the batch of data", &data->extents[0], "that of output",
                             &output->extents[0]));

    fact.extents[0] = data_channels_first ? TN_UNKNOWN : filters;
    fact.extents[1] =
        data_channels_first && filters >= 0 ? filters / attributes->num_group : TN_UNKNOWN;
    for (int32_t i = 0; i < window->rank; i++) {
        fact.extents[2 + i] = window->axes[i].kernel;
    }
    TN_TRY(tn_infer_shape(host, "weight", weight, &fact));
    if (call->input_count > 2) {
        const tn_shape bias = tn_shape_of(1, &filters);
        TN_TRY(tn_infer_shape(host, "bias", &call->inputs[2].shape, &bias));
    }
    if (data_channels_first) {
        TN_TRY(infer_same_extent(host, "the number of channels in data", &data->extents[1],
                                 "that in weight", &weight->extents[0]));
        return infer_group(host, attributes->num_group, &data->extents[1], &(int64_t){TN_UNKNOWN});
    }
    return infer_group(host, attributes->num_group, &data->extents[1], &weight->extents[1]);
}

/* Moves the channels from axis 1 to the end, or back. */
static void move_channels(tn_shape *shape, int to_end) {
    const int32_t last = shape->rank - 1;
    if (last < 2) {
        return;
    }
    const int64_t moved = shape->extents[to_end ? 1 : last];
    memmove(&shape->extents[to_end ? 1 : 2], &shape->extents[to_end ? 2 : 1],
            (size_t)(last - 1) * sizeof moved);
    shape->extents[to_end ? last : 1] = moved;
}

static void move_all_channels(tn_infer_call *call, int to_end) {
    move_channels(&call->inputs[0].shape, to_end);
    move_channels(&call->inputs[1].shape, to_end);
    move_channels(&call->outputs[0].shape, to_end);
}

static tn_status infer_channels_first(tn_infer_call *call, const sliding_window *given) {
    sliding_window window = *given;
    TN_TRY(convolution_infer_channels(call, &window, 0));
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(convolution_window(call->host, call->attributes, data->extents + 2, &window));
    tn_shape fact = call->outputs[0].shape;
    for (int32_t i = 0; i < window.rank; i++) {
        TN_TRY(window_places(call->host, &window, i, data->extents[2 + i], &fact.extents[2 + i]));
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

/* With the channels last, data is (batch, …, channels) and weight (filters, …, channels). */
tn_status convolution_infer(tn_infer_call *call) {
    const convolution_attributes *attributes = call->attributes;
    sliding_window window;
    int channels_last = 0;
    TN_TRY(convolution_window(call->host, attributes, NULL, &window));
    TN_TRY(window_layout(call->host, attributes->layout, window.rank, &channels_last));
    if (!channels_last) {
        return infer_channels_first(call, &window);
    }
    move_all_channels(call, 0);
    const tn_status status = infer_channels_first(call, &window);
    move_all_channels(call, 1);
    return status;
}

const tn_op convolution_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Moves kernels over data with one to three spatial axes; at each place the elements "
           "under a kernel, over all channels of its group, are multiplied by the kernel's weights "
           "and added up, with a bias for each kernel. As usual in neural networks the kernel is "
           "not flipped.",
    OP_ATTRIBUTES(fields, convolution_attributes),
    OP_NAMES(input_names, output_names),
    .arity = convolution_arity,
    .infer = convolution_infer,
};
