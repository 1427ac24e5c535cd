/* _arange and _linspace: evenly spaced numbers. */
#include <math.h>

#include "fill.h"
#include "operator.h"
#include "operators.h"

#define GRAIN_ELEMENTS (16 * 1024)

/* The longest output that is worth believing: 2^48 elements. */
#define MAX_LENGTH 0x1p48

typedef struct arange_attributes {
    double start;
    double stop;
    double step;
    int64_t repeat;
    int32_t infer_range;
    const char *ctx;
    tn_dtype dtype;
} arange_attributes;

static const tn_attribute arange_table[] = {
    TN_FIELD(arange_attributes, start, FLOAT, NULL, NULL,
             "The first number; when there is no stop, the stop, and the numbers begin at 0."),
    TN_FIELD_OR_NONE(arange_attributes, stop, FLOAT, "None", NULL, "The numbers end before it."),
    TN_FIELD(arange_attributes, step, FLOAT, "1", NULL, "From number to number."),
    TN_FIELD(arange_attributes, repeat, INT, "1", "[1,inf)", "How often each number appears."),
    TN_FIELD(arange_attributes, infer_range, BOOL, "False", NULL,
             "Whether, without stop, the length is as whatever uses the output has it."),
    UNUSED_TEXT(arange_attributes, ctx),
    TN_FIELD(arange_attributes, dtype, DTYPE, "float32", NULL, "The output's element type."),
};

typedef struct linspace_attributes {
    double start;
    double stop;
    int64_t num;
    int32_t endpoint;
    const char *ctx;
    tn_dtype dtype;
} linspace_attributes;

static const tn_attribute linspace_table[] = {
    TN_FIELD(linspace_attributes, start, FLOAT, NULL, NULL, "The first number."),
    TN_FIELD(linspace_attributes, stop, FLOAT, NULL, NULL, "The end of the interval."),
    TN_FIELD(linspace_attributes, num, INT, NULL, "[0,inf)", "How many numbers."),
    TN_FIELD(linspace_attributes, endpoint, BOOL, "True", NULL,
             "Whether stop is the last number; otherwise they end before it."),
    UNUSED_TEXT(linspace_attributes, ctx),
    TN_FIELD(linspace_attributes, dtype, DTYPE, "float32", NULL, "The output's element type."),
};

static tn_status arange_arity(tn_arity_call *call) {
    const arange_attributes *given = call->attributes;
    if (given->step == 0.0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "step must not be 0");
    }
    return TN_OK;
}

static int is_integer(tn_dtype dtype) {
    return dtype != TN_F16 && dtype != TN_BF16 && dtype != TN_F32 && dtype != TN_F64;
}

/* Where the numbers begin: start, unless it stands for stop. */
static double first_number(const arange_attributes *given) {
    return isnan(given->stop) && !given->infer_range ? 0.0 : given->start;
}

static tn_status arange_infer(tn_infer_call *call) {
    const arange_attributes *given = call->attributes;
    const double stop = isnan(given->stop) ? given->start : given->stop;
    tn_shape fact = tn_shape_of_rank(1);
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, given->dtype));
    if (!isnan(given->stop) || !given->infer_range) {
        const double steps = ceil((stop - first_number(given)) / given->step);
        const double length = steps > 0.0 ? steps * (double)given->repeat : 0.0;
        if (isnan(steps) || length > MAX_LENGTH) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "from start %g to stop %g in steps of %g there are too many numbers",
                           first_number(given), stop, given->step);
        }
        fact.extents[0] = (int64_t)length;
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

typedef struct range_job {
    const tn_view *output;
    const void *attributes;
} range_job;

/* The steps are counted and multiplied in the output's own arithmetic, as MXNet does. */
static void arange_fill(void *context, int64_t begin, int64_t end) {
    const range_job *job = context;
    const arange_attributes *given = job->attributes;
    const tn_dtype dtype = job->output->dtype;
    const double start = first_number(given);
    const float single_start = (float)start, single_step = (float)given->step;
    const uint64_t whole_start = (uint64_t)integer_from_double(start);
    const uint64_t whole_step = (uint64_t)integer_from_double(given->step);
    char *target = tn_data(job->output);
    for (int64_t i = begin; i < end; i++) {
        const int64_t step = i / given->repeat;
        void *element = target + (size_t)i * TN_DTYPE_SIZE(dtype);
        if (is_integer(dtype)) {
            element_from_integer(dtype, (int64_t)(whole_start + (uint64_t)step * whole_step),
                                 element);
        } else if (dtype == TN_F64) {
            element_from_double(dtype, start + (double)step * given->step, element);
        } else {
            element_from_double(dtype, (double)(single_start + (float)step * single_step), element);
        }
    }
}

tn_status arange_run(const tn_run_call *call) {
    range_job job = {call->outputs[0], call->attributes};
    tn_parallel_for(call->host, tn_element_count(job.output), GRAIN_ELEMENTS, arange_fill, &job);
    return TN_OK;
}

static tn_status linspace_infer(tn_infer_call *call) {
    const linspace_attributes *given = call->attributes;
    const tn_shape fact = tn_shape_of(1, &given->num);
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, given->dtype));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

static void linspace_fill(void *context, int64_t begin, int64_t end) {
    const range_job *job = context;
    const linspace_attributes *given = job->attributes;
    const int64_t steps = given->endpoint ? given->num - 1 : given->num;
    const double step = steps > 0 ? (given->stop - given->start) / (double)steps : 0.0;
    const size_t size = TN_DTYPE_SIZE(job->output->dtype);
    char *target = tn_data(job->output);
    for (int64_t i = begin; i < end; i++) {
        const int is_end = steps > 0 && i == steps;
        element_from_double(job->output->dtype,
                            is_end ? given->stop : given->start + (double)i * step,
                            target + (size_t)i * size);
    }
}

tn_status linspace_run(const tn_run_call *call) {
    range_job job = {call->outputs[0], call->attributes};
    tn_parallel_for(call->host, tn_element_count(job.output), GRAIN_ELEMENTS, linspace_fill, &job);
    return TN_OK;
}

const tn_op arange_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The numbers from start in steps until before stop, each repeated some times.",
    OP_ATTRIBUTES(arange_table, arange_attributes),
    OP_OUTPUT,
    .arity = arange_arity,
    .infer = arange_infer,
};

const tn_op linspace_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A number of evenly spaced values from start to stop.",
    OP_ATTRIBUTES(linspace_table, linspace_attributes),
    OP_OUTPUT,
    .infer = linspace_infer,
};
