/* cumsum: running sums along an axis. */
#include "extents.h"
#include "operator.h"
#include "operators.h"

/* Elements that are worth handing to another thread. */
#define GRAIN_ELEMENTS (32 * 1024)

typedef struct cumsum_attributes {
    int64_t axis;
    tn_dtype dtype;
} cumsum_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD_OR_NONE(cumsum_attributes, axis, INT, "None", "[-32,31]",
                     "The axis to sum along; None: the input is made one axis first."),
    TN_FIELD_OR_NONE(cumsum_attributes, dtype, DTYPE, "None", NULL,
                     "The element type of the sums; None: the input's."),
};

static tn_status cumsum_infer(tn_infer_call *call) {
    const cumsum_attributes *given = call->attributes;
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    int32_t axis = 0;
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype,
                          given->dtype != 0 ? given->dtype : data->dtype));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    tn_shape fact = data->shape;
    if (given->axis == TN_NONE) {
        fact = tn_shape_of_rank(1);
        TN_TRY(extents_multiply(call->host, &data->shape, 0, data->shape.rank, &fact.extents[0]));
    } else {
        TN_TRY(tn_resolve_axis(call->host, given->axis, data->shape.rank, &axis));
    }
    return tn_infer_shape(call->host, "output", &output->shape, &fact);
}

/* Sums are made in the input's own type; another one is asked of a Cast. */
int32_t cumsum_supports(const tn_kernel_query *query) {
    return query->inputs[0].dtype == query->outputs[0].dtype && query->inputs[0].dtype != TN_BOOL;
}

/* Lines along the axis: element i of line (outer, inner) is (outer * extent + i) * side + inner. */
typedef struct cumsum_job {
    const tn_view *data;
    const tn_view *output;
    int64_t extent;
    int64_t side;
} cumsum_job;

#define SUM_LINES(TYPE, SUM, LOAD, STORE)                                                          \
    do {                                                                                           \
        const TYPE *source = tn_data(job->data);                                                   \
        TYPE *target = tn_data(job->output);                                                       \
        for (int64_t line = begin; line < end; line++) {                                           \
            int64_t at = line / job->side * job->extent * job->side + line % job->side;            \
            SUM sum = 0;                                                                           \
            for (int64_t i = 0; i < job->extent; i++, at += job->side) {                           \
                sum += LOAD(source[at]);                                                           \
                target[at] = STORE(sum);                                                           \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define SAME(value) (value)
#define TO_UNSIGNED(value) ((uint64_t)(value))
#define TO_8(sum) ((uint8_t)(sum))
#define TO_16(sum) ((uint16_t)(sum))
#define TO_32(sum) ((uint32_t)(sum))

/* Integers of one width have the same sums, signed or not. */
static void sum_range(void *context, int64_t begin, int64_t end) {
    const cumsum_job *job = context;
    switch (job->data->dtype) {
    case TN_F32: SUM_LINES(float, float, SAME, SAME); break;
    case TN_F64: SUM_LINES(double, double, SAME, SAME); break;
    case TN_F16: SUM_LINES(uint16_t, float, tn_float_from_f16, tn_f16_from_float); break;
    case TN_BF16: SUM_LINES(uint16_t, float, tn_float_from_bf16, tn_bf16_from_float); break;
    case TN_I8:
    case TN_U8: SUM_LINES(uint8_t, uint64_t, TO_UNSIGNED, TO_8); break;
    case TN_I16:
    case TN_U16: SUM_LINES(uint16_t, uint64_t, TO_UNSIGNED, TO_16); break;
    case TN_I32:
    case TN_U32: SUM_LINES(uint32_t, uint64_t, TO_UNSIGNED, TO_32); break;
    default: SUM_LINES(uint64_t, uint64_t, SAME, SAME); break;
    }
}

tn_status cumsum_run(const tn_run_call *call) {
    const cumsum_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    cumsum_job job = {data, call->outputs[0], tn_element_count(data), 1};
    int32_t axis = 0;
    if (job.extent == 0) {
        return TN_OK;
    }
    if (given->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(call->host, given->axis, data->rank, &axis));
        job.extent = data->shape[axis];
        job.side = tn_extent_product(data->shape, axis + 1, data->rank);
    }
    tn_parallel_for(call->host, tn_element_count(data) / job.extent,
                    GRAIN_ELEMENTS / job.extent + 1, sum_range, &job);
    return TN_OK;
}

static const char *const input_names[] = {"a"};

const tn_op cumsum_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The running sums along an axis: each element plus all before it.",
    OP_ATTRIBUTES(attribute_table, cumsum_attributes),
    OP_INPUTS(input_names),
    .infer = cumsum_infer,
};
