/* DeformConv: a convolution in whose window each element is moved by an offset of its own. */
#include <math.h>

#include "convolution.h"
#include "convolution_shape.h"
#include "double_product.h"
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { DATA, WEIGHT, OFFSET, BIAS, MASK };

static const tn_attribute table[] = {
    CONVOLUTION_FIELDS,
    TN_FIELD(convolution_attributes, offset_group, INT, "1", "[1,2147483647]",
             "Into how many groups the channels are divided; those of one are moved alike."),
};

static const char *const input_names[] = {"X", "W", "offset", "B", "mask"};
static const char *const output_names[] = {"Y"};
static const uint32_t optional[] = {BIAS, MASK};

/* Offsets and mask have `count` channels for each element of the window in each offset group. */
static tn_status infer_by_place(tn_infer_call *call, uint32_t input, int64_t count) {
    const convolution_attributes *own = call->attributes;
    const tn_shape *weight = &call->inputs[WEIGHT].shape;
    tn_shape shape = call->outputs[0].shape;
    if (call->inputs[input].shape.rank < 0 || shape.rank < 0) {
        return TN_OK;
    }
    shape.extents[1] = own->offset_group;
    TN_TRY(multiply_extents(call->host, shape.extents[1], count, &shape.extents[1]));
    for (int32_t i = 2; i < weight->rank; i++) {
        TN_TRY(
            multiply_extents(call->host, shape.extents[1], weight->extents[i], &shape.extents[1]));
    }
    return tn_infer_shape(call->host, input_names[input], &call->inputs[input].shape, &shape);
}

static tn_status infer(tn_infer_call *call) {
    const convolution_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[DATA].shape;
    TN_TRY(infer_output_dtype_like(call, DATA));
    for (uint32_t i = WEIGHT; i <= MASK; i++) {
        if (i <= OFFSET || call->inputs[i].dtype != 0) {
            TN_TRY(tn_infer_dtype(call->host, input_names[i], &call->inputs[i].dtype,
                                  call->outputs[0].dtype));
        }
    }
    TN_TRY(infer_convolution(call, DATA, WEIGHT, BIAS));
    if (data->rank >= 0 && data->extents[1] >= 0 && data->extents[1] % own->offset_group != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "X has %lld channels, which is not a multiple of offset_group=%lld",
                       (long long)data->extents[1], (long long)own->offset_group);
    }
    TN_TRY(infer_by_place(call, OFFSET, data->rank < 0 ? TN_UNKNOWN : data->rank - 2));
    return infer_by_place(call, MASK, 1);
}

