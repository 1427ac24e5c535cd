/*
 * probe_rows: makes a sparse tensor of a dense matrix, rightly or with a fault of the kind that a
 * kernel can have.
 */
#include "probe_sparse.h"

typedef struct rows_attributes {
    int32_t stype;
    int32_t fault;
} rows_attributes;

enum { RIGHT, NEVER_ASKS, UNSORTED, OUTSIDE, TOO_MANY, ROW_STARTS, FAILS };

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(rows_attributes, stype, "row_sparse", "row_sparse|csr", "For the tests."),
    TN_FIELD_CHOICE(rows_attributes, fault, "right",
                    "right|never_asks|unsorted|outside|too_many|row_starts|fails",
                    "For the tests."),
};

static tn_status rows_infer(tn_infer_call *call) {
    const rows_attributes *given = call->attributes;
    TN_TRY(tn_infer_elementwise(call));
    TN_TRY(tn_infer_storage(call->host, "data", &call->inputs[0].storage, TN_STORAGE_DENSE));
    return tn_infer_storage(call->host, "output", &call->outputs[0].storage,
                            given->stype == 0 ? TN_STORAGE_ROW_SPARSE : TN_STORAGE_CSR);
}

static const char *const data_name[] = {"data"};
static const char *const output_name[] = {"output"};

const tn_op probe_rows_op = {.struct_size = TN_OP_SIZE,
                             .flags = TN_OP_SPARSE,
                             .doc = "For the tests.",
                             .attributes = table,
                             .attribute_count = 2,
                             .attribute_stride = TN_ATTRIBUTE_STRIDE,
                             .attributes_size = sizeof(rows_attributes),
                             .input_names = data_name,
                             .input_name_count = 1,
                             .output_names = output_name,
                             .output_name_count = 1,
                             .infer = rows_infer};

static int32_t rows_supports(const tn_kernel_query *query) {
    return query->outputs[0].storage != TN_STORAGE_DENSE;
}

/* All rows; of a CSR tensor the first column. */
static tn_status rows_run(const tn_run_call *call) {
    const rows_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const float *elements = tn_data(data);
    tn_sparse *target = tn_sparse_of(output);
    const int64_t rows = data->shape[0], columns = data->shape[1];
    const int64_t kept = given->stype == 0 ? columns : 1;
    if (given->fault == NEVER_ASKS) {
        return TN_OK;
    }
    /* More than is needed, and then less: what is written in between stays. */
    TN_TRY(tn_sparse_allocate(call->host, output,
                              given->fault == TOO_MANY ? rows * columns + 1 : rows));
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < kept; i++) {
            ((float *)target->values)[row * kept + i] = elements[row * columns + i];
        }
        target->indices[row] = given->stype == 0 ? row : 0;
        if (given->stype == 1) {
            target->row_starts[row + 1] = row + 1;
        }
    }
    TN_TRY(tn_sparse_allocate(call->host, output, rows));
    switch (given->fault) {
    case UNSORTED: target->indices[0] = 1; break;
    case OUTSIDE: target->indices[rows - 1] = INT64_MAX; break;
    case ROW_STARTS: target->row_starts[1] = rows + 1; break;
    case FAILS: return tn_fail(call->host, TN_UNSUPPORTED, "a fault of the probe");
    default: break;
    }
    return TN_OK;
}

const tn_kernel probe_rows_kernel = {.struct_size = TN_KERNEL_SIZE,
                                     .flags = TN_KERNEL_SPARSE,
                                     .op = "probe_rows",
                                     .target = "cpu",
                                     .supports = rows_supports,
                                     .run = rows_run};
