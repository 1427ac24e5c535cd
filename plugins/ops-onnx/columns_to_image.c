/* Col2Im and MaxUnpool: what lies in columns or places goes back into an image. */
#include "convolution_shape.h"
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

static const char *const output_names[] = {"output"};

/* Col2Im */

static const tn_attribute table[] = {
    WINDOW_FIELD(convolution_attributes, dilations, INTS, "()", NULL, "[1,2147483647]",
                 "Distances between the elements of a block; ones when left out."),
    WINDOW_FIELD(convolution_attributes, pads, INTS, "()", NULL, "[0,2147483647]",
                 "Padding in front of every spatial axis of the image, then behind every one."),
    WINDOW_FIELD(convolution_attributes, strides, INTS, "()", NULL, "[1,2147483647]",
                 "Steps from block to block; ones when left out."),
};

static const char *const image_names[] = {"input", "image_shape", "block_shape"};
static const uint32_t image_values[] = {1, 2};

/* The window that the blocks are of; checks that the columns fit. */
static tn_status image_window(const tn_host *host, const convolution_attributes *own,
                              const tn_shape *columns, const tn_view *image, const tn_view *block,
                              sliding_window *out_window) {
    integer_list extents, kernel;
    TN_TRY(integers_of(host, "image_shape", image, NULL, &extents));
    TN_TRY(integers_of(host, "block_shape", block, NULL, &kernel));
    if (columns->rank != 3 || extents.count != kernel.count || extents.count < 1 ||
        extents.count > WINDOW_MAX_RANK) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "expected columns (batch, channels and block, blocks), and 1 to %d extents "
                       "of image and block",
                       WINDOW_MAX_RANK);
    }
    for (int32_t i = 0; i < extents.count; i++) {
        if (extents.values[i] < 0 || kernel.values[i] < 1 || kernel.values[i] > INT32_MAX) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "extent %d of image or block is not valid",
                           (int)i);
        }
    }
    TN_TRY(window_find(host, &own->window, extents.count, extents.values, kernel.values, 0,
                       out_window));
    const int64_t size = window_kernel_size(out_window), places = window_places(out_window);
    if ((columns->extents[1] >= 0 && columns->extents[1] % size != 0) ||
        (columns->extents[2] >= 0 && columns->extents[2] != places)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "columns of %lld rows and %lld columns do not fit blocks of %lld elements "
                       "at %lld places",
                       (long long)columns->extents[1], (long long)columns->extents[2],
                       (long long)size, (long long)places);
    }
    return TN_OK;
}

static tn_status image_shape(const tn_host *host, const tn_shape *columns,
                             const sliding_window *window, tn_shape *out_shape) {
    (void)host;
    *out_shape = tn_shape_of_rank(2 + window->rank);
    out_shape->extents[0] = columns->extents[0];
    out_shape->extents[1] =
        columns->extents[1] < 0 ? TN_UNKNOWN : columns->extents[1] / window_kernel_size(window);
    for (int32_t i = 0; i < window->rank; i++) {
        out_shape->extents[2 + i] = window->axes[i].extent;
    }
    return TN_OK;
}

static tn_status infer_image(tn_infer_call *call) {
    sliding_window window;
    tn_shape result;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (call->inputs[0].shape.rank < 0 || call->input_values[1] == NULL ||
        call->input_values[2] == NULL) {
        return TN_OK;
    }
    TN_TRY(image_window(call->host, call->attributes, &call->inputs[0].shape, call->input_values[1],
                        call->input_values[2], &window));
    TN_TRY(image_shape(call->host, &call->inputs[0].shape, &window, &result));
    return infer_output_shape(call, &result);
}

const tn_op col_to_im_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "An image from blocks of it that lie in columns; where blocks overlap, elements are "
           "added up.",
    OP_ATTRIBUTES(table, convolution_attributes),
    OP_INPUTS(image_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(image_values),
    .infer = infer_image,
};

static tn_status prepare_image(tn_prepare_call *call) {
    TN_TRY(add_workspace(call->host, tn_element_count(call->inputs[0]), 1, &call->workspace_size));
    return add_workspace(call->host, tn_element_count(call->outputs[0]), 1, &call->workspace_size);
}

static tn_status run_image(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const tn_shape columns = shape_of_view(data);
    sliding_window window;
    tn_shape result;
    TN_TRY(image_window(call->host, call->attributes, &columns, call->inputs[1], call->inputs[2],
                        &window));
    TN_TRY(image_shape(call->host, &columns, &window, &result));
    TN_TRY(check_planned_shape(call->host, output, &result));
    const int64_t count = tn_element_count(data), size = tn_element_count(output);
    double *values = call->workspace, *planes = values + count;
    read_doubles(data->dtype, tn_data(data), 0, 1, count, values);
    memset(planes, 0, (size_t)size * sizeof *planes);
    window_columns_add(call->host, &window, result.extents[0] * result.extents[1], values, planes);
    write_doubles(output->dtype, tn_data(output), 0, 1, size, planes);
    return TN_OK;
}

