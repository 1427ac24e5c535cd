/* QuantizeLinear and DequantizeLinear: with one scale, one for each index of an axis, or one for
 * each block along an axis. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "integer_lanes.h"
#include "operator.h"
#include "quantise.h"
#include "shapes.h"

enum { DATA, SCALE, ZERO_POINT };

typedef struct quantize_attributes {
    int64_t axis;
    int64_t block_size;
    tn_dtype output_dtype;
    tn_dtype precision;
    int32_t saturate;
} quantize_attributes;

#define QUANTIZE_FIELDS                                                                            \
    TN_FIELD(quantize_attributes, axis, INT, "1", "[-32,31]",                                      \
             "The axis that the scales are for, when there are several."),                         \
        TN_FIELD(quantize_attributes, block_size, INT, "0", "[0,inf)",                             \
                 "How many elements along the axis share a scale; 0: a scale for each index."),    \
        TN_FIELD_OR_NONE(quantize_attributes, output_dtype, DTYPE, "None", NULL,                   \
                         "The output's dtype; None: it follows from the inputs.")

static const tn_attribute quantize_table[] = {
    QUANTIZE_FIELDS,
    TN_FIELD_OR_NONE(quantize_attributes, precision, DTYPE, "None", NULL,
                     "Accepted for compatibility; has no effect."),
    TN_FIELD(quantize_attributes, saturate, BOOL, "True", NULL,
             "Accepted for compatibility; integers always saturate."),
};
static const tn_attribute dequantize_table[] = {QUANTIZE_FIELDS};

static const char *const quantize_inputs[] = {"x", "y_scale", "y_zero_point"};
static const char *const dequantize_inputs[] = {"x", "x_scale", "x_zero_point"};
static const char *const outputs[] = {"y"};
static const uint32_t optional[] = {ZERO_POINT};

static int is_one_element(const tn_shape *shape) {
    return shape->rank == 0 || (shape->rank == 1 && shape->extents[0] == 1);
}

/* The scales' shape: one element, an axis, or data's shape with blocks along the axis. */
static tn_status infer_scale_shape(tn_infer_call *call, const quantize_attributes *own) {
    const tn_shape *data = &call->inputs[DATA].shape;
    tn_shape *scale = &call->inputs[SCALE].shape;
    int32_t axis = 0;
    if (data->rank < 0 || scale->rank < 0) {
        return TN_OK;
    }
    const int is_single = is_one_element(scale);
    if (!is_single || own->block_size > 0) {
        TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    }
    if (own->block_size > 0) {
        tn_shape blocks = *data;
        blocks.extents[axis] =
            data->extents[axis] < 0 ? TN_UNKNOWN : divide_up(data->extents[axis], own->block_size);
        TN_TRY(tn_infer_shape(call->host, "the scale", scale, &blocks));
    } else if (!is_single) {
        const tn_shape along = tn_shape_of(1, &data->extents[axis]);
        TN_TRY(tn_infer_shape(call->host, "the scale", scale, &along));
    }
    tn_shape *zero_point = &call->inputs[ZERO_POINT].shape;
    const int fits =
        zero_point->rank < 0 || (is_single && own->block_size == 0 && is_one_element(zero_point));
    return fits ? TN_OK : tn_infer_shape(call->host, "the zero point", zero_point, scale);
}

static tn_status infer_quantize(tn_infer_call *call) {
    const quantize_attributes *own = call->attributes;
    tn_dtype dtype = call->inputs[ZERO_POINT].dtype;
    if (dtype == 0 && call->inputs[ZERO_POINT].shape.rank < 0) {
        dtype = own->output_dtype != 0 ? own->output_dtype : TN_U8;
    }
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, dtype));
    TN_TRY(tn_infer_same_shape(call->host, "the output", &call->outputs[0].shape,
                               &call->inputs[DATA].shape));
    return infer_scale_shape(call, own);
}

