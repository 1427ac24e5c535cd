/* Reductions of ONNX, whose axes are an attribute or an input, and ArgMax and ArgMin. */
#include "elementwise/fold.h"
#include "elementwise/functions.h"
#include "elementwise/reduce.h"
#include "entries_onnx.h"
#include "lists.h"

typedef struct reduction {
    uint32_t fold;
    uint32_t finish;
} reduction;

typedef struct reduction_attributes {
    tn_ints axes;
    int32_t noop_with_empty_axes;
} reduction_attributes;

static const tn_attribute reduction_table[] = {
    TN_FIELD_OR_NONE(reduction_attributes, axes, INTS, "None", "[-32,31]", "The axes to reduce."),
    TN_FIELD(reduction_attributes, noop_with_empty_axes, BOOL, "False", NULL,
             "Whether without axes none is reduced."),
};

static fold_axes axes_of(const reduction_attributes *given, const known_list *axes, int32_t rank,
                         const int64_t *extents) {
    unsigned char is_folded[TN_MAX_RANK];
    memset(is_folded, axes->count == 0 && !given->noop_with_empty_axes, sizeof is_folded);
    for (int32_t i = 0; i < axes->count; i++) {
        is_folded[axes->values[i] < 0 ? axes->values[i] + rank : axes->values[i]] = 1;
    }
    return fold_axes_of(rank, extents, is_folded);
}

/* Functions of real numbers alone round differently for integers. */
static int takes_integers(const reduction *own) {
    return own->finish != FINISH_SQUARE_ROOT && own->finish != FINISH_LOGARITHM &&
           own->fold < FOLD_SUM_OF_MAGNITUDES;
}

/* The greatest or least of no integers is an end of their dtype, where shaders reduce in int64. */
static int is_end_of_dtype(const reduction *own, const tn_tensor_type *data) {
    return (own->fold == FOLD_GREATEST || own->fold == FOLD_LEAST) && !is_real(data->dtype) &&
           tn_shape_is_known(&data->shape) &&
           tn_extent_product(data->shape.extents, 0, data->shape.rank) == 0;
}

static int32_t supports_reduction(const tn_kernel_query *query) {
    const reduction *own = query->kernel->context;
    const reduction_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    const known_list axes = list_in_query(query, 1, &given->axes);
    if (!axes.is_known || query->inputs[0].dtype != query->outputs[0].dtype ||
        element_code(query->outputs[0].dtype) == ELEMENT_NONE || !supports_sizes(query) ||
        !(is_real(query->outputs[0].dtype) || takes_integers(own)) ||
        is_end_of_dtype(own, &query->inputs[0])) {
        return 0;
    }
    const fold_axes folded = axes_of(given, &axes, data->rank, data->extents);
    return fold_axes_fit(&folded);
}

static tn_status prepare_reduction(tn_prepare_call *call) {
    const reduction *own = call->kernel->context;
    const reduction_attributes *given = call->attributes;
    const known_list axes = list_in_call(call, 1, &given->axes);
    const fold_axes folded = axes_of(given, &axes, call->inputs[0]->rank, call->inputs[0]->shape);
    return prepare_fold(call, &folded, own->fold, own->finish);
}

#define REDUCTION(KERNEL, NAME, FOLD, FINISH)                                                      \
    const tn_kernel onnx_##KERNEL##_kernel = {                                                     \
        SPIRV_KERNEL("onnx." NAME, supports_reduction, prepare_reduction),                         \
        .context = &(const reduction){FOLD_##FOLD, FINISH_##FINISH},                               \
        KERNEL_ATTRIBUTES(reduction_table, reduction_attributes),                                  \
    };
REDUCTION(reduce_sum, "ReduceSum", SUM, NOTHING)
REDUCTION(reduce_mean, "ReduceMean", SUM, MEAN)
REDUCTION(reduce_prod, "ReduceProd", PRODUCT, NOTHING)
REDUCTION(reduce_max, "ReduceMax", GREATEST, NOTHING)
REDUCTION(reduce_min, "ReduceMin", LEAST, NOTHING)
REDUCTION(reduce_l1, "ReduceL1", SUM_OF_MAGNITUDES, NOTHING)
REDUCTION(reduce_l2, "ReduceL2", SUM_OF_SQUARES, SQUARE_ROOT)
REDUCTION(reduce_sum_square, "ReduceSumSquare", SUM_OF_SQUARES, NOTHING)
REDUCTION(reduce_log_sum, "ReduceLogSum", SUM, LOGARITHM)

/* ArgMax and ArgMin */

enum { FIND_GREATEST, FIND_LEAST };

static sized_shaders find_shaders = SHADERS_TO_8(find_index);

typedef struct arg_attributes {
    int64_t axis;
    int32_t select_last_index;
} arg_attributes;

static const tn_attribute arg_table[] = {
    TN_FIELD(arg_attributes, axis, INT, "0", "[-32,31]", "The axis to look along."),
    TN_FIELD(arg_attributes, select_last_index, BOOL, "False", NULL,
             "Whether the last of equal elements counts."),
};

static int32_t supports_arg(const tn_kernel_query *query) {
    return element_code(query->inputs[0].dtype) != ELEMENT_NONE && supports_sizes(query);
}

static tn_status prepare_arg(tn_prepare_call *call, uint32_t which) {
    const arg_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    unsigned char is_folded[TN_MAX_RANK] = {0};
    is_folded[given->axis < 0 ? given->axis + data->rank : given->axis] = 1;
    const fold_axes axes = fold_axes_of(data->rank, data->shape, is_folded);
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, data->dtype, 1);
    add_fold(program, call, &axes,
             &(fold_work){
                 .shader = sized_shader(find_shaders, data->dtype),
                 .fold = which,
                 .finish = (uint32_t)given->select_last_index,
                 .has_finish = 1,
                 .partial_size = 16,
             });
    return program_finish(program, call);
}

static tn_status prepare_arg_max(tn_prepare_call *call) {
    return prepare_arg(call, FIND_GREATEST);
}

static tn_status prepare_arg_min(tn_prepare_call *call) {
    return prepare_arg(call, FIND_LEAST);
}

const tn_kernel onnx_arg_max_kernel = {
    SPIRV_KERNEL("onnx.ArgMax", supports_arg, prepare_arg_max),
    KERNEL_ATTRIBUTES(arg_table, arg_attributes),
};
const tn_kernel onnx_arg_min_kernel = {
    SPIRV_KERNEL("onnx.ArgMin", supports_arg, prepare_arg_min),
    KERNEL_ATTRIBUTES(arg_table, arg_attributes),
};
