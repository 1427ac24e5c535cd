/* The kernel of UpSampling. */
#include "deconvolution_plan.h"
#include "element_block.h"
#include "operators.h"
#include "size.h"
#include "state.h"
#include "upsampling.h"

/* One input on its way to the output. */
typedef struct upsampling_run {
    element_array data;
    element_array output;
    const int64_t *source; /* extents of the input */
    const int64_t *target; /* and of the output */
    int64_t first_channel; /* of the output that the input goes to */
    int32_t adds;          /* to what other inputs left there */
} upsampling_run;

#include "real_float.h"

#include "upsampling_template.h"

#include "real_double.h"

#include "upsampling_template.h"

static void repeat_rows(void *context, int64_t begin, int64_t end) {
    const upsampling_run *work = context;
    for (int64_t row = begin; row < end; row++) {
        if (work->data.dtype == TN_F64) {
            repeat_row_f64(work, row);
        } else {
            repeat_row_f32(work, row);
        }
    }
}

static void run_nearest(const tn_run_call *call, const upsampling_attributes *attributes) {
    const tn_view *output = call->outputs[0];
    const int is_sum = attributes->multi_input_mode == UPSAMPLING_SUM;
    upsampling_run work = {.output = elements_of(output), .target = output->shape};
    for (uint32_t i = 0; i < call->input_count; i++) {
        const tn_view *data = call->inputs[i];
        work.data = elements_of(data);
        work.source = data->shape;
        work.adds = is_sum && i > 0;
        tn_parallel_for(call->host, data->shape[0] * data->shape[1] * output->shape[2],
                        grain_of(GRAIN_ELEMENTS, output->shape[3]), repeat_rows, &work);
        work.first_channel += is_sum ? 0 : data->shape[1];
    }
}

static tn_status prepare(tn_prepare_call *call) {
    const upsampling_attributes *attributes = call->attributes;
    if (attributes->sample_type != UPSAMPLING_BILINEAR) {
        return TN_OK;
    }
    const upsampling_kernel_size size = upsampling_kernel_size_of(attributes->scale);
    const window_axis axis = {size.kernel, attributes->scale, 1, size.pad, size.pad};
    const sliding_window window = {2, {axis, axis}};
    return deconvolution_plan_create(call, &window, attributes->num_filter);
}

static tn_status run(const tn_run_call *call) {
    const upsampling_attributes *attributes = call->attributes;
    if (attributes->sample_type == UPSAMPLING_BILINEAR) {
        return deconvolution_run(call);
    }
    run_nearest(call, attributes);
    return TN_OK;
}

const tn_kernel upsampling_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "UpSampling",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare,
    .run = run,
    .release = state_release,
};
