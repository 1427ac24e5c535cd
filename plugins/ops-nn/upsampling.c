/* The operator UpSampling. */
#include "upsampling.h"

#include "description.h"
#include "infer.h"
#include "operators.h"
#include "size.h"

static const tn_attribute fields[] = {
    TN_FIELD(upsampling_attributes, scale, INT, NULL, "[1,2147483647]",
             "How many times as high and wide as the first input the output is."),
    TN_FIELD(upsampling_attributes, num_filter, INT, "0", "[0,2147483647]",
             "The number of channels, needed for sample_type=bilinear."),
    TN_FIELD_CHOICE(upsampling_attributes, sample_type, NULL, "nearest|bilinear",
                    "Whether elements are repeated, or spread by a deconvolution whose weights "
                    "are the second input."),
    TN_FIELD_CHOICE(upsampling_attributes, multi_input_mode, "concat", "concat|sum",
                    "Whether several inputs of sample_type=nearest are joined by their channels or "
                    "added up."),
    TN_FIELD(upsampling_attributes, num_args, INT, NULL, "[1,65536]",
             "The number of inputs; 2 for sample_type=bilinear."),
    TN_FIELD(upsampling_attributes, workspace, INT, "512", "[0,inf)", NO_EFFECT),
};

static const char *const input_names[] = {"data", "weight"};
static const char *const output_names[] = {"output"};

static tn_status arity(tn_arity_call *call) {
    const upsampling_attributes *attributes = call->attributes;
    if (attributes->sample_type == UPSAMPLING_BILINEAR) {
        if (attributes->num_args != 2) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "num_args=%lld, but sample_type=bilinear takes data and weight",
                           (long long)attributes->num_args);
        }
        if (attributes->num_filter < 1) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "num_filter must be the number of channels for sample_type=bilinear");
        }
    }
    call->input_count = (uint32_t)attributes->num_args;
    return TN_OK;
}

/* `fact` gets the output's height and width. */
static tn_status scale_extents(const tn_host *host, const tn_shape *data, int64_t scale,
                               tn_shape *fact) {
    for (int32_t axis = 2; axis < 4; axis++) {
        if (data->extents[axis] < 0) {
            continue;
        }
        if (__builtin_mul_overflow(data->extents[axis], scale, &fact->extents[axis])) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "an extent of %lld is too large to be scaled",
                           (long long)data->extents[axis]);
        }
    }
    return TN_OK;
}

static tn_status infer_bilinear(tn_infer_call *call, const upsampling_attributes *attributes) {
    const upsampling_kernel_size size = upsampling_kernel_size_of(attributes->scale);
    const int64_t weight[] = {attributes->num_filter, 1, size.kernel, size.kernel};
    tn_shape *data = &call->inputs[0].shape;
    tn_shape fact = tn_shape_of(4, weight);
    TN_TRY(tn_infer_shape(call->host, "weight", &call->inputs[1].shape, &fact));
    fact = tn_shape_of_rank(4);
    fact.extents[1] = attributes->num_filter;
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    fact.extents[0] = data->extents[0];
    TN_TRY(scale_extents(call->host, data, attributes->scale, &fact));
    TN_TRY(tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact));
    data->extents[0] = call->outputs[0].shape.extents[0];
    return TN_OK;
}

/* Each input must go into the output's height and width a whole number of times. */
static tn_status check_divides(tn_infer_call *call, uint32_t input) {
    const tn_shape *data = &call->inputs[input].shape;
    const tn_shape *output = &call->outputs[0].shape;
    for (int32_t axis = 2; axis < 4; axis++) {
        const int64_t from = data->extents[axis];
        const int64_t to = output->extents[axis];
        if (from >= 0 && to >= 0 && (from == 0 ? to != 0 : to % from != 0)) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "input %u has an %s of %lld, of which the output's, %lld, is not a "
                           "multiple",
                           (unsigned)input, axis == 2 ? "height" : "width", (long long)from,
                           (long long)to);
        }
    }
    return TN_OK;
}

/* The output's channels: those of all inputs together, or the same as in each of them. */
static tn_status infer_channels(tn_infer_call *call, const upsampling_attributes *attributes) {
    int64_t *output = &call->outputs[0].shape.extents[1];
    int64_t sum = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        int64_t *channels = &call->inputs[i].shape.extents[1];
        if (attributes->multi_input_mode == UPSAMPLING_SUM || call->input_count == 1) {
            TN_TRY(infer_same_extent(call->host, "the number of channels in an input", channels,
                                     "that in the output", output));
            sum = *output;
        } else if (*channels < 0) {
            return TN_OK;
        } else if (__builtin_add_overflow(sum, *channels, &sum)) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "the inputs have too many channels");
        }
    }
    return infer_same_extent(call->host, "the number of channels in all inputs", &sum,
                             "that in the output", output);
}

static tn_status infer_nearest(tn_infer_call *call, const upsampling_attributes *attributes) {
    tn_shape *output = &call->outputs[0].shape;
    tn_shape fact = tn_shape_of_rank(4);
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    for (uint32_t i = 0; i < call->input_count; i++) {
        tn_shape *data = &call->inputs[i].shape;
        fact = tn_shape_of_rank(4);
        fact.extents[0] = output->extents[0];
        TN_TRY(tn_infer_shape(call->host, "an input", data, &fact));
        fact.extents[0] = data->extents[0];
        if (i == 0) {
            TN_TRY(scale_extents(call->host, data, attributes->scale, &fact));
        }
        TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
        TN_TRY(check_divides(call, i));
    }
    return infer_channels(call, attributes);
}

static tn_status infer(tn_infer_call *call) {
    const upsampling_attributes *attributes = call->attributes;
    TN_TRY(tn_infer_one_dtype(call));
    return attributes->sample_type == UPSAMPLING_BILINEAR ? infer_bilinear(call, attributes)
                                                          : infer_nearest(call, attributes);
}

const tn_op upsampling_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc =
        "Makes 4-D data (batch, channels, height, width) larger, by repeating its elements or by "
        "a deconvolution. Several inputs are brought to the same size and put together.",
    OP_ATTRIBUTES(fields, upsampling_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};
