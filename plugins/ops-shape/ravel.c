/* ravel_multi_index and unravel_index: points of a shape as row-major numbers, and back. */
#include "extents.h"
#include "fill.h"
#include "indices.h"
#include "operator.h"
#include "operators.h"

/* Points that are converted at a time. */
#define POINTS_AT_ONCE 256

/* Points that are worth handing to another thread. */
#define GRAIN_POINTS (8 * 1024)

typedef struct ravel_attributes {
    tn_ints shape;
} ravel_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(ravel_attributes, shape, INTS, NULL, "[-1,inf)",
             "The extents of the shape. The first one is not needed and may be -1."),
};

static tn_status ravel_arity(tn_arity_call *call) {
    const ravel_attributes *given = call->attributes;
    if (given->shape.count < 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "shape has no extents");
    }
    for (int64_t i = 1; i < given->shape.count; i++) {
        if (given->shape.values[i] < 1) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "shape has the extent %lld: expected at least 1, except for the first",
                           (long long)given->shape.values[i]);
        }
    }
    return TN_OK;
}

/* `points` has a first axis of coordinates; the other axes are those of `numbers`. */
static tn_status infer_points(tn_infer_call *call, tn_shape *points, tn_shape *numbers) {
    const ravel_attributes *given = call->attributes;
    TN_TRY(tn_infer_one_dtype(call));
    if (points->rank == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "a scalar has no axis of coordinates");
    }
    if (points->rank > 0) {
        const tn_shape fact = extents_without_axis(points, 0);
        TN_TRY(tn_infer_shape(call->host, "the numbers", numbers, &fact));
    }
    if (numbers->rank < 0) {
        return TN_OK;
    }
    tn_shape fact;
    TN_TRY(extents_with_axis(call->host, numbers, 0, given->shape.count, &fact));
    return tn_infer_shape(call->host, "the coordinates", points, &fact);
}

static tn_status ravel_infer(tn_infer_call *call) {
    return infer_points(call, &call->inputs[0].shape, &call->outputs[0].shape);
}

static tn_status unravel_infer(tn_infer_call *call) {
    return infer_points(call, &call->outputs[0].shape, &call->inputs[0].shape);
}

typedef struct ravel_job {
    const tn_ints *shape;
    const tn_view *input;
    const tn_view *output;
    int64_t count; /* points */
} ravel_job;

static void store_integers(const tn_view *view, int64_t begin, const int64_t *values,
                           int64_t count) {
    const int64_t size = (int64_t)TN_DTYPE_SIZE(view->dtype);
    char *target = (char *)tn_data(view) + begin * size;
    for (int64_t i = 0; i < count; i++) {
        element_from_integer(view->dtype, values[i], target + i * size);
    }
}

static int64_t at_most(int64_t value, int64_t limit) {
    return value < limit ? value : limit;
}

/* Coordinates beyond the shape are calculated with all the same; unsigned, they may overflow. */
static void ravel_points(void *context, int64_t begin, int64_t end) {
    const ravel_job *job = context;
    int64_t numbers[POINTS_AT_ONCE], coordinates[POINTS_AT_ONCE];
    for (int64_t first = begin; first < end; first += POINTS_AT_ONCE) {
        const int64_t count = at_most(POINTS_AT_ONCE, end - first);
        memset(numbers, 0, sizeof numbers);
        for (int64_t axis = 0; axis < job->shape->count; axis++) {
            const int64_t at = axis * job->count + first;
            const uint64_t extent = (uint64_t)job->shape->values[axis];
            indices_read(job->input, at, at + count, coordinates);
            for (int64_t i = 0; i < count; i++) {
                numbers[i] = (int64_t)((uint64_t)numbers[i] * extent + (uint64_t)coordinates[i]);
            }
        }
        store_integers(job->output, first, numbers, count);
    }
}

/* The first coordinate takes what is left of the number. */
static void unravel_points(void *context, int64_t begin, int64_t end) {
    const ravel_job *job = context;
    int64_t numbers[POINTS_AT_ONCE], coordinates[POINTS_AT_ONCE];
    for (int64_t first = begin; first < end; first += POINTS_AT_ONCE) {
        const int64_t count = at_most(POINTS_AT_ONCE, end - first);
        indices_read(job->input, first, first + count, numbers);
        for (int64_t axis = job->shape->count - 1; axis > 0; axis--) {
            const int64_t extent = job->shape->values[axis];
            for (int64_t i = 0; i < count; i++) {
                coordinates[i] = numbers[i] % extent;
                numbers[i] /= extent;
            }
            store_integers(job->output, axis * job->count + first, coordinates, count);
        }
        store_integers(job->output, first, numbers, count);
    }
}

tn_status ravel_run(const tn_run_call *call) {
    const ravel_attributes *given = call->attributes;
    ravel_job job = {&given->shape, call->inputs[0], call->outputs[0],
                     tn_element_count(call->outputs[0])};
    tn_parallel_for(call->host, job.count, GRAIN_POINTS, ravel_points, &job);
    return TN_OK;
}

tn_status unravel_run(const tn_run_call *call) {
    const ravel_attributes *given = call->attributes;
    ravel_job job = {&given->shape, call->inputs[0], call->outputs[0],
                     tn_element_count(call->inputs[0])};
    tn_parallel_for(call->host, job.count, GRAIN_POINTS, unravel_points, &job);
    return TN_OK;
}

const tn_op ravel_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The row-major numbers of points within a shape. The first axis of the input holds the "
           "coordinates of each point.",
    OP_ATTRIBUTES(attribute_table, ravel_attributes),
    OP_INPUTS(data_name),
    .arity = ravel_arity,
    .infer = ravel_infer,
};

const tn_op unravel_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The coordinates of points within a shape, given by their row-major numbers. They stand "
           "along a new first axis.",
    OP_ATTRIBUTES(attribute_table, ravel_attributes),
    OP_INPUTS(data_name),
    .arity = ravel_arity,
    .infer = unravel_infer,
};