const tn_kernel col_to_im_kernel = {CPU_KERNEL("onnx.Col2Im"), .prepare = prepare_image,
                                    .run = run_image};

/* MaxUnpool */

typedef struct unpool_attributes {
    window_attributes window;
} unpool_attributes;

static const tn_attribute unpool_table[] = {
    WINDOW_FIELD(unpool_attributes, kernel_shape, INTS, NULL, NULL, "[1,2147483647]",
                 "The window's extents."),
    WINDOW_FIELD(unpool_attributes, pads, INTS, "()", NULL, "[0,2147483647]",
                 "Padding in front of every spatial axis, then behind every one."),
    WINDOW_FIELD(unpool_attributes, strides, INTS, "()", NULL, "[1,2147483647]",
                 "Steps of the window along each axis; ones when left out."),
};

static const char *const unpool_names[] = {"X", "I", "output_shape"};
static const uint32_t unpool_optional[] = {2};

/* The extents that the pooled data had when the window fitted exactly. */
static tn_status unpooled_shape(const tn_host *host, const unpool_attributes *own,
                                const tn_shape *data, tn_shape *out_shape) {
    const window_attributes *window = &own->window;
    int32_t rank = 0;
    TN_TRY(window_rank(host, data, &rank));
    if (window->kernel_shape.count != rank ||
        (window->strides.count > 0 && window->strides.count != rank) ||
        (window->pads.count > 0 && window->pads.count != 2 * rank)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the window does not have %d axes", (int)rank);
    }
    *out_shape = *data;
    for (int32_t i = 0; i < rank; i++) {
        const int64_t stride = window->strides.count > 0 ? window->strides.values[i] : 1;
        const int64_t pads =
            window->pads.count > 0 ? window->pads.values[i] + window->pads.values[rank + i] : 0;
        int64_t extent = 0;
        TN_TRY(multiply_extents(host, data->extents[2 + i] - 1, stride, &extent));
        extent += data->extents[2 + i] < 1 ? 0 : window->kernel_shape.values[i] - pads;
        out_shape->extents[2 + i] = data->extents[2 + i] < 0 ? TN_UNKNOWN : extent;
        if (data->extents[2 + i] > 0 && extent < 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "the padding is larger than the output");
        }
    }
    return TN_OK;
}

static tn_status infer_unpool(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape;
    const int has_shape = call->inputs[2].dtype != 0 || call->inputs[2].shape.rank >= 0;
    integer_list list;
    tn_shape result;
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(tn_infer_same_shape(call->host, "I", &call->inputs[1].shape, &call->inputs[0].shape));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(unpooled_shape(call->host, call->attributes, data, &result));
    if (!has_shape) {
        return infer_output_shape(call, &result);
    }
    TN_TRY(integers_of_input(call, "output_shape", 2, NULL, &list));
    result = tn_shape_of_rank(data->rank);
    for (int32_t i = 0; list.is_known && list.count == data->rank && i < list.count; i++) {
        if (list.values[i] < 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "output_shape has %lld",
                           (long long)list.values[i]);
        }
        result.extents[i] = list.values[i];
    }
    return infer_output_shape(call, &result);
}

const tn_op max_unpool_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Zeros, with the elements that MaxPool chose put back at the numbers that it gave.",
    OP_ATTRIBUTES(unpool_table, unpool_attributes),
    OP_INPUTS(unpool_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(unpool_optional),
    OP_VALUE_INPUTS(unpool_optional),
    .infer = infer_unpool,
};

/* The numbers are of the tensor that was pooled: with an output_shape of another extent they are
 * taken apart by its extents and put together by the output's. */
static tn_status run_unpool(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *indices = call->inputs[1], *output = call->outputs[0];
    const tn_shape shape = shape_of_view(data);
    const size_t size = TN_DTYPE_SIZE(data->dtype);
    tn_shape pooled;
    int64_t strides[TN_MAX_RANK];
    TN_TRY(unpooled_shape(call->host, call->attributes, &shape, &pooled));
    row_major_strides(output->rank, output->shape, strides);
    memset(tn_data(output), 0, tn_byte_size(output));
    for (int64_t i = 0; i < tn_element_count(data); i++) {
        const int64_t given = read_integer(indices->dtype, tn_data(indices), i);
        int64_t rest = given, target = 0;
        for (int32_t axis = pooled.rank - 1; axis >= 0; axis--) {
            const int64_t index = rest % pooled.extents[axis];
            if (rest < 0 || index >= output->shape[axis]) {
                rest = -1;
                break;
            }
            target += index * strides[axis];
            rest /= pooled.extents[axis];
        }
        if (rest != 0) {
            return tn_fail(call->host, TN_OUT_OF_RANGE, "index %lld is beyond the output",
                           (long long)given);
        }
        copy_element((char *)tn_data(output) + (size_t)target * size,
                     (const char *)tn_data(data) + (size_t)i * size, size);
    }
    return TN_OK;
}

const tn_kernel max_unpool_kernel = {CPU_KERNEL("onnx.MaxUnpool"), .run = run_unpool};
