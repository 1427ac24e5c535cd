/* one_hot: each index as a vector with one element on. */
#include "extents.h"
#include "fill.h"
#include "indices.h"
#include "operator.h"
#include "operators.h"

/* Indices that are read at a time. */
#define INDICES_AT_ONCE 256

/* Indices that are worth handing to another thread. */
#define GRAIN_INDICES (16 * 1024)

typedef struct one_hot_attributes {
    int64_t depth;
    double on_value;
    double off_value;
    tn_dtype dtype;
} one_hot_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(one_hot_attributes, depth, INT, NULL, "[0,inf)", "The length of the vectors."),
    TN_FIELD(one_hot_attributes, on_value, FLOAT, "1", NULL, "The element at the index."),
    TN_FIELD(one_hot_attributes, off_value, FLOAT, "0", NULL, "All other elements."),
    TN_FIELD(one_hot_attributes, dtype, DTYPE, "float32", NULL, "The output's element type."),
};

static tn_status one_hot_infer(tn_infer_call *call) {
    const one_hot_attributes *given = call->attributes;
    tn_shape *indices = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, given->dtype));
    if (output->rank > 0) {
        const tn_shape fact = extents_without_axis(output, output->rank - 1);
        TN_TRY(tn_infer_shape(call->host, "indices", indices, &fact));
    }
    if (indices->rank < 0) {
        return TN_OK;
    }
    tn_shape fact = *indices;
    TN_TRY(extents_append(call->host, &fact, given->depth));
    return tn_infer_shape(call->host, "output", output, &fact);
}

typedef struct one_hot_job {
    const tn_view *indices;
    char *target;
    int64_t depth;
    size_t element_size;
    unsigned char on[8];
} one_hot_job;

/* Turns on one element of each vector; an index beyond it turns on none. */
static void turn_on(void *context, int64_t begin, int64_t end) {
    const one_hot_job *job = context;
    const int64_t element_size = (int64_t)job->element_size;
    int64_t indices[INDICES_AT_ONCE];
    for (int64_t first = begin; first < end; first += INDICES_AT_ONCE) {
        const int64_t last = end - first < INDICES_AT_ONCE ? end : first + INDICES_AT_ONCE;
        indices_read(job->indices, first, last, indices);
        for (int64_t i = first; i < last; i++) {
            const int64_t index = indices[i - first];
            if (index >= 0 && index < job->depth) {
                memcpy(job->target + (i * job->depth + index) * element_size, job->on,
                       job->element_size);
            }
        }
    }
}

tn_status one_hot_run(const tn_run_call *call) {
    const one_hot_attributes *given = call->attributes;
    const tn_view *output = call->outputs[0];
    unsigned char off[8];
    one_hot_job job = {
        call->inputs[0], tn_data(output), given->depth, TN_DTYPE_SIZE(output->dtype), {0}};
    element_from_double(output->dtype, given->off_value, off);
    element_from_double(output->dtype, given->on_value, job.on);
    fill_elements(call->host, job.target, tn_element_count(output), off, job.element_size);
    tn_parallel_for(call->host, tn_element_count(job.indices), GRAIN_INDICES, turn_on, &job);
    return TN_OK;
}

static const char *const input_names[] = {"indices"};

const tn_op one_hot_op = {
    .struct_size = TN_OP_SIZE,
    .doc =
        "For each index a vector, along a new last axis, with one value at the index and another "
        "everywhere else. An index beyond the vector sets none.",
    OP_ATTRIBUTES(attribute_table, one_hot_attributes),
    OP_INPUTS(input_names),
    .infer = one_hot_infer,
    .gradient = gradient_none,
};
