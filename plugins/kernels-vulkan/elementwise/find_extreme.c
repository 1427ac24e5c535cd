/* argmax, argmin and argmax_channel. */
#include "entries_elementwise.h"
#include "fold.h"
#include "functions.h"

enum { FIND_GREATEST, FIND_LEAST };

static sized_shaders shaders = SHADERS_TO_8(find_extreme);

typedef struct find_attributes {
    int64_t axis;
} find_attributes;

static const tn_attribute fields[] = {
    TN_FIELD_OR_NONE(find_attributes, axis, INT, "None", "[-32,31]", "The axis to search along."),
};

/* TN_NONE: all axes, as if they were one. */
static fold_axes axes_of(int64_t axis, int32_t rank, const int64_t *extents) {
    unsigned char is_folded[TN_MAX_RANK];
    memset(is_folded, axis == TN_NONE, sizeof is_folded);
    if (axis != TN_NONE) {
        is_folded[axis < 0 ? axis + rank : axis] = 1;
    }
    return fold_axes_of(rank, extents, is_folded);
}

static tn_status prepare_find(tn_prepare_call *call, uint32_t which, int64_t axis) {
    const tn_view *data = call->inputs[0];
    const fold_axes axes = axes_of(axis, data->rank, data->shape);
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, data->dtype, 1);
    add_fold(program, call, &axes,
             &(fold_work){
                 .shader = sized_shader(shaders, data->dtype),
                 .fold = which,
                 .partial_size = 16,
             });
    return program_finish(program, call);
}

static tn_status prepare_argmax(tn_prepare_call *call) {
    const find_attributes *given = call->attributes;
    return prepare_find(call, FIND_GREATEST, given->axis);
}

static tn_status prepare_argmin(tn_prepare_call *call) {
    const find_attributes *given = call->attributes;
    return prepare_find(call, FIND_LEAST, given->axis);
}

static tn_status prepare_argmax_channel(tn_prepare_call *call) {
    return prepare_find(call, FIND_GREATEST, 1);
}

const tn_kernel kernel_argmax = {
    SPIRV_KERNEL("argmax", supports_one_dtype, prepare_argmax),
    KERNEL_ATTRIBUTES(fields, find_attributes),
};

const tn_kernel kernel_argmin = {
    SPIRV_KERNEL("argmin", supports_one_dtype, prepare_argmin),
    KERNEL_ATTRIBUTES(fields, find_attributes),
};

const tn_kernel kernel_argmax_channel = {
    SPIRV_KERNEL("argmax_channel", supports_one_dtype, prepare_argmax_channel),
};