const tn_op deform_conv_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A convolution in whose window each element is moved by an offset, to between the "
           "elements of data, which are interpolated and are 0 outside, and multiplied by a mask.",
    OP_ATTRIBUTES(table, convolution_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

typedef struct deformed {
    const tn_run_call *call;
    sliding_window window;
    int64_t inputs, outputs; /* channels of a group */
    int64_t kernel, places, plane;
    int64_t batch, group; /* that are computed now */
    double *weights, *planes, *columns, *results;
} deformed;

static tn_status plan(const tn_host *host, const convolution_attributes *own, const tn_view *data,
                      const tn_view *weight, deformed *job) {
    const tn_shape data_shape = shape_of_view(data), weight_shape = shape_of_view(weight);
    TN_TRY(convolution_window(host, own, &data_shape, &weight_shape, &job->window));
    job->inputs = weight->shape[1];
    job->outputs = weight->shape[0] / own->group;
    job->kernel = window_kernel_size(&job->window);
    job->places = window_places(&job->window);
    job->plane = window_plane_size(&job->window);
    return TN_OK;
}

static tn_status prepare(tn_prepare_call *call) {
    deformed job = {0};
    TN_TRY(plan(call->host, call->attributes, call->inputs[DATA], call->inputs[WEIGHT], &job));
    TN_TRY(add_workspace(call->host, tn_element_count(call->inputs[WEIGHT]), 1,
                         &call->workspace_size));
    TN_TRY(add_workspace(call->host, job.inputs, job.plane, &call->workspace_size));
    TN_TRY(add_workspace(call->host, job.inputs * job.kernel, job.places, &call->workspace_size));
    return add_workspace(call->host, job.outputs, job.places, &call->workspace_size);
}

/* Between the elements around: each counts by how near it is along every axis. */
static double interpolate(const sliding_window *window, const double *plane,
                          const double *position) {
    double sum = 0;
    for (int32_t corner = 0; corner < 1 << window->rank; corner++) {
        double weight = 1;
        int64_t at = 0;
        for (int32_t i = 0; i < window->rank; i++) {
            const double below = floor(position[i]), part = position[i] - below;
            const int is_above = corner >> i & 1;
            const double index = below + is_above;
            weight *= is_above ? part : 1 - part;
            if (!(index >= 0 && index < (double)window->axes[i].extent)) {
                weight = 0;
                break;
            }
            at = at * window->axes[i].extent + (int64_t)index;
        }
        sum += weight == 0 ? 0 : weight * plane[at];
    }
    return sum;
}

/* Rows of the columns, one for each channel and element of the window. */
static void fill_rows(void *context, int64_t begin, int64_t end) {
    const deformed *job = context;
    const tn_run_call *call = job->call;
    const convolution_attributes *own = call->attributes;
    const tn_view *offset = call->inputs[OFFSET], *mask = run_input(call, MASK);
    const int32_t rank = job->window.rank;
    const int64_t alike = call->inputs[DATA]->shape[1] / own->offset_group;
    for (int64_t row = begin; row < end; row++) {
        const int64_t channel = row / job->kernel, element = row % job->kernel;
        const int64_t offsets =
            (job->batch * own->offset_group + (job->group * job->inputs + channel) / alike) *
                job->kernel +
            element;
        for (int64_t place = 0; place < job->places; place++) {
            double position[WINDOW_MAX_RANK];
            int64_t rest = place, inner = element;
            for (int32_t i = rank - 1; i >= 0; i--) {
                const window_axis *axis = &job->window.axes[i];
                position[i] = (double)(rest % axis->places * axis->stride - axis->pad +
                                       inner % axis->kernel * axis->dilation) +
                              number_at(offset->dtype, tn_data(offset),
                                        (offsets * rank + i) * job->places + place);
                rest /= axis->places;
                inner /= axis->kernel;
            }
            const double value =
                interpolate(&job->window, job->planes + channel * job->plane, position);
            job->columns[row * job->places + place] =
                mask == NULL
                    ? value
                    : value * number_at(mask->dtype, tn_data(mask), offsets * job->places + place);
        }
    }
}

static void run_group(deformed *job, int64_t number) {
    const tn_run_call *call = job->call;
    const tn_view *data = call->inputs[DATA];
    const int64_t depth = job->inputs * job->kernel, size = job->inputs * job->plane;
    read_doubles(data->dtype, tn_data(data), number * size, 1, size, job->planes);
    tn_parallel_for(call->host, depth, 1024 / (job->places + 1) + 1, fill_rows, job);
    const double_product product = {.left = job->weights + job->group * job->outputs * depth,
                                    .row_step = depth,
                                    .depth_step = 1,
                                    .right = job->columns,
                                    .result = job->results,
                                    .rows = job->outputs,
                                    .columns = job->places,
                                    .depth = depth};
    double_product_run(call->host, &product);
    store_planes(call->outputs[0], run_input(call, BIAS), job->results, job->outputs, job->places,
                 job->group, number);
}

static tn_status run(const tn_run_call *call) {
    const convolution_attributes *own = call->attributes;
    const tn_view *data = call->inputs[DATA], *weight = call->inputs[WEIGHT];
    deformed job = {.call = call};
    TN_TRY(plan(call->host, own, data, weight, &job));
    job.weights = call->workspace;
    job.planes = job.weights + tn_element_count(weight);
    job.columns = job.planes + job.inputs * job.plane;
    job.results = job.columns + job.inputs * job.kernel * job.places;
    read_doubles(weight->dtype, tn_data(weight), 0, 1, tn_element_count(weight), job.weights);
    for (int64_t i = 0; i < data->shape[0] * own->group; i++) {
        job.batch = i / own->group;
        job.group = i % own->group;
        run_group(&job, i);
    }
    return TN_OK;
}

const tn_kernel deform_conv_kernel = {CPU_KERNEL("onnx.DeformConv"), KERNEL_DTYPES(floating_dtypes),
                                      .prepare = prepare, .run = run};
