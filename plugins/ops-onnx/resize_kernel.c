/*
 * The kernel of Resize: elements are moved where each is one of the input, otherwise one axis is
 * resampled after the other, in float, or in double for integers and data in double.
 */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "operator.h"
#include "resize.h"
#include "shapes.h"

/* One axis: slices of `inner` elements, `axis.input` or `axis.output` of them in a row. */
typedef struct resize_pass {
    const resize_attributes *own;
    resized_axis axis;
    int64_t outer, inner;
    const void *source;
    void *target;
} resize_pass;

/* Elements of which one place of the output is made, and places, that are looked at together. */
enum { TAP_BLOCK = 16, ROW_BLOCK = 32 };

/* The elements of the axes from `begin` to `end`: the input's, or the output's. */
static int64_t extent_product(const resize_job *job, int32_t begin, int32_t end, int is_output) {
    int64_t product = 1;
    for (int32_t i = begin; i < end; i++) {
        product *= is_output ? job->axes[i].output : job->axes[i].input;
    }
    return product;
}

/* The largest tensor between two passes; prepare has seen that it fits. */
static int64_t largest_size(const resize_job *job) {
    int64_t size = 1;
    for (int32_t i = 0; i < job->rank; i++) {
        const resized_axis *axis = &job->axes[i];
        size *= axis->input > axis->output ? axis->input : axis->output;
    }
    return size;
}

#define REAL float
#define REAL_DTYPE TN_F32
#define REAL_NAME(base) base##_f32
#define READ_REALS read_floats
#define WRITE_REALS write_floats
#include "resize_template.h"
#undef REAL
#undef REAL_DTYPE
#undef REAL_NAME
#undef READ_REALS
#undef WRITE_REALS
#define REAL double
#define REAL_DTYPE TN_F64
#define REAL_NAME(base) base##_f64
#define READ_REALS read_doubles
#define WRITE_REALS write_doubles
#include "resize_template.h"

static int is_in_double(tn_dtype dtype) {
    return dtype == TN_F64 || !is_floating(dtype);
}

static tn_status prepare(tn_prepare_call *call) {
    const tn_view *data = call->inputs[RESIZE_DATA], *output = call->outputs[0];
    const uint64_t real = is_in_double(data->dtype) ? sizeof(double) : sizeof(float);
    uint64_t size = 1, places = 0;
    int is_too_large = 0;
    for (int32_t i = 0; i < data->rank; i++) {
        const int64_t input = data->shape[i], result = output->shape[i];
        is_too_large |= __builtin_mul_overflow(size, input > result ? input : result, &size);
        places += (uint64_t)result;
    }
    is_too_large |= __builtin_mul_overflow(size, 2 * real, &size) ||
                    __builtin_mul_overflow(places, sizeof(int64_t), &places);
    if (is_too_large) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "the workspace would be too large");
    }
    call->workspace_size = resize_moves(call->attributes) ? places : size;
    return TN_OK;
}

/* The axes in the order in which they lie in memory: channels-last, axis 1 comes behind all. For a
 * view of one channel or one place, which has no strides then, either order is right. */
static void order_axes(const tn_view *data, const tn_view *output, const resized_axis *axes,
                       resize_job *job) {
    const int is_channels_last = data->strides != NULL || output->strides != NULL;
    job->rank = output->rank;
    for (int32_t place = 0; place < job->rank; place++) {
        int32_t axis = place;
        if (is_channels_last && place > 0) {
            axis = place == job->rank - 1 ? 1 : place + 1;
        }
        job->axes[place] = axes[axis];
    }
}

static tn_status run(const tn_run_call *call) {
    const resize_attributes *own = call->attributes;
    const tn_view *data = call->inputs[RESIZE_DATA], *output = call->outputs[0];
    const tn_shape shape = shape_of_view(data);
    tn_shape result = shape;
    resized_axis axes[TN_MAX_RANK];
    TN_TRY(resize_plan_axes(call->host, own, &shape, run_input(call, RESIZE_ROI),
                            run_input(call, RESIZE_SCALES), run_input(call, RESIZE_SIZES), axes));
    for (int32_t i = 0; i < shape.rank; i++) {
        result.extents[i] = axes[i].output;
    }
    TN_TRY(check_planned_shape(call->host, output, &result));
    if (tn_element_count(output) == 0) {
        return TN_OK;
    }
    resize_job job = {.own = own,
                      .dtype = data->dtype,
                      .data = tn_data(data),
                      .output = tn_data(output),
                      .workspace = call->workspace};
    order_axes(data, output, axes, &job);
    if (resize_moves(own)) {
        resize_move(call->host, &job);
    } else if (is_in_double(data->dtype)) {
        resample_f64(call->host, &job);
    } else {
        resample_f32(call->host, &job);
    }
    return TN_OK;
}

const tn_kernel resize_kernel = {CPU_KERNEL("onnx.Resize"), .prepare = prepare, .run = run,
                                 .layouts = tn_layouts_of_first};
