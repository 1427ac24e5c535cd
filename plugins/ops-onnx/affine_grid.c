/* AffineGrid: where the places of an image come from when it is moved, turned and scaled. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct grid_attributes {
    int32_t align_corners;
} grid_attributes;

static const tn_attribute table[] = {
    TN_FIELD(grid_attributes, align_corners, BOOL, "False", NULL,
             "Whether -1 and 1 are the middles of the outermost elements, otherwise their edges."),
};

static const char *const input_names[] = {"theta", "size"};
static const char *const output_names[] = {"grid"};
static const uint32_t value_inputs[] = {1};

/* (batch, [depth,] height, width, axes) from the size (batch, channels, [depth,] height, width). */
static tn_status grid_shape(const tn_host *host, const integer_list *size, tn_shape *out_shape) {
    if (size->count < 4 || size->count > 5) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "size has %d values, expected 4 or 5",
                       (int)size->count);
    }
    tn_shape shape = tn_shape_of_rank(size->count);
    shape.extents[0] = size->values[0];
    for (int32_t i = 2; i < size->count; i++) {
        shape.extents[i - 1] = size->values[i];
    }
    shape.extents[size->count - 1] = size->count - 2;
    for (int32_t i = 0; i < shape.rank; i++) {
        if (shape.extents[i] < 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "size has a negative extent");
        }
    }
    *out_shape = shape;
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    integer_list size;
    tn_shape shape;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (call->input_values[1] == NULL) {
        return TN_OK;
    }
    TN_TRY(integers_of(call->host, "size", call->input_values[1], NULL, &size));
    TN_TRY(grid_shape(call->host, &size, &shape));
    const int64_t axes = size.count - 2, matrix[] = {size.values[0], axes, axes + 1};
    const tn_shape theta = tn_shape_of(3, matrix);
    TN_TRY(tn_infer_shape(call->host, "theta", &call->inputs[0].shape, &theta));
    return infer_output_shape(call, &shape);
}

const tn_op affine_grid_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each place of an image, in coordinates from -1 to 1 along each axis, the last axis "
           "first, where a matrix for each sample puts it.",
    OP_ATTRIBUTES(table, grid_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(value_inputs),
    .infer = infer,
};

static double coordinate(int64_t place, int64_t extent, int align_corners) {
    if (align_corners) {
        return extent > 1 ? -1 + 2 * (double)place / (double)(extent - 1) : -1;
    }
    return -1 + (2 * (double)place + 1) / (double)extent;
}

static tn_status run(const tn_run_call *call) {
    const grid_attributes *own = call->attributes;
    const tn_view *theta = call->inputs[0], *output = call->outputs[0];
    integer_list size;
    tn_shape shape;
    TN_TRY(integers_of(call->host, "size", call->inputs[1], NULL, &size));
    TN_TRY(grid_shape(call->host, &size, &shape));
    TN_TRY(check_planned_shape(call->host, output, &shape));
    const int32_t axes = shape.rank - 2;
    const int64_t places = tn_extent_product(shape.extents, 1, shape.rank - 1);
    for (int64_t i = 0; i < shape.extents[0] * places; i++) {
        const int64_t matrix = i / places * axes * (axes + 1);
        double from[4] = {0};
        int64_t rest = i % places;
        for (int32_t axis = axes - 1; axis >= 0; axis--) { /* the last axis comes first */
            const int64_t extent = shape.extents[1 + axis];
            from[axes - 1 - axis] = coordinate(rest % extent, extent, own->align_corners);
            rest /= extent;
        }
        from[axes] = 1;
        for (int32_t row = 0; row < axes; row++) {
            double sum = 0;
            for (int32_t k = 0; k <= axes; k++) {
                sum += from[k] *
                       number_at(theta->dtype, tn_data(theta), matrix + row * (axes + 1) + k);
            }
            write_number(output->dtype, tn_data(output), i * axes + row, sum);
        }
    }
    return TN_OK;
}

const tn_kernel affine_grid_kernel = {CPU_KERNEL("onnx.AffineGrid"),
                                      .supports = supports_floating_first_input, .run = run};
