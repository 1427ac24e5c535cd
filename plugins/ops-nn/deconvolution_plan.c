#include "deconvolution_plan.h"

#include "element_block.h"
#include "size.h"
#include "state.h"

/* One sample's columns on their way to the output. */
typedef struct scattering {
    const deconvolution_plan *plan;
    tn_dtype dtype;
    const void *columns;
    const void *bias; /* or NULL */
    void *sums;       /* reals, a plane for each channel of output */
    void *output;     /* the elements of the sample */
} scattering;

#include "real_float.h"

#include "deconvolution_template.h"

#include "real_double.h"

#include "deconvolution_template.h"

static void scatter_range(void *context, int64_t begin, int64_t end) {
    const scattering *work = context;
    for (int64_t channel = begin; channel < end; channel++) {
        if (work->dtype == TN_F64) {
            scatter_channel_f64(work, channel);
        } else {
            scatter_channel_f32(work, channel);
        }
    }
}

static deconvolution_plan describe(const tn_prepare_call *call, const sliding_window *window) {
    const tn_view *data = call->inputs[0];
    const tn_view *output = call->outputs[0];
    deconvolution_plan plan = {.sample_count = data->shape[0],
                               .channel_count = data->shape[1],
                               .filter_count = output->shape[1],
                               .kernel_count = 1};
    window_extend(window, plan.axes);
    window_extend_extents(window->rank, data->shape + 2, plan.source);
    window_extend_extents(window->rank, output->shape + 2, plan.target);
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        plan.kernel_count *= plan.axes[i].kernel;
    }
    plan.source_count = tn_extent_product(plan.source, 0, WINDOW_MAX_RANK);
    plan.target_count = tn_extent_product(plan.target, 0, WINDOW_MAX_RANK);
    return plan;
}

/* The weights, transposed, times the data of one sample. */
static matrix_product describe_product(const deconvolution_plan *plan, tn_dtype dtype,
                                       int64_t group_count) {
    const int64_t channels = plan->channel_count / group_count;
    const int64_t rows = plan->filter_count / group_count * plan->kernel_count;
    return (matrix_product){
        .left = {.dtype = dtype, .count = rows, .stride = 1, .depth_stride = rows},
        .right = {.dtype = dtype,
                  .count = plan->source_count,
                  .stride = 1,
                  .depth_stride = plan->source_count},
        .left_batch_stride = channels * rows,
        .right_batch_stride = channels * plan->source_count,
        .batch_count = group_count,
        .depth = channels,
        .result_dtype = real_dtype(dtype)};
}

static uint64_t place_parts(deconvolution_plan *plan, tn_dtype dtype) {
    const uint64_t plane = size_multiply((uint64_t)plan->filter_count, real_size(dtype));
    const uint64_t column =
        size_multiply((uint64_t)plan->source_count, (uint64_t)plan->kernel_count);
    const uint64_t sums = size_multiply(plane, (uint64_t)plan->target_count);
    uint64_t size = 0;
    plan->column_place = size_append(&size, size_multiply(plane, column));
    plan->sum_place = size_append(&size, dtype == real_dtype(dtype) ? 0 : sums);
    plan->product_place = size_append(&size, matrix_product_workspace(&plan->product));
    return size;
}

tn_status deconvolution_plan_create(tn_prepare_call *call, const sliding_window *window,
                                    int64_t group_count) {
    const tn_view *weights = call->inputs[1];
    const tn_dtype dtype = weights->dtype;
    deconvolution_plan described = describe(call, window);
    described.product = describe_product(&described, dtype, group_count);
    const uint64_t weight_size =
        weights->data != NULL ? matrix_product_left_size(&described.product) : 0;
    uint64_t state_size = 0;
    size_append(&state_size, sizeof described);
    const uint64_t weight_place = size_append(&state_size, weight_size);
    TN_TRY(state_allocate(call, state_size, &call->state));
    if (weight_size > 0) {
        described.product.left.data = tn_data(weights);
        described.product.left_panels = (char *)call->state + weight_place;
        matrix_product_pack_left(&described.product, described.product.left_panels);
    }
    const tn_status status = size_request(call, place_parts(&described, dtype));
    if (status != TN_OK) {
        state_release(call->host, call->state);
        call->state = NULL;
        return status;
    }
    memcpy(call->state, &described, sizeof described);
    return TN_OK;
}

static void run_sample(const tn_run_call *call, const deconvolution_plan *plan, int64_t sample) {
    const tn_view *output = call->outputs[0];
    const tn_dtype dtype = output->dtype;
    char *workspace = call->workspace;
    matrix_product product = plan->product;
    product.left.data = tn_data(call->inputs[1]);
    product.right.data = element_at(dtype, tn_data(call->inputs[0]),
                                    sample * plan->channel_count * plan->source_count);
    product.result = workspace + plan->column_place;
    matrix_product_run(call->host, &product, workspace + plan->product_place);

    scattering work = {.plan = plan,
                       .dtype = dtype,
                       .columns = product.result,
                       .bias = call->input_count > 2 ? tn_data(call->inputs[2]) : NULL,
                       .output =
                           element_at_mutable(dtype, tn_data(output),
                                              sample * plan->filter_count * plan->target_count)};
    work.sums = dtype == real_dtype(dtype) ? work.output : workspace + plan->sum_place;
    tn_parallel_for(
        call->host, plan->filter_count,
        grain_of(GRAIN_ELEMENTS, plan->source_count * plan->kernel_count + plan->target_count),
        scatter_range, &work);
}

tn_status deconvolution_run(const tn_run_call *call) {
    const deconvolution_plan *plan = call->state;
    for (int64_t sample = 0; sample < plan->sample_count; sample++) {
        run_sample(call, plan, sample);
    }
    return TN_OK;
}
