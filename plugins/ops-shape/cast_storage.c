/* The operator cast_storage: the same elements, stored another way. */
#include "operator.h"
#include "operators.h"

typedef struct cast_storage_attributes {
    int32_t stype;
} cast_storage_attributes;

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(cast_storage_attributes, stype, NULL, "default|row_sparse|csr",
                    "How the output is stored: default stores all elements, row_sparse the rows "
                    "that are not zero, csr the elements of a matrix that are not zero."),
};

static const uint32_t storages[] = {TN_STORAGE_DENSE, TN_STORAGE_ROW_SPARSE, TN_STORAGE_CSR};

static tn_status cast_storage_infer(tn_infer_call *call) {
    const cast_storage_attributes *given = call->attributes;
    const uint32_t storage = storages[given->stype];
    const int is_csr = storage == TN_STORAGE_CSR;
    TN_TRY(tn_infer_elementwise(call));
    const int32_t rank = call->inputs[0].shape.rank;
    if ((is_csr && rank >= 0 && rank != 2) || (storage == TN_STORAGE_ROW_SPARSE && rank == 0)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "a tensor of rank %d cannot be stored as %s: expected rank %s", (int)rank,
                       tn_storage_name(storage), is_csr ? "2" : "1 or more");
    }
    return tn_infer_storage(call->host, "output", &call->outputs[0].storage, storage);
}

const tn_op cast_storage_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SPARSE,
    .doc = "The same elements, stored another way. Elements that are zero are left out where the "
           "storage allows it.",
    OP_ATTRIBUTES(table, cast_storage_attributes),
    OP_INPUTS(data_name),
    .infer = cast_storage_infer,
    .gradient = gradient_of_identity,
};
