#include "gradients.h"

/* Adds nodes one after the other; after a failure it adds no more and keeps the status, so that a
 * formula can be written as one expression. */
typedef struct formula {
    const tn_gradient_call *call;
    const tn_graph_service *graph;
    tn_status status;
} formula;

static tn_value add_node(formula *f, const char *op, const tn_option *attributes,
                         uint32_t attribute_count, const tn_value *inputs, uint32_t input_count) {
    tn_value result = {TN_NO_NODE, 0};
    if (f->status == TN_OK) {
        f->status = f->graph->add_node(f->call->host, f->call->graph, op, NULL, attributes,
                                       attribute_count, inputs, input_count, &result.node);
    }
    return result;
}

static tn_value unary(formula *f, const char *op, tn_value x) {
    return add_node(f, op, NULL, 0, &x, 1);
}

static tn_value binary(formula *f, const char *op, tn_value left, tn_value right) {
    const tn_value inputs[] = {left, right};
    return add_node(f, op, NULL, 0, inputs, 2);
}

static tn_value with_scalar(formula *f, const char *op, tn_value x, const char *scalar) {
    const tn_option attribute = {"scalar", scalar};
    return add_node(f, op, &attribute, 1, &x, 1);
}

/* The operator with the attributes of the forward node. */
static tn_value with_same_attributes(formula *f, const char *op, tn_value x) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    if (f->status == TN_OK) {
        f->status = f->graph->node_info(f->call->host, f->call->graph, f->call->node, &info);
    }
    return add_node(f, op, info.attributes, info.attribute_count, &x, 1);
}

/* The gradients of the inputs, given the node's and the output's; fills in one for each input. */
typedef void (*chain_rule)(formula *f, tn_value upstream, tn_value *out_gradients);

static tn_status apply_chain_rule(tn_gradient_call *call, chain_rule rule) {
    if (call->output_gradients[0].node == TN_NO_NODE) {
        return TN_OK;
    }
    formula f = {.call = call, .graph = TN_SERVICE(call->host, graph)};
    if (f.graph == NULL) {
        return tn_fail(call->host, TN_UNAVAILABLE, "gradients need the host's graph service");
    }
    tn_value gradients[2] = {{TN_NO_NODE, 0}, {TN_NO_NODE, 0}};
    rule(&f, call->output_gradients[0], gradients);
    for (uint32_t i = 0; f.status == TN_OK && i < call->input_count; i++) {
        call->input_gradients[i] = gradients[i];
    }
    return f.status;
}

static void chain_add(formula *f, tn_value upstream, tn_value *out_gradients) {
    (void)f;
    out_gradients[0] = upstream;
    out_gradients[1] = upstream;
}

static void chain_subtract(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = upstream;
    out_gradients[1] = unary(f, "negative", upstream);
}

static void chain_multiply(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = binary(f, "elemwise_mul", upstream, f->call->inputs[1]);
    out_gradients[1] = binary(f, "elemwise_mul", upstream, f->call->inputs[0]);
}

/* y = a / b: dy / b, and -dy * y / b. */
static void chain_divide(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value quotient = binary(f, "elemwise_div", upstream, f->call->inputs[1]);
    out_gradients[0] = quotient;
    out_gradients[1] =
        unary(f, "negative", binary(f, "elemwise_mul", quotient, f->call->outputs[0]));
}

static void chain_shift(formula *f, tn_value upstream, tn_value *out_gradients) {
    (void)f;
    out_gradients[0] = upstream;
}

static void chain_reflection(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = unary(f, "negative", upstream);
}

static void chain_multiply_by_scalar(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = with_same_attributes(f, "_mul_scalar", upstream);
}

static void chain_divide_by_scalar(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = with_same_attributes(f, "_div_scalar", upstream);
}

/* y = s / x: -dy * y / x. */
static void chain_scalar_divided_by(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value quotient = binary(f, "elemwise_div", upstream, f->call->inputs[0]);
    out_gradients[0] =
        unary(f, "negative", binary(f, "elemwise_mul", quotient, f->call->outputs[0]));
}

static void chain_exp(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = binary(f, "elemwise_mul", upstream, f->call->outputs[0]);
}

static void chain_log(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = binary(f, "elemwise_div", upstream, f->call->inputs[0]);
}

static void chain_sqrt(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value quotient = binary(f, "elemwise_div", upstream, f->call->outputs[0]);
    out_gradients[0] = with_scalar(f, "_mul_scalar", quotient, "0.5");
}

static void chain_square(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value product = binary(f, "elemwise_mul", upstream, f->call->inputs[0]);
    out_gradients[0] = with_scalar(f, "_mul_scalar", product, "2");
}

static void chain_tanh(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value squared = unary(f, "square", f->call->outputs[0]);
    const tn_value slope = with_scalar(f, "_rminus_scalar", squared, "1");
    out_gradients[0] = binary(f, "elemwise_mul", upstream, slope);
}

static void chain_sigmoid(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value y = f->call->outputs[0];
    const tn_value slope = binary(f, "elemwise_mul", y, with_scalar(f, "_rminus_scalar", y, "1"));
    out_gradients[0] = binary(f, "elemwise_mul", upstream, slope);
}

static void chain_relu(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value passed = with_scalar(f, "_greater_scalar", f->call->inputs[0], "0");
    out_gradients[0] = binary(f, "elemwise_mul", upstream, passed);
}

static void chain_sum(formula *f, tn_value upstream, tn_value *out_gradients) {
    out_gradients[0] = binary(f, "broadcast_like", upstream, f->call->inputs[0]);
}

static void chain_square_sum(formula *f, tn_value upstream, tn_value *out_gradients) {
    const tn_value slope = with_scalar(f, "_mul_scalar", f->call->inputs[0], "2");
    out_gradients[0] = binary(f, "broadcast_mul", slope, upstream);
}

#define DEFINE_GRADIENT(RULE)                                                                      \
    tn_status gradient_of_##RULE(tn_gradient_call *call) {                                         \
        return apply_chain_rule(call, chain_##RULE);                                               \
    }
DEFINE_GRADIENT(add)
DEFINE_GRADIENT(subtract)
DEFINE_GRADIENT(multiply)
DEFINE_GRADIENT(divide)
DEFINE_GRADIENT(shift)
DEFINE_GRADIENT(reflection)
DEFINE_GRADIENT(multiply_by_scalar)
DEFINE_GRADIENT(divide_by_scalar)
DEFINE_GRADIENT(scalar_divided_by)
DEFINE_GRADIENT(exp)
DEFINE_GRADIENT(log)
DEFINE_GRADIENT(sqrt)
DEFINE_GRADIENT(square)
DEFINE_GRADIENT(tanh)
DEFINE_GRADIENT(sigmoid)
DEFINE_GRADIENT(relu)
DEFINE_GRADIENT(sum)
DEFINE_GRADIENT(square_sum)
