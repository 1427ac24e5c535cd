/* The operator Pooling. */
#include "pooling.h"

#include "description.h"
#include "infer.h"
#include "operators.h"
#include "size.h"

static const tn_attribute fields[] = {
    TN_FIELD(pooling_attributes, kernel, INTS, "()", WINDOW_RANGE_ONE,
             "The window's extents: (w), (h, w) or (d, h, w). May be left out with global_pool."),
    TN_FIELD_CHOICE(pooling_attributes, pool_type, "max", POOLING_TYPES,
                    "What becomes of the elements under the window: their maximum, their average, "
                    "their sum, or the p-th root of the sum of their p-th powers."),
    TN_FIELD(pooling_attributes, global_pool, BOOL, "False", NULL,
             "Makes the window as large as the data; kernel, stride and pad have no effect then."),
    TN_FIELD(pooling_attributes, cudnn_off, BOOL, "False", NULL, NO_EFFECT),
    TN_FIELD_CHOICE(pooling_attributes, pooling_convention, "valid", POOLING_CONVENTIONS,
                    "Where the window may stop: within the padded data (valid), with the last "
                    "place reaching out of it where the stride does not fit (full), or at one "
                    "place for each stride of the data, which is padded as needed (same)."),
    TN_FIELD(pooling_attributes, stride, INTS, "()", WINDOW_RANGE_ONE,
             "Steps of the window along each axis; ones when left out."),
    TN_FIELD(pooling_attributes, pad, INTS, "()", WINDOW_RANGE_ZERO,
             "Rows and columns around the data that the window may cover: " WINDOW_PAD_DOC),
    TN_FIELD_OR_NONE(pooling_attributes, p_value, INT, "None", "[1,3]", "The p of pool_type lp."),
    TN_FIELD_OR_NONE(pooling_attributes, count_include_pad, BOOL, "None", NULL,
                     "Whether an average counts the padding under the window too, as zeros."),
    TN_FIELD_CHOICE(pooling_attributes, layout, "None", WINDOW_LAYOUTS, WINDOW_LAYOUT_DOC),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

/* A window that covers the data has neither stride nor padding. */
static tn_status find_window(const tn_host *host, const pooling_attributes *attributes,
                             int32_t rank, sliding_window *out_window) {
    if (attributes->global_pool) {
        *out_window = (sliding_window){.rank = rank};
        return TN_OK;
    }
    const tn_ints no_dilation = {0, NULL};
    return window_init(host, &attributes->kernel, &attributes->stride, &no_dilation,
                       &attributes->pad, out_window);
}

static tn_status arity(tn_arity_call *call) {
    const pooling_attributes *attributes = call->attributes;
    const int32_t rank = (int32_t)attributes->kernel.count;
    int channels_last;
    sliding_window window;
    TN_TRY(find_window(call->host, attributes, rank, &window));
    if (rank > 0) {
        TN_TRY(window_layout(call->host, attributes->layout, rank, &channels_last));
    }
    if (attributes->pool_type == POOLING_LP && attributes->p_value == TN_NONE) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "pool_type=lp needs p_value");
    }
    for (int32_t i = 0; i < window.rank && !attributes->global_pool; i++) {
        if (attributes->pooling_convention == POOLING_SAME &&
            (window.axes[i].pad > 0 || window.axes[i].pad_behind > 0)) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "pooling_convention=same chooses the padding: pad must be left out");
        }
    }
    return TN_OK;
}

/* One place for each stride. */
static pooling_axis same_axis(const window_axis *axis, int64_t extent) {
    window_axis padded = *axis;
    window_pad_same(&padded, extent, 1);
    return (pooling_axis){.kernel = axis->kernel,
                          .stride = axis->stride,
                          .pad = padded.pad,
                          .pad_behind = padded.pad_behind,
                          .places = divide_up(extent, axis->stride)};
}

tn_status pooling_axis_find(const tn_host *host, const pooling_attributes *attributes, int32_t rank,
                            int32_t axis, int64_t extent, pooling_axis *out_axis) {
    sliding_window window;
    TN_TRY(find_window(host, attributes, rank, &window));
    const window_axis *along = &window.axes[axis];
    pooling_axis found = {extent, 1, 0, 0, 1};
    if (!attributes->global_pool && attributes->pooling_convention == POOLING_SAME) {
        found = same_axis(along, extent);
    } else if (!attributes->global_pool) {
        found = (pooling_axis){along->kernel, along->stride, along->pad, along->pad_behind, 0};
        TN_TRY(window_places(host, &window, axis, extent, &found.places));
        const int64_t rest = extent + along->pad + along->pad_behind - along->kernel;
        if (attributes->pooling_convention == POOLING_FULL) {
            found.places = divide_up(rest, along->stride) + 1;
        }
    }
    *out_axis = found;
    return TN_OK;
}

static tn_status infer_extents(tn_infer_call *call, int32_t rank) {
    const pooling_attributes *attributes = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    int channels_last = 0;
    TN_TRY(window_layout(call->host, attributes->layout, rank, &channels_last));
    const int32_t channel_axis = channels_last ? rank + 1 : 1;
    const int32_t first = channels_last ? 1 : 2;
    TN_TRY(infer_same_extent(call->host, "the batch of data", &data->extents[0], "that of output",
                             &output->extents[0]));
    TN_TRY(infer_same_extent(call->host, "the number of channels in data",
                             &data->extents[channel_axis], "that in output",
                             &output->extents[channel_axis]));
    tn_shape fact = *output;
    for (int32_t i = 0; i < rank; i++) {
        pooling_axis axis = {.places = attributes->global_pool ? 1 : TN_UNKNOWN};
        if (data->extents[first + i] >= 0) {
            TN_TRY(pooling_axis_find(call->host, attributes, rank, i, data->extents[first + i],
                                     &axis));
        }
        fact.extents[first + i] = axis.places;
    }
    return tn_infer_shape(call->host, "output", output, &fact);
}

static tn_status infer(tn_infer_call *call) {
    const pooling_attributes *attributes = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    int32_t rank = (int32_t)attributes->kernel.count;
    if (rank == 0) {
        rank = (data->rank >= 0 ? data->rank : output->rank) - 2;
        if (rank + 2 < 0) {
            return TN_OK;
        }
    }
    if (rank < 1 || rank > WINDOW_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has %d axes, expected a batch, channels and 1 to %d spatial axes",
                       (int)rank + 2, WINDOW_MAX_RANK);
    }
    const tn_shape fact = tn_shape_of_rank(rank + 2);
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    return infer_extents(call, rank);
}

const tn_op pooling_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Moves a window over data with one to three spatial axes and puts one element, made "
           "from those of a channel that are under the window, at each place. Pooling_v1, the "
           "older form, takes padding as zeros for the maximum too, and always divides by the "
           "number of the kernel's elements for the average.",
    OP_ATTRIBUTES(fields, pooling_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};
