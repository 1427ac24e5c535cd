/* DynamicQuantizeLinear */
#include "families.h"
#include "operator.h"
#include "quantise.h"

static const char *const dynamic_inputs[] = {"x"};
static const char *const dynamic_outputs[] = {"y", "y_scale", "y_zero_point"};

static tn_status infer_dynamic(tn_infer_call *call) {
    const tn_shape scalar = tn_shape_of(0, NULL);
    TN_TRY(tn_infer_dtype(call->host, "x", &call->inputs[0].dtype, TN_F32));
    TN_TRY(tn_infer_dtype(call->host, "y", &call->outputs[0].dtype, TN_U8));
    TN_TRY(tn_infer_dtype(call->host, "y_scale", &call->outputs[1].dtype, TN_F32));
    TN_TRY(tn_infer_dtype(call->host, "y_zero_point", &call->outputs[2].dtype, TN_U8));
    TN_TRY(tn_infer_shape(call->host, "y_scale", &call->outputs[1].shape, &scalar));
    TN_TRY(tn_infer_shape(call->host, "y_zero_point", &call->outputs[2].shape, &scalar));
    return tn_infer_same_shape(call->host, "y", &call->outputs[0].shape, &call->inputs[0].shape);
}

const tn_op dynamic_quantize_linear_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Quantises to uint8 with the scale and zero point that make the range of the elements, "
           "0 included, the range of uint8.",
    OP_INPUTS(dynamic_inputs),
    OP_OUTPUTS(dynamic_outputs),
    .infer = infer_dynamic,
};

enum {
    PART = 16384, /* elements that a thread looks at */
    LANES = 32    /* whose extremes are found side by side */
};

typedef struct extremes {
    float lowest, highest;
} extremes;

typedef struct dynamic_job {
    const float *x;
    int64_t count;
    uint8_t *y;
    float scale;
    quantised_range range;
    extremes *parts;
} dynamic_job;

static extremes extremes_of(const float *x, int64_t count) {
    float lowest[LANES] = {0}, highest[LANES] = {0};
    extremes found = {0, 0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lowest[lane] = x[i + lane] < lowest[lane] ? x[i + lane] : lowest[lane];
            highest[lane] = x[i + lane] > highest[lane] ? x[i + lane] : highest[lane];
        }
    }
    for (int lane = 0; i < count; lane++, i++) {
        lowest[lane] = x[i] < lowest[lane] ? x[i] : lowest[lane];
        highest[lane] = x[i] > highest[lane] ? x[i] : highest[lane];
    }
    for (int lane = 0; lane < LANES; lane++) {
        found.lowest = lowest[lane] < found.lowest ? lowest[lane] : found.lowest;
        found.highest = highest[lane] > found.highest ? highest[lane] : found.highest;
    }
    return found;
}

static void find_extremes(void *context, int64_t begin, int64_t end) {
    const dynamic_job *job = context;
    for (int64_t part = begin; part < end; part++) {
        const int64_t left = job->count - part * PART;
        job->parts[part] = extremes_of(job->x + part * PART, left < PART ? left : PART);
    }
}

static void quantize_range(void *context, int64_t begin, int64_t end) {
    const dynamic_job *job = context;
    quantise_floats(job->x + begin, end - begin, job->scale, job->range, job->y + begin);
}

static int64_t part_count(int64_t count) {
    return count / PART + (count % PART != 0);
}

static tn_status prepare_dynamic(tn_prepare_call *call) {
    call->workspace_size =
        (uint64_t)part_count(tn_element_count(call->inputs[0])) * sizeof(extremes);
    return TN_OK;
}

static tn_status run_dynamic(const tn_run_call *call) {
    dynamic_job job = {.x = tn_data(call->inputs[0]),
                       .count = tn_element_count(call->inputs[0]),
                       .y = tn_data(call->outputs[0]),
                       .parts = call->workspace};
    const int64_t parts = part_count(job.count);
    float lowest = 0, highest = 0;
    tn_parallel_for(call->host, parts, 1, find_extremes, &job);
    for (int64_t i = 0; i < parts; i++) {
        lowest = job.parts[i].lowest < lowest ? job.parts[i].lowest : lowest;
        highest = job.parts[i].highest > highest ? job.parts[i].highest : highest;
    }
    const float range = (highest - lowest) / 255;
    job.scale = range == 0 ? 1 : range;
    const uint8_t zero_point = quantise(-lowest / job.scale, quantised_range_of(TN_U8, 0));
    job.range = quantised_range_of(TN_U8, zero_point);
    *(float *)tn_data(call->outputs[1]) = job.scale;
    *(uint8_t *)tn_data(call->outputs[2]) = zero_point;
    tn_parallel_for(call->host, job.count, PART, quantize_range, &job);
    return TN_OK;
}

const tn_kernel dynamic_quantize_linear_kernel = {CPU_KERNEL("onnx.DynamicQuantizeLinear"),
                                                  .prepare = prepare_dynamic, .run = run_dynamic,
                                                  .layouts = tn_layouts_of_first};
