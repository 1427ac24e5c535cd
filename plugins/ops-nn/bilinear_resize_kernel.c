/* The kernel of _contrib_BilinearResize2D. */
#include "bilinear_resize.h"
#include "element_block.h"
#include "operators.h"
#include "size.h"
#include "state.h"

/* Where along an axis an element of the output lies: `weight` of the way from `low` to `high`. */
typedef struct resize_sample {
    int64_t low;
    int64_t high;
    double weight;
} resize_sample;

/* The state: samples of all columns. */
typedef struct resize_plan {
    int64_t source[2]; /* height and width */
    int64_t target[2];
    int32_t align_corners;
    resize_sample columns[];
} resize_plan;

typedef struct resize_run {
    const resize_plan *plan;
    element_array data;
    element_array output;
} resize_run;

/* A single element of output shows the first one of data. */
static resize_sample sample_at(int64_t index, int64_t source, int64_t target,
                               int32_t align_corners) {
    double place = 0;
    if (target > 1 && align_corners) {
        place = (double)index * (double)(source - 1) / (double)(target - 1);
    } else if (target > 1) {
        place = ((double)index + 0.5) * (double)source / (double)target - 0.5;
    }
    place = place < 0 ? 0 : place;
    const int64_t low = smaller((int64_t)place, source - 1);
    return (resize_sample){low, smaller(low + 1, source - 1), place - (double)low};
}

#include "real_float.h"

#include "bilinear_resize_template.h"

#include "real_double.h"

#include "bilinear_resize_template.h"

static void resize_rows(void *context, int64_t begin, int64_t end) {
    const resize_run *work = context;
    for (int64_t row = begin; row < end; row++) {
        if (work->data.dtype == TN_F64) {
            resize_row_f64(work, row);
        } else {
            resize_row_f32(work, row);
        }
    }
}

static tn_status prepare(tn_prepare_call *call) {
    const resize_attributes *attributes = call->attributes;
    const int64_t *source = call->inputs[0]->shape + 2;
    const int64_t *target = call->outputs[0]->shape + 2;
    const uint64_t size =
        size_add(sizeof(resize_plan), size_multiply((uint64_t)target[1], sizeof(resize_sample)));
    TN_TRY(state_allocate(call, size, &call->state));
    resize_plan *plan = call->state;
    *plan = (resize_plan){.source = {source[0], source[1]},
                          .target = {target[0], target[1]},
                          .align_corners = attributes->align_corners};
    for (int64_t x = 0; x < target[1]; x++) {
        plan->columns[x] = sample_at(x, source[1], target[1], plan->align_corners);
    }
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const int64_t *target = call->outputs[0]->shape;
    resize_run work = {call->state, elements_of(call->inputs[0]), elements_of(call->outputs[0])};
    tn_parallel_for(call->host, target[0] * target[1] * target[2],
                    grain_of(GRAIN_ELEMENTS, 4 * target[3]), resize_rows, &work);
    return TN_OK;
}

const tn_kernel bilinear_resize_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "_contrib_BilinearResize2D",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare,
    .run = run,
    .release = state_release,
};
