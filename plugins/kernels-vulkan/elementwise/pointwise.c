/* Functions of each element by itself: sqrt and its like, clip, hard_sigmoid, smooth_l1. */
#include <math.h>

#include "entries_elementwise.h"
#include "pointwise.h"

static const named_function functions[] = {
#define NAMED_FUNCTION(X, NAME, FUNCTION) {#NAME, UNARY_##FUNCTION, 0},
    UNARY_NAMES(NAMED_FUNCTION, X)
#undef NAMED_FUNCTION
};

static lane_shaders shaders = {
    {&shader_pointwise_1},
    {&shader_pointwise_2, &shader_pointwise_2x4},
    {&shader_pointwise_4, &shader_pointwise_4x4},
    {&shader_pointwise_8},
};

int32_t supports_function(const tn_kernel_query *query, uint32_t function) {
    return supports_one_dtype(query) && (function < UNARY_SQRT || is_real(query->outputs[0].dtype));
}

/* Parameters as the shader computes with them: a float, or a whole number that is kept within the
 * type. NaN, which bounds nothing, stands where `side` does. */
static element_bits parameter_bits(double value, tn_dtype dtype, double side) {
    const double bound = isnan(value) ? side : value;
    if (is_real(dtype)) {
        return (element_bits){tn_bits_from_float((float)bound), 0};
    }
    if (dtype == TN_I64) {
        return bits_of_whole(whole_of(bound));
    }
    return bits_of_whole(bound <= -0x1p31  ? INT32_MIN
                         : bound >= 0x1p31 ? INT32_MAX
                                           : (int64_t)bound);
}

tn_status prepare_function(tn_prepare_call *call, uint32_t function, double first, double second) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    const element_bits low = parameter_bits(first, dtype, -(double)INFINITY);
    const element_bits high = parameter_bits(second, dtype, (double)INFINITY);
    const tn_specialization constants[] = {{0, function}, {1, element_code(dtype)}};
    uint32_t push[] = {0, low.low, low.high, high.low, high.high};
    return prepare_each_element(call, shaders, constants, 2, push, 5);
}

static int32_t supports_named(const tn_kernel_query *query) {
    return supports_function(query, find_function(functions, query->op)->function);
}

static tn_status prepare_named(tn_prepare_call *call) {
    return prepare_function(call, find_function(functions, call->op)->function, 0, 0);
}

#define DEFINE_KERNEL(X, NAME, FUNCTION)                                                           \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_named, prepare_named),                                        \
        .in_place = first_in_place,                                                                \
        .in_place_count = 1,                                                                       \
    };
UNARY_NAMES(DEFINE_KERNEL, X)

typedef struct clip_attributes {
    double a_min;
    double a_max;
} clip_attributes;

static const tn_attribute clip_fields[] = {
    TN_FIELD(clip_attributes, a_min, FLOAT, NULL, NULL, "The lower bound."),
    TN_FIELD(clip_attributes, a_max, FLOAT, NULL, NULL, "The upper bound."),
};

static int32_t supports_clip(const tn_kernel_query *query) {
    return supports_function(query, UNARY_CLIP);
}

static tn_status prepare_clip(tn_prepare_call *call) {
    const clip_attributes *given = call->attributes;
    return prepare_function(call, UNARY_CLIP, given->a_min, given->a_max);
}

const tn_kernel kernel_clip = {
    SPIRV_KERNEL("clip", supports_clip, prepare_clip),
    .in_place = first_in_place,
    .in_place_count = 1,
    KERNEL_ATTRIBUTES(clip_fields, clip_attributes),
};

typedef struct hard_sigmoid_attributes {
    double alpha;
    double beta;
} hard_sigmoid_attributes;

static const tn_attribute hard_sigmoid_fields[] = {
    TN_FIELD(hard_sigmoid_attributes, alpha, FLOAT, "0.2", NULL, "The slope."),
    TN_FIELD(hard_sigmoid_attributes, beta, FLOAT, "0.5", NULL, "The value at 0."),
};

static int32_t supports_real(const tn_kernel_query *query) {
    return supports_function(query, UNARY_HARD_SIGMOID);
}

static tn_status prepare_hard_sigmoid(tn_prepare_call *call) {
    const hard_sigmoid_attributes *given = call->attributes;
    return prepare_function(call, UNARY_HARD_SIGMOID, given->alpha, given->beta);
}

const tn_kernel kernel_hard_sigmoid = {
    SPIRV_KERNEL("hard_sigmoid", supports_real, prepare_hard_sigmoid),
    .in_place = first_in_place,
    .in_place_count = 1,
    KERNEL_ATTRIBUTES(hard_sigmoid_fields, hard_sigmoid_attributes),
};

typedef struct smooth_l1_attributes {
    double scalar;
} smooth_l1_attributes;

static const tn_attribute smooth_l1_fields[] = {
    TN_FIELD(smooth_l1_attributes, scalar, FLOAT, "1", NULL, "The sigma."),
};

static tn_status prepare_smooth_l1(tn_prepare_call *call) {
    const smooth_l1_attributes *given = call->attributes;
    return prepare_function(call, UNARY_SMOOTH_L1, given->scalar, 0);
}

const tn_kernel kernel_smooth_l1 = {
    SPIRV_KERNEL("smooth_l1", supports_real, prepare_smooth_l1),
    .in_place = first_in_place,
    .in_place_count = 1,
    KERNEL_ATTRIBUTES(smooth_l1_fields, smooth_l1_attributes),
};