static tn_status infer_dequantize(tn_infer_call *call) {
    const quantize_attributes *own = call->attributes;
    const tn_dtype dtype = own->output_dtype != 0 ? own->output_dtype : call->inputs[SCALE].dtype;
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, dtype));
    if (call->inputs[ZERO_POINT].shape.rank >= 0) {
        TN_TRY(tn_infer_dtype(call->host, "the zero point", &call->inputs[ZERO_POINT].dtype,
                              call->inputs[DATA].dtype));
    }
    TN_TRY(tn_infer_same_shape(call->host, "the output", &call->outputs[0].shape,
                               &call->inputs[DATA].shape));
    return infer_scale_shape(call, own);
}

const tn_op quantize_linear_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Divides each element by a scale, rounds it to the nearest integer (of two equally near "
           "ones to the even one), adds a zero point and keeps it within the output's dtype.",
    OP_ATTRIBUTES(quantize_table, quantize_attributes),
    OP_INPUTS(quantize_inputs),
    OP_OUTPUTS(outputs),
    OP_OPTIONAL(optional),
    .infer = infer_quantize,
};

const tn_op dequantize_linear_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Subtracts a zero point from each element and multiplies by a scale.",
    OP_ATTRIBUTES(dequantize_table, quantize_attributes),
    OP_INPUTS(dequantize_inputs),
    OP_OUTPUTS(outputs),
    OP_OPTIONAL(optional),
    .infer = infer_dequantize,
};

/* Rows are what lies within the axis; all elements of a row share a scale, or with blocks each has
 * its own. */
typedef struct quantize_job {
    const tn_view *data, *scale, *zero_point, *output;
    int64_t rows; /* along the axis */
    int64_t row_length;
    int64_t block_size;
    int64_t blocks;
    /* At most BLOCK elements, whose scales are `scale_step` apart. */
    void (*run_block)(const struct quantize_job *job, int64_t first, int64_t count, int64_t scale,
                      int64_t scale_step);
    /* Any number of elements with one scale, for the usual dtypes; NULL: for others. */
    void (*run_bytes)(const struct quantize_job *job, int64_t first, int64_t count, int64_t scale);
} quantize_job;

enum { BLOCK = 256 };

/* Float32 as an 8-bit integer with one scale, as nearly all of them are. */
static void quantize_bytes(const quantize_job *job, int64_t first, int64_t count, int64_t scale) {
    const quantised_range range =
        quantised_range_of(job->output->dtype, zero_point_at(job->zero_point, scale));
    quantise_floats((const float *)tn_data(job->data) + first, count, scale_at(job->scale, scale),
                    range, (uint8_t *)tn_data(job->output) + first);
}

static void dequantize_bytes(const quantize_job *job, int64_t first, int64_t count, int64_t scale) {
    const uint8_t *bytes = (const uint8_t *)tn_data(job->data) + first;
    float *values = (float *)tn_data(job->output) + first;
    const uint8_t turned = sign_bit(job->data->dtype);
    const float factor = scale_at(job->scale, scale);
    const int32_t zero_point = zero_point_at(job->zero_point, scale) + turned;
    for (int64_t i = 0; i < count; i++) {
        values[i] = (float)((bytes[i] ^ turned) - zero_point) * factor;
    }
}

static void quantize_block(const quantize_job *job, int64_t first, int64_t count, int64_t scale,
                           int64_t scale_step) {
    float values[BLOCK], scales[BLOCK], zeros[BLOCK] = {0};
    read_floats(job->data->dtype, tn_data(job->data), first, 1, count, values);
    read_floats(job->scale->dtype, tn_data(job->scale), scale, scale_step, count, scales);
    if (job->zero_point != NULL) {
        read_floats(job->zero_point->dtype, tn_data(job->zero_point), scale, scale_step, count,
                    zeros);
    }
    for (int64_t i = 0; i < count; i++) {
        values[i] = rintf(values[i] / scales[i]) + zeros[i];
    }
    write_floats(job->output->dtype, tn_data(job->output), first, 1, count, values);
}

