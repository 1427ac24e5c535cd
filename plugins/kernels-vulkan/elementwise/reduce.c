/* sum, mean, prod, nansum, nanprod, max, min and norm. */
#include "reduce.h"
#include "entries_elementwise.h"
#include "functions.h"

static const named_function functions[] = {
#define NAMED_FUNCTION(X, NAME, FOLD, FINISH) {#NAME, FOLD_##FOLD, FINISH_##FINISH},
    REDUCTION_NAMES(NAMED_FUNCTION, X)
#undef NAMED_FUNCTION
};

/* By the size of elements: floats on devices with float64 and without, integers. */
static const shader_code *const shaders[4][3] = {
    {NULL, NULL, &shader_reduce_1_whole},
    {&shader_reduce_2_double, &shader_reduce_2_pair, &shader_reduce_2_whole},
    {&shader_reduce_4_double, &shader_reduce_4_pair, &shader_reduce_4_whole},
    {NULL, NULL, &shader_reduce_8_whole},
};

typedef struct reduction_attributes {
    tn_ints axis;
    int32_t exclude;
    int64_t ord; /* norm */
} reduction_attributes;

static const tn_attribute fields[] = {
    TN_FIELD_OR_NONE(reduction_attributes, axis, INTS, "None", "[-32,31]", "The axes to reduce."),
    TN_FIELD(reduction_attributes, exclude, BOOL, "False", NULL, "Whether these are kept."),
};

static const tn_attribute norm_fields[] = {
    TN_FIELD_OR_NONE(reduction_attributes, axis, INTS, "None", "[-32,31]", "The axes to reduce."),
    TN_FIELD(reduction_attributes, ord, INT, "2", "[1,2]", "Which norm."),
};

/* No axes named: all of them. */
static fold_axes axes_of(const reduction_attributes *given, int32_t rank, const int64_t *extents) {
    unsigned char is_folded[TN_MAX_RANK];
    const int all = given->axis.count <= 0;
    memset(is_folded, all || given->exclude, sizeof is_folded);
    for (int64_t i = 0; i < given->axis.count; i++) {
        const int64_t axis = given->axis.values[i];
        is_folded[axis < 0 ? axis + rank : axis] = !given->exclude;
    }
    return fold_axes_of(rank, extents, is_folded);
}

static int32_t supports_reduction(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[0].shape;
    const fold_axes axes = axes_of(query->attributes, data->rank, data->extents);
    return supports_one_dtype(query) && fold_axes_fit(&axes);
}

static int32_t supports_norm(const tn_kernel_query *query) {
    return is_real(query->outputs[0].dtype) && supports_reduction(query);
}

tn_status prepare_fold(tn_prepare_call *call, const fold_axes *axes, uint32_t fold,
                       uint32_t finish) {
    const tn_view *data = call->inputs[0];
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, data->dtype, 1);
    const tn_device_limits *limits = program_limits(program);
    const uint32_t kind = !is_real(data->dtype) ? 2 : limits->has_f64 ? 0 : 1;
    if (kind == 2 && !limits->has_i64) {
        program_fail(program,
                     tn_fail(call->host, TN_UNSUPPORTED,
                             "%s: the device has no int64 to reduce integers in", call->op));
    }
    add_fold(program, call, axes,
             &(fold_work){
                 .shader = shaders[size_class(TN_DTYPE_SIZE(data->dtype))][kind],
                 .fold = fold,
                 .finish = finish,
                 .has_finish = 1,
                 .partial_size = 8,
             });
    return program_finish(program, call);
}

static fold_axes axes_in(const tn_prepare_call *call) {
    return axes_of(call->attributes, call->inputs[0]->rank, call->inputs[0]->shape);
}

static tn_status prepare_reduction(tn_prepare_call *call) {
    const named_function *function = find_function(functions, call->op);
    const fold_axes axes = axes_in(call);
    return prepare_fold(call, &axes, function->function, function->variant);
}

static tn_status prepare_norm(tn_prepare_call *call) {
    const reduction_attributes *given = call->attributes;
    const fold_axes axes = axes_in(call);
    return given->ord == 1 ? prepare_fold(call, &axes, FOLD_SUM_OF_MAGNITUDES, FINISH_NOTHING)
                           : prepare_fold(call, &axes, FOLD_SUM_OF_SQUARES, FINISH_SQUARE_ROOT);
}

#define DEFINE_KERNEL(X, NAME, FOLD, FINISH)                                                       \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_reduction, prepare_reduction),                                \
        KERNEL_ATTRIBUTES(fields, reduction_attributes),                                           \
    };
REDUCTION_NAMES(DEFINE_KERNEL, X)

const tn_kernel kernel_norm = {
    SPIRV_KERNEL("norm", supports_norm, prepare_norm),
    KERNEL_ATTRIBUTES(norm_fields, reduction_attributes),
};
