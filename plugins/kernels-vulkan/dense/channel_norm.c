/* BatchNorm, BatchNorm_v1 and LRN. */
#include "entries_dense.h"
#include "kernels.h"

enum { DATA, GAMMA, BETA, MOVING_MEAN, MOVING_VAR };

typedef struct batch_norm_attributes {
    double eps;
    int32_t fix_gamma;
    int64_t axis;
} batch_norm_attributes;

static const tn_attribute batch_norm_fields[] = {
    TN_FIELD(batch_norm_attributes, eps, FLOAT, "1e-3", "[0,inf)", "Added to the variance."),
    TN_FIELD(batch_norm_attributes, fix_gamma, BOOL, "True", NULL, "Takes gamma as 1."),
    TN_FIELD(batch_norm_attributes, axis, INT, "1", "[-32,31]", "The axis of the channels."),
};

/* The outputs mean and var. */
static void add_moments(device_program *program, const tn_prepare_call *call, int is_v1) {
    const batch_norm_attributes *given = call->attributes;
    const struct {
        uint32_t channels;
        float epsilon;
    } push = {(uint32_t)tn_element_count(call->inputs[MOVING_MEAN]), (float)given->eps};
    const tn_specialization constants[] = {{0, !is_v1}};
    program_add(program, &(program_launch){.shader = &shader_batch_norm_moments,
                                           .invocations = push.channels,
                                           .bindings = {bind_input(call, MOVING_MEAN),
                                                        bind_input(call, MOVING_VAR),
                                                        bind_output(call, 1), bind_output(call, 2)},
                                           PROGRAM_PUSH(push),
                                           PROGRAM_CONSTANTS(constants)});
}

static tn_status prepare_batch_norm(tn_prepare_call *call, int is_v1) {
    const batch_norm_attributes *given = call->attributes;
    const tn_view *data = call->inputs[DATA];
    const axis_split split = split_axis(data->shape, data->rank, given->axis);
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t count;
        uint32_t channels;
        uint32_t inner;
        float epsilon;
    } push = {(uint32_t)tn_element_count(data), (uint32_t)split.extent, (uint32_t)split.inner,
              (float)given->eps};
    const tn_specialization constants[] = {{0, !given->fix_gamma}};
    program_add(program, &(program_launch){
                             .shader = SHADER_OF(batch_norm, data->dtype),
                             .invocations = push.count,
                             .bindings = {bind_input(call, DATA), bind_input(call, GAMMA),
                                          bind_input(call, BETA), bind_input(call, MOVING_MEAN),
                                          bind_input(call, MOVING_VAR), bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants)});
    if (call->output_count == 3) {
        add_moments(program, call, is_v1);
    }
    return program_finish(program, call);
}

static tn_status prepare_current(tn_prepare_call *call) {
    return prepare_batch_norm(call, 0);
}

static tn_status prepare_v1(tn_prepare_call *call) {
    return prepare_batch_norm(call, 1);
}

#define BATCH_NORM_KERNEL(NAME, PREPARE)                                                           \
    {                                                                                              \
        SPIRV_KERNEL(NAME, supports_sizes, PREPARE), FLOAT_DTYPES, IN_PLACE,                       \
            KERNEL_ATTRIBUTES(batch_norm_fields, batch_norm_attributes)                            \
    }

const tn_kernel batch_norm_kernel = BATCH_NORM_KERNEL("BatchNorm", prepare_current);
const tn_kernel batch_norm_v1_kernel = BATCH_NORM_KERNEL("BatchNorm_v1", prepare_v1);

typedef struct lrn_attributes {
    double alpha;
    double beta;
    double knorm;
    int64_t nsize;
} lrn_attributes;

static const tn_attribute lrn_fields[] = {
    TN_FIELD(lrn_attributes, alpha, FLOAT, "0.0001", NULL, "The weight of the mean square."),
    TN_FIELD(lrn_attributes, beta, FLOAT, "0.75", NULL, "The exponent of the divisor."),
    TN_FIELD(lrn_attributes, knorm, FLOAT, "2", NULL, "Added to the weighted mean square."),
    TN_FIELD(lrn_attributes, nsize, INT, NULL, "[1,2147483647]", "How many channels."),
};

static int32_t supports_lrn(const tn_kernel_query *query) {
    const lrn_attributes *given = query->attributes;
    return supports_sizes(query) &&
           smaller(given->nsize, query->inputs[0].shape.extents[1]) < (int64_t)PROGRAM_MAX_LOOPS;
}

static tn_status prepare_lrn(tn_prepare_call *call) {
    const lrn_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t count;
        uint32_t channels;
        uint32_t plane;
        uint32_t reach;
        float weight;
        float beta;
        float knorm;
    } push = {(uint32_t)tn_element_count(data),
              (uint32_t)data->shape[1],
              (uint32_t)tn_extent_product(data->shape, 2, data->rank),
              (uint32_t)(given->nsize / 2),
              (float)(given->alpha / (double)given->nsize),
              (float)given->beta,
              (float)given->knorm};
    program_add(program, &(program_launch){.shader = SHADER_OF(lrn, data->dtype),
                                           .invocations = push.count,
                                           .bindings = {bind_input(call, 0), bind_output(call, 0)},
                                           PROGRAM_PUSH(push)});
    return program_finish(program, call);
}

const tn_kernel lrn_kernel = {
    SPIRV_KERNEL("LRN", supports_lrn, prepare_lrn),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(lrn_fields, lrn_attributes),
};
