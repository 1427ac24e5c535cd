/* MaxPool, AveragePool and LpPool of ONNX. */
#include <math.h>

#include "dense/lanes.h"
#include "dense/pooling.h"
#include "entries_onnx.h"
#include "window.h"

typedef struct pool_attributes {
    window_attributes window;
    double p;
    int64_t storage_order;
    int32_t count_include_pad;
} pool_attributes;

static const tn_attribute max_table[] = {
    WINDOW_FIELDS(pool_attributes),
    TN_FIELD(pool_attributes, storage_order, INT, "0", "[0,1]", "How Indices count."),
};
static const tn_attribute average_table[] = {
    WINDOW_FIELDS(pool_attributes),
    TN_FIELD(pool_attributes, count_include_pad, BOOL, "False", NULL,
             "Whether padding counts too."),
};
static const tn_attribute lp_table[] = {
    WINDOW_FIELDS(pool_attributes),
    TN_FIELD(pool_attributes, p, FLOAT, "2", "(0,inf)", "Which norm it is."),
};

/* A norm's window is as large as the data when none is given. */
static window_axis axis_of(const pool_attributes *given, int32_t index, int32_t rank,
                           int64_t extent) {
    const int64_t kernel = window_listed(&given->window.kernel_shape, index, extent);
    return window_axis_of(&given->window, index, rank, kernel, extent);
}

static int32_t supports_pool(const tn_kernel_query *query) {
    const pool_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape, *output = &query->outputs[0].shape;
    const int32_t rank = data->rank - 2;
    int64_t covered = 1;
    int32_t fits = supports_float_data(query) && rank >= 1 && rank <= SPATIAL_AXES;
    for (int32_t i = 0; i < rank && fits; i++) {
        const window_axis axis = axis_of(given, i, rank, data->extents[2 + i]);
        covered *= axis.kernel;
        fits = window_fits(&axis, data->extents[2 + i], output->extents[2 + i]) &&
               covered <= LANES_LONGEST(1);
    }
    return fits;
}

/* Each place is one invocation's. */
static int32_t supports_max(const tn_kernel_query *query) {
    const pool_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    int64_t covered = 1;
    for (int32_t i = 0; i < data->rank - 2; i++) {
        covered *= smaller(given->window.kernel_shape.values[i], PROGRAM_MAX_LOOPS);
        if (covered >= (int64_t)PROGRAM_MAX_LOOPS) {
            return 0;
        }
    }
    return supports_pool(query);
}

/* The sums of magnitudes and of squares. */
static int32_t supports_lp(const tn_kernel_query *query) {
    const pool_attributes *given = query->attributes;
    return (given->p == 1 || given->p == 2) && supports_pool(query);
}

static pooling_push push_of(const tn_prepare_call *call, int64_t *out_covered) {
    const pool_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const int32_t rank = data->rank - 2;
    pooling_push push = {.count = (uint32_t)tn_element_count(output), .inner = 1};
    *out_covered = 1;
    for (int32_t i = 0; i < SPATIAL_AXES; i++) {
        const int32_t index = i - (SPATIAL_AXES - rank);
        const int64_t extent = index < 0 ? 1 : data->shape[2 + index];
        const window_axis axis =
            index < 0 ? (window_axis){1, 1, 1, 0, 0} : axis_of(given, index, rank, extent);
        push.source[i] = (int32_t)extent;
        push.target[i] = index < 0 ? 1 : (int32_t)output->shape[2 + index];
        push.kernel[i] = (int32_t)axis.kernel;
        push.stride[i] = (int32_t)axis.stride;
        push.dilate[i] = (int32_t)axis.dilation;
        push.pad[i] = (int32_t)axis.pad;
        push.pad_behind[i] = (int32_t)axis.pad_behind;
        *out_covered *= axis.kernel;
    }
    return push;
}

static tn_status prepare_pool(tn_prepare_call *call, uint32_t reduction, uint32_t finish) {
    int64_t covered;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const pooling_push push = push_of(call, &covered);
    add_pooling(program, call, &push, covered, reduction, finish);
    return program_finish(program, call);
}

/* The index of the maximum besides. */
static tn_status prepare_max(tn_prepare_call *call) {
    const pool_attributes *given = call->attributes;
    const tn_specialization constants[] = {{0, (uint32_t)given->storage_order}};
    int64_t covered;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const pooling_push push = push_of(call, &covered);
    program_add(program,
                &(program_launch){.shader = SHADER_OF(max_pool, call->outputs[0]->dtype),
                                  .invocations = push.count,
                                  .bindings = {bind_input_or(call, 0, bind_output(call, 0)),
                                               bind_output(call, 0), bind_output(call, 1)},
                                  PROGRAM_PUSH(push),
                                  PROGRAM_CONSTANTS(constants)});
    return program_finish(program, call);
}

static tn_status prepare_average(tn_prepare_call *call) {
    const pool_attributes *given = call->attributes;
    return prepare_pool(call, REDUCE_SUM,
                        given->count_include_pad ? FINISH_PADDED : FINISH_ELEMENTS);
}

static tn_status prepare_lp(tn_prepare_call *call) {
    const pool_attributes *given = call->attributes;
    return prepare_pool(call, given->p == 1 ? REDUCE_MAGNITUDES : REDUCE_SQUARES, FINISH_NOTHING);
}

#define POOL_KERNEL(NAME, SUPPORTS, PREPARE, TABLE)                                                \
    { SPIRV_KERNEL(NAME, SUPPORTS, PREPARE), KERNEL_ATTRIBUTES(TABLE, pool_attributes) }

const tn_kernel onnx_max_pool_kernel =
    POOL_KERNEL("onnx.MaxPool", supports_max, prepare_max, max_table);
const tn_kernel onnx_average_pool_kernel =
    POOL_KERNEL("onnx.AveragePool", supports_pool, prepare_average, average_table);
const tn_kernel onnx_lp_pool_kernel = POOL_KERNEL("onnx.LpPool", supports_lp, prepare_lp, lp_table);