static void dequantize_block(const quantize_job *job, int64_t first, int64_t count, int64_t scale,
                             int64_t scale_step) {
    double values[BLOCK], zeros[BLOCK] = {0};
    float scales[BLOCK], results[BLOCK];
    read_doubles(job->data->dtype, tn_data(job->data), first, 1, count, values);
    read_floats(job->scale->dtype, tn_data(job->scale), scale, scale_step, count, scales);
    if (job->zero_point != NULL) {
        read_doubles(job->zero_point->dtype, tn_data(job->zero_point), scale, scale_step, count,
                     zeros);
    }
    for (int64_t i = 0; i < count; i++) {
        results[i] = (float)(values[i] - zeros[i]) * scales[i];
    }
    write_floats(job->output->dtype, tn_data(job->output), first, 1, count, results);
}

static void run_part(const quantize_job *job, int64_t first, int64_t count, int64_t scale,
                     int64_t scale_step) {
    if (job->run_bytes != NULL && scale_step == 0) {
        job->run_bytes(job, first, count, scale);
        return;
    }
    for (int64_t done = 0; done < count; done += BLOCK) {
        job->run_block(job, first + done, smaller(count - done, BLOCK), scale + scale_step * done,
                       scale_step);
    }
}

static void run_elements(void *context, int64_t begin, int64_t end) {
    run_part(context, begin, end - begin, 0, 0);
}

static void run_rows(void *context, int64_t begin, int64_t end) {
    const quantize_job *job = context;
    for (int64_t row = begin; row < end; row++) {
        const int64_t along = row % job->rows;
        if (job->block_size > 0) {
            const int64_t block = row / job->rows * job->blocks + along / job->block_size;
            run_part(job, row * job->row_length, job->row_length, block * job->row_length, 1);
        } else {
            run_part(job, row * job->row_length, job->row_length, along, 0);
        }
    }
}

static tn_status run_job(const tn_run_call *call, quantize_job *job) {
    const quantize_attributes *own = call->attributes;
    const int64_t count = tn_element_count(job->data);
    int32_t axis = 0;
    if (own->block_size == 0 && tn_element_count(job->scale) == 1) {
        tn_parallel_for(call->host, count, 16384, run_elements, job);
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, job->data->rank, &axis));
    job->rows = job->data->shape[axis];
    job->row_length = tn_extent_product(job->data->shape, axis + 1, job->data->rank);
    job->block_size = own->block_size;
    job->blocks = job->block_size > 0 ? divide_up(job->rows, job->block_size) : 0;
    if (count > 0) {
        tn_parallel_for(call->host, count / job->row_length, 16384 / job->row_length + 1, run_rows,
                        job);
    }
    return TN_OK;
}

static quantize_job job_of(const tn_run_call *call) {
    return (quantize_job){.data = call->inputs[DATA],
                          .scale = call->inputs[SCALE],
                          .zero_point = call->inputs[ZERO_POINT],
                          .output = call->outputs[0]};
}

static tn_status run_quantize(const tn_run_call *call) {
    quantize_job job = job_of(call);
    const int is_usual = job.data->dtype == TN_F32 && job.scale->dtype == TN_F32;
    job.run_block = quantize_block;
    job.run_bytes = is_usual && is_byte(job.output->dtype) ? quantize_bytes : NULL;
    return run_job(call, &job);
}

static tn_status run_dequantize(const tn_run_call *call) {
    quantize_job job = job_of(call);
    const int is_usual = job.output->dtype == TN_F32 && job.scale->dtype == TN_F32;
    job.run_block = dequantize_block;
    job.run_bytes = is_usual && is_byte(job.data->dtype) ? dequantize_bytes : NULL;
    return run_job(call, &job);
}

/* With one scale it does not matter where an element lies. */
static void choose_layouts(const tn_kernel_query *query, uint32_t *wanted, uint32_t *given) {
    const quantize_attributes *own = query->attributes;
    const int is_single = own->block_size == 0 && is_one_element(&query->inputs[SCALE].shape);
    wanted[DATA] = is_single ? wanted[DATA] : TN_LAYOUT_ROW_MAJOR;
    tn_layouts_of_first(query, wanted, given);
}

const tn_kernel quantize_linear_kernel = {CPU_KERNEL("onnx.QuantizeLinear"), .run = run_quantize,
                                          .layouts = choose_layouts};
const tn_kernel dequantize_linear_kernel = {CPU_KERNEL("onnx.DequantizeLinear"),
                                            .run = run_dequantize, .layouts = choose_layouts};
