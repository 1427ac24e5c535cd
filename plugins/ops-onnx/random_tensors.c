/* RandomNormal, RandomUniform, both also of another tensor's shape, Bernoulli and Multinomial. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "random.h"

typedef struct random_attributes {
    double mean, scale, low, high;
    double seed; /* NaN: none */
    int64_t sample_size;
    tn_dtype dtype; /* 0: the input's */
    tn_ints shape;
} random_attributes;

#define SEED_FIELD                                                                                 \
    TN_FIELD_OR_NONE(random_attributes, seed, FLOAT, "None", NULL,                                 \
                     "The same numbers for the same seed; without one it follows from the "        \
                     "runtime's.")
#define NORMAL_FIELDS                                                                              \
    TN_FIELD(random_attributes, mean, FLOAT, "0", NULL, "The mean."),                              \
        TN_FIELD(random_attributes, scale, FLOAT, "1", NULL, "The standard deviation."),           \
        SEED_FIELD
#define UNIFORM_FIELDS                                                                             \
    TN_FIELD(random_attributes, low, FLOAT, "0", NULL, "The lowest number."),                      \
        TN_FIELD(random_attributes, high, FLOAT, "1", NULL, "What all are below."), SEED_FIELD
#define SHAPE_FIELDS                                                                               \
    TN_FIELD(random_attributes, dtype, DTYPE, "float32", NULL, "The output's dtype."),             \
        TN_FIELD(random_attributes, shape, INTS, NULL, "[0,inf)", "The output's shape.")
#define LIKE_FIELD                                                                                 \
    TN_FIELD_OR_NONE(random_attributes, dtype, DTYPE, "None", NULL,                                \
                     "The output's dtype; None: the input's.")

static const tn_attribute normal_table[] = {NORMAL_FIELDS, SHAPE_FIELDS};
static const tn_attribute uniform_table[] = {UNIFORM_FIELDS, SHAPE_FIELDS};
static const tn_attribute normal_like_table[] = {NORMAL_FIELDS, LIKE_FIELD};
static const tn_attribute uniform_like_table[] = {UNIFORM_FIELDS, LIKE_FIELD};
static const tn_attribute bernoulli_table[] = {SEED_FIELD, LIKE_FIELD};
static const tn_attribute multinomial_table[] = {
    SEED_FIELD,
    TN_FIELD(random_attributes, dtype, DTYPE, "int32", NULL, "The output's dtype."),
    TN_FIELD(random_attributes, sample_size, INT, "1", "[0,inf)", "How often each row is drawn."),
};

static const char *const input_names[] = {"input"};
static const char *const output_names[] = {"output"};

static tn_status infer_shaped(tn_infer_call *call) {
    const random_attributes *own = call->attributes;
    if (own->shape.count > TN_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "shape has %lld extents",
                       (long long)own->shape.count);
    }
    const tn_shape shape = tn_shape_of((int32_t)own->shape.count, own->shape.values);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, own->dtype));
    return infer_output_shape(call, &shape);
}

static tn_status infer_like(tn_infer_call *call) {
    const random_attributes *own = call->attributes;
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype,
                          own->dtype != 0 ? own->dtype : call->inputs[0].dtype));
    return tn_infer_same_shape(call->host, "the output", &call->outputs[0].shape,
                               &call->inputs[0].shape);
}

static tn_status infer_multinomial(tn_infer_call *call) {
    const random_attributes *own = call->attributes;
    const tn_shape matrix = tn_shape_of_rank(2);
    TN_TRY(tn_infer_shape(call->host, "the input", &call->inputs[0].shape, &matrix));
    const int64_t extents[] = {call->inputs[0].shape.extents[0], own->sample_size};
    const tn_shape shape = tn_shape_of(2, extents);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, own->dtype));
    return infer_output_shape(call, &shape);
}

static tn_status prepare(tn_prepare_call *call) {
    const random_attributes *own = call->attributes;
    return keep_random_source(call, own->seed);
}

static tn_status run_normal(const tn_run_call *call) {
    const random_attributes *own = call->attributes;
    random_source *source = random_resume(call);
    const tn_view *output = call->outputs[0];
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        write_number(output->dtype, tn_data(output), i,
                     own->mean + own->scale * random_normal(source));
    }
    return TN_OK;
}

