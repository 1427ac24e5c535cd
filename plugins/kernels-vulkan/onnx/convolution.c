/* Conv and ConvTranspose of ONNX: padding may differ at both ends of an axis. What is behind the
 * data shows in the output's extents alone. */
#include "entries_onnx.h"
#include "window.h"

typedef struct conv_attributes {
    window_attributes window;
    int64_t group;
    tn_ints output_shape; /* ConvTranspose only */
    tn_ints output_padding;
} conv_attributes;

#define GROUP_FIELD TN_FIELD(conv_attributes, group, INT, "1", "[1,2147483647]", "The groups.")

static const tn_attribute convolution_table[] = {WINDOW_FIELDS(conv_attributes), GROUP_FIELD};
static const tn_attribute transposed_table[] = {
    WINDOW_FIELDS(conv_attributes),
    GROUP_FIELD,
    TN_FIELD(conv_attributes, output_shape, INTS, "()", "[0,2147483647]",
             "The output's spatial extents."),
    TN_FIELD(conv_attributes, output_padding, INTS, "()", "[0,2147483647]",
             "Added to the output's extents."),
};

/* What a transposed convolution leaves out in front: `whole` places are made, `extent` stay. */
static int64_t front_of(const conv_attributes *given, const window_axis *axis, int64_t places,
                        int64_t extent, int32_t index) {
    const int64_t adjust = window_listed(&given->output_padding, index, 0);
    const int64_t whole =
        (places - 1) * axis->stride + (axis->kernel - 1) * axis->dilation + 1 + adjust;
    const int64_t shared = larger(0, whole - extent);
    if (given->output_shape.count == 0 &&
        (given->window.auto_pad == WINDOW_PADS || given->window.auto_pad == WINDOW_VALID)) {
        return axis->pad;
    }
    return given->window.auto_pad == WINDOW_SAME_UPPER ? shared / 2 : shared - shared / 2;
}

static convolution described_by(const conv_attributes *given, int is_backwards,
                                const tn_shape *data, const tn_shape *weight,
                                const tn_shape *output, int32_t *out_fits) {
    const int32_t rank = data->rank - 2;
    convolution made = {.is_backwards = is_backwards, .rank = rank, .groups = given->group};
    *out_fits = rank >= 1 && rank <= SPATIAL_AXES;
    for (int32_t i = 0; i < SPATIAL_AXES; i++) {
        made.axes[i] = (convolution_axis){1, 1, 1, 0};
    }
    for (int32_t i = 0; i < rank && *out_fits; i++) {
        const int64_t from = data->extents[2 + i], to = output->extents[2 + i];
        window_axis axis = window_axis_of(&given->window, i, rank, weight->extents[2 + i], from);
        if (is_backwards) {
            axis.pad = front_of(given, &axis, from, to, i);
            axis.pad_behind = 0;
        }
        *out_fits = *out_fits && window_fits(&axis, from, to);
        made.axes[SPATIAL_AXES - rank + i] =
            (convolution_axis){axis.kernel, axis.stride, axis.dilation, axis.pad};
    }
    return made;
}

static int32_t supports(const tn_kernel_query *query, int is_backwards) {
    const tn_shape *data = &query->inputs[0].shape, *weight = &query->inputs[1].shape;
    const conv_attributes *given = query->attributes;
    int32_t fits;
    int64_t terms = data->extents[1] / given->group;
    for (int32_t axis = 2; axis < weight->rank; axis++) {
        terms *= weight->extents[axis];
    }
    if (!supports_sizes(query) || terms > 8 * (int64_t)PROGRAM_MAX_LOOPS) {
        return 0;
    }
    described_by(given, is_backwards, data, weight, &query->outputs[0].shape, &fits);
    return fits;
}

static int32_t supports_conv(const tn_kernel_query *query) {
    return supports(query, 0);
}

static int32_t supports_transposed(const tn_kernel_query *query) {
    return supports(query, 1);
}

static tn_status prepare(tn_prepare_call *call, int is_backwards) {
    const tn_shape data = tn_shape_of(call->inputs[0]->rank, call->inputs[0]->shape);
    const tn_shape weight = tn_shape_of(call->inputs[1]->rank, call->inputs[1]->shape);
    const tn_shape output = tn_shape_of(call->outputs[0]->rank, call->outputs[0]->shape);
    int32_t fits;
    const convolution described =
        described_by(call->attributes, is_backwards, &data, &weight, &output, &fits);
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_convolution(program, call, &described);
    return program_finish(program, call);
}

static tn_status prepare_conv(tn_prepare_call *call) {
    return prepare(call, 0);
}

static tn_status prepare_transposed(tn_prepare_call *call) {
    return prepare(call, 1);
}

const tn_kernel onnx_conv_kernel = {
    SPIRV_KERNEL("onnx.Conv", supports_conv, prepare_conv),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(convolution_table, conv_attributes),
};
const tn_kernel onnx_conv_transpose_kernel = {
    SPIRV_KERNEL("onnx.ConvTranspose", supports_transposed, prepare_transposed),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(transposed_table, conv_attributes),
};
