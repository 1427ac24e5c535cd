/* _eye: a matrix with ones on a diagonal. */
#include "fill.h"
#include "operator.h"
#include "operators.h"

typedef struct eye_attributes {
    int64_t rows;
    int64_t columns;
    int64_t k;
    const char *ctx;
    tn_dtype dtype;
} eye_attributes;

static const tn_attribute attribute_table[] = {
    {"N", TN_ATTRIBUTE_INT, 0, offsetof(eye_attributes, rows), NULL, NULL, "[0,inf)",
     "How many rows."},
    {"M", TN_ATTRIBUTE_INT, 0, offsetof(eye_attributes, columns), "0", NULL, NULL,
     "How many columns; below 1: as many as rows."},
    TN_FIELD(eye_attributes, k, INT, "0", NULL,
             "Which diagonal: 0 is the main one, above it they are positive, below it negative."),
    UNUSED_TEXT(eye_attributes, ctx),
    TN_FIELD(eye_attributes, dtype, DTYPE, "float32", NULL, "The output's element type."),
};

static tn_status eye_infer(tn_infer_call *call) {
    const eye_attributes *given = call->attributes;
    const int64_t columns = given->columns > 0 ? given->columns : given->rows;
    const tn_shape fact = tn_shape_of(2, (const int64_t[]){given->rows, columns});
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, given->dtype));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

tn_status eye_run(const tn_run_call *call) {
    const eye_attributes *given = call->attributes;
    const tn_view *output = call->outputs[0];
    const int64_t rows = output->shape[0], columns = output->shape[1];
    const size_t size = TN_DTYPE_SIZE(output->dtype);
    char *target = tn_data(output);
    unsigned char one[8];
    const uint64_t zero = 0;
    element_from_double(output->dtype, 1.0, one);
    fill_elements(call->host, target, rows * columns, &zero, size);
    if (given->k <= -rows || given->k >= columns) {
        return TN_OK; /* that diagonal lies beside the matrix */
    }
    int64_t column = given->k > 0 ? given->k : 0;
    for (int64_t row = column - given->k; row < rows && column < columns; row++, column++) {
        memcpy(target + (size_t)(row * columns + column) * size, one, size);
    }
    return TN_OK;
}

const tn_op eye_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A matrix of zeros with ones on one diagonal.",
    OP_ATTRIBUTES(attribute_table, eye_attributes),
    OP_OUTPUT,
    .infer = eye_infer,
};
