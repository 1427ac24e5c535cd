/* Pad: more elements around a tensor, or with negative pads fewer. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP };

typedef struct pad_attributes {
    tn_ints pads;
    double value;
    int32_t mode;
} pad_attributes;

static const tn_attribute table[] = {
    TN_FIELD(pad_attributes, pads, INTS, "()", NULL,
             "Elements in front of every axis, then behind every one, when they are not an input."),
    TN_FIELD(pad_attributes, value, FLOAT, "0", NULL, "The constant, when it is not an input."),
    TN_FIELD_CHOICE(pad_attributes, mode, "constant", "constant|reflect|edge|wrap",
                    "What is put there: a constant, the elements mirrored at the edge, the edge, "
                    "or those of the other end."),
};

static const char *const input_names[] = {"data", "pads", "constant_value", "axes"};
static const char *const output_names[] = {"output"};
static const uint32_t optional[] = {1, 2, 3};
static const uint32_t value_inputs[] = {1, 3};

typedef struct padding {
    int64_t front[TN_MAX_RANK], behind[TN_MAX_RANK];
} padding;

static tn_status spread_pads(const tn_host *host, const integer_list *pads, integer_list *axes,
                             int axes_are_given, int32_t rank, padding *out_padding) {
    memset(out_padding, 0, sizeof *out_padding);
    if (axes_are_given) {
        TN_TRY(resolve_axes(host, axes, rank));
    }
    const int32_t count = axes_are_given ? axes->count : rank;
    if (pads->count != 2 * count) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "there are %d pads, expected %d",
                       (int)pads->count, 2 * (int)count);
    }
    for (int32_t i = 0; i < count; i++) {
        const int64_t axis = axes_are_given ? axes->values[i] : i;
        out_padding->front[axis] = pads->values[i];
        out_padding->behind[axis] = pads->values[count + i];
    }
    return TN_OK;
}

static tn_status padded_extents(const tn_host *host, const tn_shape *data, const padding *pads,
                                int32_t mode, tn_shape *out_shape) {
    *out_shape = *data;
    for (int32_t i = 0; i < data->rank; i++) {
        int64_t sum = data->extents[i];
        if (sum < 0) {
            continue;
        }
        if (__builtin_add_overflow(sum, pads->front[i], &sum) ||
            __builtin_add_overflow(sum, pads->behind[i], &sum) || sum < 0) {
            return tn_fail(
                host, TN_INVALID_ARGUMENT, "pads %lld and %lld do not fit an axis of %lld",
                (long long)pads->front[i], (long long)pads->behind[i], (long long)data->extents[i]);
        }
        if (mode != PAD_CONSTANT && data->extents[i] == 0 && sum > 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "axis %d has no elements to pad with",
                           (int)i);
        }
        out_shape->extents[i] = sum;
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const pad_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    integer_list pads, axes;
    padding found;
    const int axes_are_given = call->inputs[3].shape.rank >= 0 || call->inputs[3].dtype != 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(integers_of_input(call, "pads", 1, &own->pads, &pads));
    TN_TRY(integers_of_input(call, "axes", 3, NULL, &axes));
    tn_shape result = tn_shape_of_rank(data->rank);
    if (pads.is_known && axes.is_known) {
        TN_TRY(spread_pads(call->host, &pads, &axes, axes_are_given, data->rank, &found));
        TN_TRY(padded_extents(call->host, data, &found, own->mode, &result));
    }
    return infer_output_shape(call, &result);
}

const tn_op pad_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with elements added in front of and behind its axes; a negative number takes "
           "some away.",
    OP_ATTRIBUTES(table, pad_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    OP_VALUE_INPUTS(value_inputs),
    .infer = infer,
};

/* The place along an axis that an output's place takes its element from; -1: the constant. */
static int64_t source_place(int32_t mode, int64_t place, int64_t extent) {
    if (place >= 0 && place < extent) {
        return place;
    }
    switch (mode) {
    case PAD_EDGE: return place < 0 ? 0 : extent - 1;
    case PAD_WRAP: return (place % extent + extent) % extent;
    case PAD_REFLECT: {
        const int64_t period = extent > 1 ? 2 * (extent - 1) : 1;
        const int64_t rest = (place % period + period) % period;
        return rest < extent ? rest : period - rest;
    }
    default: return -1;
    }
}

/* Axes in the order in which they lie in memory; those behind the last one that is padded are one
 * unit. */
typedef struct pad_job {
    int32_t rank; /* of the axes in front of a unit */
    int64_t data[TN_MAX_RANK], output[TN_MAX_RANK], front[TN_MAX_RANK];
    int64_t unit; /* elements */
    size_t size;  /* of an element */
    int32_t mode;
    unsigned char constant[8];
    const char *source;
    char *target;
} pad_job;

#define FILL(SIZE)                                                                                 \
    case SIZE:                                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            memcpy(target + (size_t)i * SIZE, element, SIZE);                                      \
        }                                                                                          \
        break;

static void fill(const unsigned char *element, size_t size, int64_t count, char *target) {
    switch (size) {
        FILL(1)
        FILL(2)
        FILL(4)
        FILL(8)
    default: break;
    }
}

