/* Convolution and Deconvolution. */
#include "convolution.h"

#include "entries_dense.h"

static const tn_attribute convolution_fields[] = {
    CONVOLUTION_FIELDS,
    CONVOLUTION_AUTO_PAD_FIELD,
};

static const tn_attribute deconvolution_fields[] = {
    CONVOLUTION_FIELDS,
    TN_FIELD(convolution_attributes, target_shape, INTS, "()", "[0,2147483647]",
             "The output's spatial extents, which pad then follows from."),
};

static convolution described_by(const convolution_attributes *given, int is_backwards) {
    return convolution_of(&given->kernel, &given->stride, &given->dilate, &given->pad,
                          given->num_group, is_backwards);
}

/* Shaders compute places in the padded data with 31 bits. */
static int fits_places(const convolution *described, const tn_shape *data, const tn_shape *output) {
    for (int32_t i = 0; i < described->rank; i++) {
        const convolution_axis *axis = &described->axes[SPATIAL_AXES - described->rank + i];
        int64_t reach = axis->kernel * axis->dilate; /* both are below 2^31 */
        const int64_t extent = larger(data->extents[2 + i], output->extents[2 + i]);
        if (reach > INT32_MAX / 4 || axis->pad > INT32_MAX / 4 ||
            (extent + 1) * axis->stride > INT32_MAX / 4) {
            return 0;
        }
    }
    return 1;
}

static int32_t supports(const tn_kernel_query *query, int is_backwards) {
    const convolution described = described_by(query->attributes, is_backwards);
    const tn_shape *weight = &query->inputs[1].shape;
    int64_t terms = query->inputs[0].shape.extents[1] / described.groups;
    for (int32_t axis = 2; axis < weight->rank; axis++) {
        terms *= weight->extents[axis];
    }
    return supports_sizes(query) && terms <= 8 * (int64_t)PROGRAM_MAX_LOOPS &&
           fits_places(&described, &query->inputs[0].shape, &query->outputs[0].shape);
}

int32_t supports_convolution(const tn_kernel_query *query) {
    const convolution_attributes *given = query->attributes;
    return given->layout < SPATIAL_AXES && supports(query, 0);
}

static int32_t supports_deconvolution(const tn_kernel_query *query) {
    return supports(query, 1);
}

/* What makes a place for each stride, shared out to both sides. */
static void pad_same(convolution_axis *axis, int64_t extent, int64_t places, int is_upper) {
    const int64_t reach =
        larger(0, places - 1) * axis->stride + (axis->kernel - 1) * axis->dilate + 1;
    const int64_t padding = larger(0, reach - extent);
    axis->pad = is_upper ? padding / 2 : padding - padding / 2;
}

void add_attributed_convolution(device_program *program, const tn_prepare_call *call,
                                const product_finish *finish) {
    convolution described = described_by(call->attributes, 0);
    const convolution_attributes *given = call->attributes;
    for (int32_t i = 0; given->auto_pad != AUTO_PAD_NONE && i < described.rank; i++) {
        pad_same(&described.axes[SPATIAL_AXES - described.rank + i], call->inputs[0]->shape[2 + i],
                 call->outputs[0]->shape[2 + i], given->auto_pad == AUTO_PAD_SAME_UPPER);
    }
    described.finish = finish;
    add_convolution(program, call, &described);
}

static tn_status prepare_convolution(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_attributed_convolution(program, call, NULL);
    return program_finish(program, call);
}

/* MXNet writes zeros where it means that there is no target shape. */
static int has_target_shape(const convolution_attributes *given) {
    int found = 0;
    for (int64_t i = 0; i < given->target_shape.count; i++) {
        found = found || given->target_shape.values[i] != 0;
    }
    return found;
}

static tn_status prepare_deconvolution(tn_prepare_call *call) {
    const convolution_attributes *given = call->attributes;
    convolution described = described_by(given, 1);
    device_program *program;
    for (int32_t i = 0; i < described.rank && has_target_shape(given); i++) {
        convolution_axis *axis = &described.axes[SPATIAL_AXES - described.rank + i];
        const int64_t reach = (call->inputs[0]->shape[2 + i] - 1) * axis->stride +
                              (axis->kernel - 1) * axis->dilate + 1;
        axis->pad = divide_up(reach - given->target_shape.values[i], 2);
    }
    TN_TRY(program_create(call, &program));
    add_convolution(program, call, &described);
    return program_finish(program, call);
}

#define CONVOLUTION_KERNEL(NAME, SUPPORTS, PREPARE, FIELDS)                                        \
    {                                                                                              \
        SPIRV_KERNEL(NAME, SUPPORTS, PREPARE), FLOAT_DTYPES,                                       \
            KERNEL_ATTRIBUTES(FIELDS, convolution_attributes)                                      \
    }

const tn_kernel convolution_kernel = CONVOLUTION_KERNEL("Convolution", supports_convolution,
                                                        prepare_convolution, convolution_fields);
const tn_kernel convolution_v1_kernel = CONVOLUTION_KERNEL("Convolution_v1", supports_convolution,
                                                           prepare_convolution, convolution_fields);
const tn_kernel deconvolution_kernel = CONVOLUTION_KERNEL(
    "Deconvolution", supports_deconvolution, prepare_deconvolution, deconvolution_fields);
