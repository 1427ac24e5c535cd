/* Det: determinants of square matrices, by elimination in double. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

static const char *const input_names[] = {"X"};
static const char *const output_names[] = {"Y"};

static tn_status infer(tn_infer_call *call) {
    tn_shape result = call->inputs[0].shape;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (result.rank < 0) {
        return TN_OK;
    }
    if (result.rank < 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "X has no matrices");
    }
    TN_TRY(infer_same_extent(call->host, "rows and columns", &result.extents[result.rank - 2],
                             &result.extents[result.rank - 1]));
    result.rank -= 2;
    return infer_output_shape(call, &result);
}

const tn_op det_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The determinants of the square matrices along the last two axes.",
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

static tn_status prepare(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0];
    call->workspace_size =
        (uint64_t)tn_extent_product(data->shape, data->rank - 2, data->rank) * sizeof(double);
    return TN_OK;
}

/* Destroys the matrix of n rows. */
static double determinant(double *matrix, int64_t n) {
    double result = 1;
    for (int64_t column = 0; column < n; column++) {
        int64_t pivot = column;
        for (int64_t row = column + 1; row < n; row++) {
            pivot = fabs(matrix[row * n + column]) > fabs(matrix[pivot * n + column]) ? row : pivot;
        }
        const double leading = matrix[pivot * n + column];
        if (leading == 0) {
            return 0;
        }
        for (int64_t k = 0; k < n && pivot != column; k++) {
            const double kept = matrix[pivot * n + k];
            matrix[pivot * n + k] = matrix[column * n + k];
            matrix[column * n + k] = kept;
        }
        result *= pivot == column ? leading : -leading;
        for (int64_t row = column + 1; row < n; row++) {
            const double factor = matrix[row * n + column] / leading;
            for (int64_t k = column; k < n; k++) {
                matrix[row * n + k] -= factor * matrix[column * n + k];
            }
        }
    }
    return result;
}

static tn_status run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const int64_t n = data->shape[data->rank - 1];
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        read_doubles(data->dtype, tn_data(data), i * n * n, 1, n * n, call->workspace);
        write_number(output->dtype, tn_data(output), i, determinant(call->workspace, n));
    }
    return TN_OK;
}

const tn_kernel det_kernel = {CPU_KERNEL("onnx.Det"), .supports = supports_floating_first_input,
                              .prepare = prepare, .run = run};