/* Units of a line from number `begin` to `end`, each from another place. */
static void pad_units(const pad_job *job, const char *source, int64_t begin, int64_t end,
                      char *target) {
    const int32_t inner = job->rank - 1;
    const size_t unit = (size_t)job->unit * job->size;
    for (int64_t i = begin; i < end; i++) {
        const int64_t place = source_place(job->mode, i - job->front[inner], job->data[inner]);
        if (place < 0) {
            fill(job->constant, job->size, job->unit, target + (size_t)i * unit);
        } else {
            memcpy(target + (size_t)i * unit, source + (size_t)place * unit, unit);
        }
    }
}

/* One line along the innermost axis: padding, data in one go, padding. */
static void pad_line(const pad_job *job, const char *source, char *target) {
    const int32_t inner = job->rank - 1;
    const size_t unit = (size_t)job->unit * job->size;
    const int64_t front = job->front[inner], count = job->output[inner];
    const int64_t first = front < 0 ? 0 : front < count ? front : count;
    const int64_t end = front + job->data[inner] < count ? front + job->data[inner] : count;
    const int64_t last = end < first ? first : end;
    if (job->mode == PAD_CONSTANT) {
        fill(job->constant, job->size, first * job->unit, target);
        fill(job->constant, job->size, (count - last) * job->unit, target + (size_t)last * unit);
    } else {
        pad_units(job, source, 0, first, target);
        pad_units(job, source, last, count, target);
    }
    if (last > first) {
        memcpy(target + (size_t)first * unit, source + (size_t)(first - front) * unit,
               (size_t)(last - first) * unit);
    }
}

static void pad_lines(void *context, int64_t begin, int64_t end) {
    const pad_job *job = context;
    const int32_t inner = job->rank - 1;
    const size_t line_size = (size_t)(job->output[inner] * job->unit) * job->size;
    for (int64_t line = begin; line < end; line++) {
        char *target = job->target + (size_t)line * line_size;
        int64_t rest = line, base = 0, stride = job->data[inner];
        for (int32_t axis = inner - 1; axis >= 0; axis--) {
            const int64_t place = rest % job->output[axis] - job->front[axis];
            const int64_t from = source_place(job->mode, place, job->data[axis]);
            rest /= job->output[axis];
            base = base < 0 || from < 0 ? -1 : base + from * stride;
            stride *= job->data[axis];
        }
        if (base < 0) {
            fill(job->constant, job->size, job->output[inner] * job->unit, target);
        } else {
            pad_line(job, job->source + (size_t)(base * job->unit) * job->size, target);
        }
    }
}

/* Channels-last, axis 1 comes behind all. A view of one channel or one place has no strides then,
 * and either order is right for it. */
static void order_axes(const tn_view *data, const tn_view *output, const padding *pads,
                       pad_job *job) {
    const int is_channels_last = data->strides != NULL || output->strides != NULL;
    job->rank = data->rank;
    for (int32_t place = 0; place < job->rank; place++) {
        int32_t axis = place;
        if (is_channels_last && place > 0) {
            axis = place == job->rank - 1 ? 1 : place + 1;
        }
        job->data[place] = data->shape[axis];
        job->output[place] = output->shape[axis];
        job->front[place] = pads->front[axis];
    }
    job->unit = 1;
    while (job->rank > 1 && job->front[job->rank - 1] == 0 &&
           job->data[job->rank - 1] == job->output[job->rank - 1]) {
        job->unit *= job->data[--job->rank];
    }
}

static tn_status run(const tn_run_call *call) {
    const pad_attributes *own = call->attributes;
    const tn_view *constant = run_input(call, 2);
    const tn_shape data = shape_of_view(call->inputs[0]);
    integer_list pads, axes;
    const tn_view *output = call->outputs[0];
    const tn_dtype dtype = output->dtype;
    padding found;
    tn_shape result;
    pad_job job = {.size = TN_DTYPE_SIZE(dtype),
                   .mode = own->mode,
                   .source = tn_data(call->inputs[0]),
                   .target = tn_data(output)};
    TN_TRY(integers_of(call->host, "pads", run_input(call, 1), &own->pads, &pads));
    TN_TRY(integers_of(call->host, "axes", run_input(call, 3), NULL, &axes));
    TN_TRY(spread_pads(call->host, &pads, &axes, run_input(call, 3) != NULL, data.rank, &found));
    TN_TRY(padded_extents(call->host, &data, &found, own->mode, &result));
    TN_TRY(check_planned_shape(call->host, output, &result));
    memset(job.constant, 0, sizeof job.constant); /* of texts the empty one */
    if (!TN_DTYPE_IS_OPAQUE(dtype)) {
        write_number(dtype, job.constant, 0, own->value);
    }
    if (constant != NULL && tn_element_count(constant) > 0) {
        memcpy(job.constant, tn_data(constant), job.size);
    }
    if (data.rank == 0) {
        memcpy(job.target, job.source, job.size);
        return TN_OK;
    }
    order_axes(call->inputs[0], output, &found, &job);
    const int64_t count = tn_element_count(output);
    if (count > 0) {
        const int64_t length = job.output[job.rank - 1] * job.unit;
        tn_parallel_for(call->host, count / length, 16384 / length + 1, pad_lines, &job);
    }
    return TN_OK;
}

static int32_t supports(const tn_kernel_query *query) {
    return query->inputs[2].dtype == 0 || query->inputs[2].dtype == query->inputs[0].dtype;
}

const tn_kernel pad_kernel = {CPU_KERNEL("onnx.Pad"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                              .supports = supports, .run = run, .layouts = tn_layouts_of_first};