static tn_status run_uniform(const tn_run_call *call) {
    const random_attributes *own = call->attributes;
    random_source *source = random_resume(call);
    const tn_view *output = call->outputs[0];
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        write_number(output->dtype, tn_data(output), i,
                     own->low + (own->high - own->low) * random_uniform(source));
    }
    return TN_OK;
}

static tn_status run_bernoulli(const tn_run_call *call) {
    random_source *source = random_resume(call);
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        const double chance = number_at(data->dtype, tn_data(data), i);
        write_integer(output->dtype, tn_data(output), i, random_uniform(source) < chance);
    }
    return TN_OK;
}

/* A column of a row of logarithms of chances, which need not add up to 1. */
static int64_t draw_column(const tn_view *data, int64_t row, random_source *source) {
    const int64_t columns = data->shape[1];
    double highest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < columns; i++) {
        highest = fmax(highest, number_at(data->dtype, tn_data(data), row * columns + i));
    }
    for (int64_t i = 0; i < columns; i++) {
        sum += exp(number_at(data->dtype, tn_data(data), row * columns + i) - highest);
    }
    double left = random_uniform(source) * sum;
    for (int64_t i = 0; i < columns - 1; i++) {
        left -= exp(number_at(data->dtype, tn_data(data), row * columns + i) - highest);
        if (left < 0) {
            return i;
        }
    }
    return columns - 1;
}

static tn_status run_multinomial(const tn_run_call *call) {
    random_source *source = random_resume(call);
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    if (data->shape[1] == 0 && tn_element_count(output) > 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "there is nothing to draw from");
    }
    for (int64_t i = 0; i < tn_element_count(output); i++) {
        write_integer(output->dtype, tn_data(output), i,
                      draw_column(data, i / output->shape[1], source));
    }
    return TN_OK;
}

#define RANDOM_OP(TABLE, INFER, DOC)                                                               \
    .struct_size = TN_OP_SIZE, .flags = TN_OP_STATEFUL, .doc = DOC,                                \
    OP_ATTRIBUTES(TABLE, random_attributes), OP_OUTPUTS(output_names), .infer = INFER
#define RANDOM_KERNEL(NAME, RUN)                                                                   \
    { CPU_KERNEL(NAME), .prepare = prepare, .run = RUN, .release = drop_random_source }

const tn_op random_normal_op = {
    RANDOM_OP(normal_table, infer_shaped, "Numbers drawn from a normal distribution.")};
const tn_op random_uniform_op = {
    RANDOM_OP(uniform_table, infer_shaped, "Numbers drawn evenly from a range.")};
const tn_op random_normal_like_op = {
    RANDOM_OP(normal_like_table, infer_like,
              "Numbers drawn from a normal distribution, as many as the input has."),
    OP_INPUTS(input_names)};
const tn_op random_uniform_like_op = {
    RANDOM_OP(uniform_like_table, infer_like,
              "Numbers drawn evenly from a range, as many as the input has."),
    OP_INPUTS(input_names)};
const tn_op bernoulli_op = {
    RANDOM_OP(bernoulli_table, infer_like, "1 with the chance that the input says, otherwise 0."),
    OP_INPUTS(input_names)};
const tn_op multinomial_op = {
    RANDOM_OP(multinomial_table, infer_multinomial,
              "Columns, drawn for each row by the logarithms of their chances."),
    OP_INPUTS(input_names)};

const tn_kernel random_normal_kernel = RANDOM_KERNEL("onnx.RandomNormal", run_normal);
const tn_kernel random_normal_like_kernel = RANDOM_KERNEL("onnx.RandomNormalLike", run_normal);
const tn_kernel random_uniform_kernel = RANDOM_KERNEL("onnx.RandomUniform", run_uniform);
const tn_kernel random_uniform_like_kernel = RANDOM_KERNEL("onnx.RandomUniformLike", run_uniform);
const tn_kernel bernoulli_kernel = RANDOM_KERNEL("onnx.Bernoulli", run_bernoulli);
const tn_kernel multinomial_kernel = RANDOM_KERNEL("onnx.Multinomial", run_multinomial);
