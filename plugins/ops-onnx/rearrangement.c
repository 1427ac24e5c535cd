/* DepthToSpace, SpaceToDepth, Trilu, ReverseSequence and CenterCropPad: the input's elements at
 * other places. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"
#include "strided_copy.h"

static const char *const input_names[] = {"input"};
static const char *const output_names[] = {"output"};

/* DepthToSpace and SpaceToDepth */

enum { MODE_DCR, MODE_CRD };

typedef struct block_attributes {
    int64_t blocksize;
    int32_t mode;
} block_attributes;

static const tn_attribute depth_table[] = {
    TN_FIELD(block_attributes, blocksize, INT, NULL, "[1,65535]", "Height and width of a block."),
    TN_FIELD_CHOICE(block_attributes, mode, "DCR", "DCR|CRD",
                    "Whether the channels count the elements of a block outermost (DCR) or "
                    "innermost (CRD)."),
};
static const tn_attribute space_table[] = {
    TN_FIELD(block_attributes, blocksize, INT, NULL, "[1,65535]", "Height and width of a block."),
};

static tn_status infer_blocks(tn_infer_call *call, int to_space) {
    const block_attributes *own = call->attributes;
    const tn_shape picture = tn_shape_of_rank(4);
    const int64_t size = own->blocksize, area = size * size;
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(tn_infer_shape(call->host, "the input", &call->inputs[0].shape, &picture));
    tn_shape result = call->inputs[0].shape;
    for (int32_t i = 1; i < 4; i++) {
        const int grows = (i == 1) != to_space;
        const int64_t factor = i == 1 ? area : size;
        int64_t *extent = &result.extents[i];
        if (!grows && *extent >= 0 && *extent % factor != 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "axis %d has extent %lld, which is not a multiple of %lld", (int)i,
                           (long long)*extent, (long long)factor);
        }
        if (grows) {
            TN_TRY(multiply_extents(call->host, *extent, factor, extent));
        } else if (*extent >= 0) {
            *extent /= factor;
        }
    }
    return infer_output_shape(call, &result);
}

static tn_status infer_depth_to_space(tn_infer_call *call) {
    return infer_blocks(call, 1);
}

static tn_status infer_space_to_depth(tn_infer_call *call) {
    return infer_blocks(call, 0);
}

const tn_op depth_to_space_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A picture (batch, channels, height, width) in which channels become blocks of pixels.",
    OP_ATTRIBUTES(depth_table, block_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer_depth_to_space,
};
const tn_op space_to_depth_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A picture in which blocks of pixels become channels: the inverse of DepthToSpace.",
    OP_ATTRIBUTES(space_table, block_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer_space_to_depth,
};

/* The axes batch, block row, block column, channel, row, column with the strides that they have in
 * the deep and in the wide tensor. */
static void plan_blocks(const block_attributes *own, int32_t mode, const tn_view *wide,
                        strided_copy *copy, int64_t *deep, int64_t *spread) {
    const int64_t size = own->blocksize, channels = wide->shape[1];
    const int64_t height = wide->shape[2] / size, width = wide->shape[3] / size;
    const int64_t area = height * width, row = wide->shape[3];
    const int64_t block = mode == MODE_DCR ? channels * area : area;
    const int64_t channel = mode == MODE_DCR ? area : size * size * area;
    const int64_t extents[] = {wide->shape[0], size, size, channels, height, width};
    const int64_t deep_strides[] = {
        channels * size * size * area, size * block, block, channel, width, 1};
    const int64_t wide_strides[] = {
        channels * wide->shape[2] * row, row, 1, wide->shape[2] * row, size * row, size};
    copy->rank = 6;
    copy->element_size = TN_DTYPE_SIZE(wide->dtype);
    memcpy(copy->extents, extents, sizeof extents);
    memcpy(deep, deep_strides, sizeof deep_strides);
    memcpy(spread, wide_strides, sizeof wide_strides);
}

static tn_status run_depth_to_space(const tn_run_call *call) {
    const block_attributes *own = call->attributes;
    strided_copy copy;
    plan_blocks(own, own->mode, call->outputs[0], &copy, copy.source_strides, copy.target_strides);
    strided_copy_run(call->host, &copy, tn_data(call->inputs[0]), tn_data(call->outputs[0]));
    return TN_OK;
}

static tn_status run_space_to_depth(const tn_run_call *call) {
    strided_copy copy;
    plan_blocks(call->attributes, MODE_DCR, call->inputs[0], &copy, copy.target_strides,
                copy.source_strides);
    strided_copy_run(call->host, &copy, tn_data(call->inputs[0]), tn_data(call->outputs[0]));
    return TN_OK;
}

const tn_kernel depth_to_space_kernel = {
    CPU_KERNEL("onnx.DepthToSpace"), .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_depth_to_space};
const tn_kernel space_to_depth_kernel = {
    CPU_KERNEL("onnx.SpaceToDepth"), .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_space_to_depth};

/* Trilu */

typedef struct trilu_attributes {
    int32_t upper;
} trilu_attributes;

static const tn_attribute trilu_table[] = {
    TN_FIELD(trilu_attributes, upper, BOOL, "True", NULL,
             "Whether the part above the diagonal stays, otherwise the one below."),
};

static const char *const trilu_names[] = {"input", "k"};
static const uint32_t trilu_optional[] = {1};

static tn_status infer_trilu(tn_infer_call *call) {
    TN_TRY(infer_output_like(call, 0));
    if (call->inputs[0].shape.rank == 0 || call->inputs[0].shape.rank == 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the input has no two axes");
    }
    return TN_OK;
}

const tn_op trilu_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The matrices along the last two axes with zeros below, or above, diagonal number k.",
    OP_ATTRIBUTES(trilu_table, trilu_attributes),
    OP_INPUTS(trilu_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(trilu_optional),
    .infer = infer_trilu,
};

static tn_status run_trilu(const tn_run_call *call) {
    const trilu_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *diagonal = run_input(call, 1);
    const size_t size = TN_DTYPE_SIZE(data->dtype);
    const int64_t columns = data->shape[data->rank - 1], rows = data->shape[data->rank - 2];
    const int64_t lines = tn_extent_product(data->shape, 0, data->rank - 1);
    const int64_t given = diagonal == NULL || tn_element_count(diagonal) == 0
                              ? 0
                              : read_integer(diagonal->dtype, tn_data(diagonal), 0);
    const int64_t far = given < -rows ? -rows : given > columns ? columns : given;
    for (int64_t line = 0; line < lines; line++) {
        int64_t middle = line % rows + far + !own->upper; /* where the zeros end or begin */
        middle = middle < 0 ? 0 : middle > columns ? columns : middle;
        const int64_t begin = own->upper ? middle : 0, end = own->upper ? columns : middle;
        char *target = (char *)tn_data(call->outputs[0]) + (size_t)(line * columns) * size;
        const char *source = (const char *)tn_data(data) + (size_t)(line * columns) * size;
        memset(target, 0, (size_t)begin * size);
        memmove(target + (size_t)begin * size, source + (size_t)begin * size,
                (size_t)(end - begin) * size);
        memset(target + (size_t)end * size, 0, (size_t)(columns - end) * size);
    }
    return TN_OK;
}

const tn_kernel trilu_kernel = {CPU_KERNEL("onnx.Trilu"), .run = run_trilu};

/* ReverseSequence */

typedef struct reverse_attributes {
    int64_t batch_axis;
    int64_t time_axis;
} reverse_attributes;

static const tn_attribute reverse_table[] = {
    TN_FIELD(reverse_attributes, batch_axis, INT, "1", "[0,1]", "The axis of the samples."),
    TN_FIELD(reverse_attributes, time_axis, INT, "0", "[0,1]", "The axis of the steps."),
};

static const char *const reverse_names[] = {"input", "sequence_lens"};

static tn_status infer_reverse(tn_infer_call *call) {
    const reverse_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(infer_output_like(call, 0));
    if (own->batch_axis == own->time_axis || data->rank == 0 || data->rank == 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "batch_axis and time_axis are not the two axes at the front");
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    const tn_shape lengths = tn_shape_of(1, &data->extents[own->batch_axis]);
    return tn_infer_shape(call->host, "sequence_lens", &call->inputs[1].shape, &lengths);
}

const tn_op reverse_sequence_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with the first steps of each sample, as many as its length says, in the "
           "opposite order.",
    OP_ATTRIBUTES(reverse_table, reverse_attributes),
    OP_INPUTS(reverse_names),
    OP_OUTPUTS(output_names),
    .infer = infer_reverse,
};

static tn_status run_reverse(const tn_run_call *call) {
    const reverse_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *lengths = call->inputs[1];
    const size_t row =
        (size_t)tn_extent_product(data->shape, 2, data->rank) * TN_DTYPE_SIZE(data->dtype);
    const int64_t steps = data->shape[own->time_axis], samples = data->shape[own->batch_axis];
    const int64_t time_stride = own->time_axis == 0 ? samples : 1;
    const int64_t batch_stride = own->time_axis == 0 ? 1 : steps;
    for (int64_t sample = 0; sample < samples; sample++) {
        const int64_t length = read_integer(lengths->dtype, tn_data(lengths), sample);
        if (length < 0 || length > steps) {
            return tn_fail(call->host, TN_OUT_OF_RANGE, "sequence_lens has %lld for %lld steps",
                           (long long)length, (long long)steps);
        }
        for (int64_t step = 0; step < steps; step++) {
            const int64_t from = step < length ? length - 1 - step : step;
            memcpy((char *)tn_data(call->outputs[0]) +
                       (size_t)(step * time_stride + sample * batch_stride) * row,
                   (const char *)tn_data(data) +
                       (size_t)(from * time_stride + sample * batch_stride) * row,
                   row);
        }
    }
    return TN_OK;
}

const tn_kernel reverse_sequence_kernel = {CPU_KERNEL("onnx.ReverseSequence"),
                                           .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_reverse};

/* CenterCropPad */

typedef struct center_attributes {
    tn_ints axes;
} center_attributes;

static const tn_attribute center_table[] = {
    TN_FIELD_OR_NONE(center_attributes, axes, INTS, "None", "[-32,31]",
                     "The axes that the extents are of; None: all."),
};

static const char *const center_names[] = {"input_data", "shape"};
static const uint32_t center_values[] = {1};

static tn_status center_shape(const tn_host *host, const center_attributes *own,
                              const tn_shape *data, const tn_view *view, tn_shape *out_shape) {
    integer_list axes, extents;
    TN_TRY(integers_of(host, "axes", NULL, &own->axes, &axes));
    TN_TRY(integers_of(host, "shape", view, NULL, &extents));
    TN_TRY(resolve_axes(host, &axes, data->rank));
    if (extents.count != (own->axes.count < 0 ? data->rank : axes.count)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "shape has %d extents for %d axes",
                       (int)extents.count, (int)axes.count);
    }
    *out_shape = *data;
    for (int32_t i = 0; i < extents.count; i++) {
        if (extents.values[i] < 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "an extent is %lld",
                           (long long)extents.values[i]);
        }
        out_shape->extents[own->axes.count < 0 ? i : axes.values[i]] = extents.values[i];
    }
    return TN_OK;
}

static tn_status infer_center(tn_infer_call *call) {
    tn_shape result = tn_shape_of_rank(call->inputs[0].shape.rank);
    TN_TRY(infer_output_dtype_like(call, 0));
    if (result.rank >= 0 && call->input_values[1] != NULL) {
        TN_TRY(center_shape(call->host, call->attributes, &call->inputs[0].shape,
                            call->input_values[1], &result));
    }
    return infer_output_shape(call, &result);
}

const tn_op center_crop_pad_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The middle of the input, or the input in the middle of zeros, along each axis.",
    OP_ATTRIBUTES(center_table, center_attributes),
    OP_INPUTS(center_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(center_values),
    .infer = infer_center,
};

static tn_status run_center(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const tn_shape shape = shape_of_view(data);
    tn_shape result;
    strided_copy copy;
    TN_TRY(center_shape(call->host, call->attributes, &shape, call->inputs[1], &result));
    TN_TRY(check_planned_shape(call->host, output, &result));
    strided_copy_begin(&copy, output);
    row_major_strides(data->rank, data->shape, copy.source_strides);
    const char *source = tn_data(data);
    char *target = tn_data(output);
    for (int32_t i = 0; i < data->rank; i++) {
        const int64_t more = output->shape[i] - data->shape[i];
        const int64_t front = (more < 0 ? -more : more) / 2;
        const int64_t size = (int64_t)copy.element_size;
        copy.extents[i] = more < 0 ? output->shape[i] : data->shape[i];
        source += more < 0 ? front * copy.source_strides[i] * size : 0;
        target += more > 0 ? front * copy.target_strides[i] * size : 0;
    }
    fill_tensor(output, NULL);
    strided_copy_run(call->host, &copy, source, target);
    return TN_OK;
}

const tn_kernel center_crop_pad_kernel = {CPU_KERNEL("onnx.CenterCropPad"),
                                          .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_center};
