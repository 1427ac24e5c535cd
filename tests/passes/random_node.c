#include "random_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "random_attributes.h"

enum { MAX_ELEMENTS = 4096, MOST_RANK = 6 };

/* A node that is tried: what it reads and gives. */
typedef struct trial {
    const tn_op *op;
    tn_tensor_type input_types[MAX_NODE_INPUTS];
    tn_tensor *inputs[MAX_NODE_INPUTS], *nudged_inputs[MAX_NODE_INPUTS];
    tn_tensor *outputs[MAX_NODE_OUTPUTS], *nudged_outputs[MAX_NODE_OUTPUTS];
    uint32_t given_count, input_count, output_count;
} trial;

void add_known(growing_graph *g, tn_value value, tn_tensor *tensor, tn_tensor *nudged) {
    g->values[g->count++] = (known_value){value, tensor, nudged};
}

const known_value *pick(growing_graph *g) {
    return &g->values[draw(&g->numbers, g->count)];
}

tn_shape shape_of(const known_value *value) {
    const tn_view *view = tn_tensor_view(value->tensor);
    return tn_shape_of(view->rank, view->shape);
}

static tn_tensor_type type_of(const tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    return (tn_tensor_type){view->dtype, 0, tn_shape_of(view->rank, view->shape)};
}

static known_value bind_parameter(growing_graph *g, tn_tensor *tensor) {
    char name[32];
    known_value made = {.tensor = tensor, .nudged = g->is_steady ? tensor : NULL};
    snprintf(name, sizeof name, "w%u", tn_graph_node_count(g->graph));
    if (tensor == NULL ||
        tn_graph_add_parameter(g->graph, name, tensor, &made.value.node) != TN_OK) {
        fprintf(stderr, "parameter: %s\n", tn_error_message());
        abort();
    }
    return made;
}

known_value add_parameter(growing_graph *g, tn_dtype dtype, const tn_shape *shape) {
    tn_tensor *tensor = draw_tensor(&g->numbers, g->runtime, dtype, shape);
    const known_value made = bind_parameter(g, tensor);
    tn_tensor_release(tensor); /* the graph holds it */
    return made;
}

static int is_listed(const uint32_t *list, uint32_t count, uint32_t index) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == index) {
            return 1;
        }
    }
    return 0;
}

static int is_usable(const tn_tensor_type *type) {
    int64_t count = 1;
    if (type->dtype == 0 || !tn_shape_is_known(&type->shape) || type->shape.rank > MOST_RANK) {
        return 0;
    }
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        count *= type->shape.extents[axis];
        if (count < 1 || count > MAX_ELEMENTS) {
            return 0;
        }
    }
    return 1;
}

/* What inference says of inputs that are missing; a shape that nothing follows for is drawn. */
static int find_missing_types(growing_graph *g, tn_graph *scratch, const tn_node_info *info,
                              trial *tried) {
    for (uint32_t i = tried->given_count; i < info->input_count; i++) {
        tn_tensor_type *type = &tried->input_types[i];
        if (tn_graph_infer(scratch, NULL, 0) != TN_OK ||
            tn_graph_type(scratch, info->inputs[i], type) != TN_OK) {
            return 0;
        }
        type->shape = tn_shape_is_known(&type->shape) ? type->shape : draw_shape(&g->numbers);
        type->dtype = type->dtype == 0 ? (tn_dtype)TN_F32 : type->dtype;
        if (!is_usable(type) ||
            tn_graph_set_variable(scratch, info->inputs[i].node, type, NULL) != TN_OK) {
            return 0;
        }
    }
    return tn_graph_infer(scratch, NULL, 0) == TN_OK;
}

static int infer_outputs(growing_graph *g, tn_graph *scratch, uint32_t node, trial *tried) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    tn_value outputs[MAX_NODE_OUTPUTS], inputs[MAX_NODE_INPUTS];
    if (tn_graph_complete_inputs(scratch, node) != TN_OK ||
        tn_graph_node(scratch, node, &info) != TN_OK || info.input_count > MAX_NODE_INPUTS ||
        info.visible_output_count > MAX_NODE_OUTPUTS) {
        return 0;
    }
    tried->input_count = info.input_count;
    tried->output_count = info.visible_output_count;
    for (uint32_t i = 0; i < info.input_count; i++) {
        inputs[i] = info.inputs[i];
    }
    info.inputs = inputs; /* the node's own move when the graph changes */
    for (uint32_t i = 0; i < tried->output_count; i++) {
        outputs[i] = (tn_value){node, i};
    }
    if (tn_graph_set_outputs(scratch, outputs, tried->output_count) != TN_OK ||
        !find_missing_types(g, scratch, &info, tried)) {
        return 0;
    }
    for (uint32_t i = 0; i < tried->output_count; i++) {
        tn_tensor_type type;
        if (tn_graph_type(scratch, outputs[i], &type) != TN_OK || !is_usable(&type)) {
            return 0;
        }
    }
    return 1;
}

/* Infers the node in a graph of its own. */
static int infer_alone(growing_graph *g, const char *op, const tn_option *options,
                       uint32_t option_count, trial *tried) {
    tn_graph *scratch;
    tn_value inputs[MAX_NODE_INPUTS];
    uint32_t node;
    if (tn_graph_create(g->runtime, &scratch) != TN_OK) {
        return 0;
    }
    int fits = 1;
    for (uint32_t i = 0; fits && i < tried->given_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "i%u", i);
        inputs[i].output = 0;
        fits =
            tn_graph_add_variable(scratch, name, &tried->input_types[i], &inputs[i].node) == TN_OK;
    }
    fits = fits &&
           tn_graph_add_node(scratch, op, NULL, options, option_count, inputs, tried->given_count,
                             &node) == TN_OK &&
           infer_outputs(g, scratch, node, tried);
    tn_graph_destroy(scratch);
    return fits;
}

/* Runs the node, on copies of what it changes. */
static int invoke(growing_graph *g, const char *op, const tn_option *options, uint32_t option_count,
                  const trial *tried, tn_tensor *const *inputs, tn_tensor **outputs) {
    tn_tensor *read[MAX_NODE_INPUTS];
    int is_done = 1;
    for (uint32_t i = 0; i < tried->input_count; i++) {
        read[i] = inputs[i];
        if (is_listed(tried->op->mutated_inputs, tried->op->mutated_input_count, i)) {
            const tn_view *view = tn_tensor_view(inputs[i]);
            if (tn_tensor_create(g->runtime, view->dtype, view->rank, view->shape, &read[i]) !=
                    TN_OK ||
                tn_tensor_copy(inputs[i], read[i]) != TN_OK) {
                abort();
            }
        }
    }
    if (tn_invoke(g->runtime, op, options, option_count, read, tried->input_count, outputs,
                  tried->output_count) != TN_OK) {
        is_done = 0;
        if (getenv("TENON_TEST_VERBOSE") != NULL) {
            fprintf(stderr, "# %s does not run: %s\n", op, tn_error_message());
        }
    }
    for (uint32_t i = 0; i < tried->input_count; i++) {
        if (read[i] != inputs[i]) {
            tn_tensor_release(read[i]);
        }
    }
    return is_done;
}

/* Few graphs may have numbers that are none: they hide what differs. */
static int is_finite(const tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        if (!isfinite(test_element(view, i))) {
            return 0;
        }
    }
    return 1;
}

/* What rounding may do to each value on the way. */
static void nudge(growing_graph *g, tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    if (view->dtype != TN_F32 && view->dtype != TN_F64) {
        return;
    }
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        const double off = draw(&g->numbers, 2) ? 1e-5 : -1e-5;
        test_set_element(view, i, test_element(view, i) * (1 + off));
    }
}

/* A thousandth, where the input and each value on the way was off by a hundred-thousandth. */
static int is_near(const tn_tensor *tensor, const tn_tensor *nudged) {
    const tn_view *view = tn_tensor_view(tensor), *other = tn_tensor_view(nudged);
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        const double a = test_element(view, i), b = test_element(other, i);
        if (!(fabs(a) < 1e3) || fabs(a - b) > 1e-3 * fmax(1, fabs(a))) {
            return 0;
        }
    }
    return 1;
}

static int gives_good_numbers(growing_graph *g, const trial *tried) {
    const int may_be_any = !g->is_steady && draw(&g->numbers, 8) == 0;
    for (uint32_t i = 0; i < tried->output_count; i++) {
        if (tn_tensor_storage(tried->outputs[i]) != TN_STORAGE_DENSE) {
            return 0;
        }
        if (g->is_steady) {
            nudge(g, tried->nudged_outputs[i]);
        }
        if (!(may_be_any || is_finite(tried->outputs[i])) ||
            (g->is_steady && !is_near(tried->outputs[i], tried->nudged_outputs[i]))) {
            return 0;
        }
    }
    return 1;
}

/* The input in the growing graph: what was given, a label, or a parameter. */
static tn_value input_value(growing_graph *g, const trial *tried, const known_value *given,
                            uint32_t i) {
    if (i < tried->given_count) {
        return given[i].value;
    }
    if (is_listed(tried->op->training_inputs, tried->op->training_input_count, i)) {
        char name[32];
        tn_value value = {0, 0};
        snprintf(name, sizeof name, "label%u", tn_graph_node_count(g->graph));
        if (tn_graph_add_variable(g->graph, name, &tried->input_types[i], &value.node) != TN_OK) {
            abort();
        }
        return value;
    }
    return bind_parameter(g, tried->inputs[i]).value;
}

static void add_for_good(growing_graph *g, const char *op, const tn_option *options,
                         uint32_t option_count, const known_value *given, trial *tried) {
    tn_value inputs[MAX_NODE_INPUTS];
    uint32_t node;
    for (uint32_t i = 0; i < tried->input_count; i++) {
        inputs[i] = input_value(g, tried, given, i);
    }
    if (tn_graph_add_node(g->graph, op, NULL, options, option_count, inputs, tried->input_count,
                          &node) != TN_OK) {
        fprintf(stderr, "%s alone was accepted, but: %s\n", op, tn_error_message());
        abort();
    }
    for (uint32_t i = 0; i < tried->output_count; i++) {
        add_known(g, (tn_value){node, i}, tried->outputs[i], tried->nudged_outputs[i]);
        tried->outputs[i] = tried->nudged_outputs[i] = NULL;
    }
}

static int run_trial(growing_graph *g, const char *op, const tn_option *options,
                     uint32_t option_count, const known_value *given, trial *tried) {
    for (uint32_t i = 0; i < tried->input_count; i++) {
        tried->inputs[i] = i < tried->given_count
                               ? given[i].tensor
                               : draw_tensor(&g->numbers, g->runtime, tried->input_types[i].dtype,
                                             &tried->input_types[i].shape);
        tried->nudged_inputs[i] = i < tried->given_count ? given[i].nudged : tried->inputs[i];
    }
    return invoke(g, op, options, option_count, tried, tried->inputs, tried->outputs) &&
           (!g->is_steady || invoke(g, op, options, option_count, tried, tried->nudged_inputs,
                                    tried->nudged_outputs)) &&
           gives_good_numbers(g, tried);
}

int try_node(growing_graph *g, const char *op, const tn_option *options, uint32_t option_count,
             const known_value *inputs, uint32_t input_count) {
    trial tried = {.op = tn_op_find(g->runtime, op, NULL), .given_count = input_count};
    for (uint32_t i = 0; i < input_count; i++) {
        tried.input_types[i] = type_of(inputs[i].tensor);
    }
    if (g->count + MAX_NODE_OUTPUTS > MAX_VALUES || tried.op == NULL ||
        !infer_alone(g, op, options, option_count, &tried)) {
        return 0;
    }
    const int fits = run_trial(g, op, options, option_count, inputs, &tried);
    if (fits) {
        add_for_good(g, op, options, option_count, inputs, &tried);
    }
    for (uint32_t i = input_count; i < tried.input_count; i++) {
        tn_tensor_release(tried.inputs[i]);
    }
    for (uint32_t i = 0; i < tried.output_count; i++) {
        tn_tensor_release(tried.outputs[i]);
        tn_tensor_release(tried.nudged_outputs[i]);
    }
    return fits;
}

/* The inputs that are given: mostly what is there, of two inputs often twice the same. */
static uint32_t draw_inputs(growing_graph *g, const tn_op *op, known_value *inputs) {
    const uint32_t most =
        op->flags & TN_OP_VARIADIC || op->input_name_count > 3 ? 3 : op->input_name_count;
    const uint32_t count = most == 0 ? 0 : 1 + draw(&g->numbers, most);
    for (uint32_t i = 0; i < count; i++) {
        if (is_listed(op->mutated_inputs, op->mutated_input_count, i) ||
            is_listed(op->training_inputs, op->training_input_count, i)) {
            return i;
        }
        inputs[i] = i > 0 && draw(&g->numbers, 2) ? inputs[0] : *pick(g);
    }
    return count;
}

/* At times a tensor of another shape or dtype than the graph has. */
static void add_source(growing_graph *g) {
    static const tn_dtype dtypes[] = {TN_F32, TN_F32, TN_F32, TN_F64, TN_F16, TN_I32, TN_I64};
    const tn_dtype dtype = g->is_steady ? (tn_dtype)TN_F32 : dtypes[draw(&g->numbers, 7)];
    const tn_shape shape = draw_shape(&g->numbers);
    const known_value made = add_parameter(g, dtype, &shape);
    tn_tensor_retain(made.tensor);
    if (made.nudged != NULL) {
        tn_tensor_retain(made.nudged);
    }
    add_known(g, made.value, made.tensor, made.nudged);
}

int try_operator(growing_graph *g, const char *op) {
    const tn_op *found = tn_op_find(g->runtime, op, NULL);
    random_attributes attributes;
    known_value inputs[MAX_NODE_INPUTS];
    if (g->count < MAX_VALUES / 2 && draw(&g->numbers, 16) == 0) {
        add_source(g);
    }
    const uint32_t count = draw_inputs(g, found, inputs);
    const tn_shape shape = count > 0 ? shape_of(&inputs[0]) : draw_shape(&g->numbers);
    return draw_attributes(&g->numbers, found, &shape, &attributes) &&
           try_node(g, op, attributes.options, attributes.count, inputs, count);
}

/* Operators whose inputs are of a kind that is not drawn. */
static const char *what_it_takes(const char *op) {
    static const char *const needs[][2] = {
        {"onnx.Attention", "its inputs fit together in a way that is not drawn"},
        {"onnx.CausalConvWithState", "its inputs fit together in a way that is not drawn"},
        {"onnx.ConvInteger", "it takes bytes"},
        {"onnx.DeformConv", "its inputs fit together in a way that is not drawn"},
        {"onnx.Einsum", "its equation names the axes"},
        {"onnx.GRU", "its inputs fit together in a way that is not drawn"},
        {"onnx.GridSample", "its inputs fit together in a way that is not drawn"},
        {"onnx.LSTM", "its inputs fit together in a way that is not drawn"},
        {"onnx.LinearAttention", "its inputs fit together in a way that is not drawn"},
        {"onnx.MatMulInteger", "it takes bytes"},
        {"onnx.NegativeLogLikelihoodLoss", "its inputs fit together in a way that is not drawn"},
        {"onnx.QLinearConv", "it takes bytes"},
        {"onnx.QLinearMatMul", "it takes bytes"},
        {"onnx.RNN", "its inputs fit together in a way that is not drawn"},
        {"onnx.RoiAlign", "its inputs fit together in a way that is not drawn"},
        {"onnx.RotaryEmbedding", "its inputs fit together in a way that is not drawn"},
        {"onnx.OptionalEmpty", "it gives a sequence"},
        {"onnx.RegexFullMatch", "it takes texts"},
        {"onnx.SequenceLength", "it takes a sequence"},
        {"onnx.StringConcat", "it takes texts"},
        {"onnx.TfIdfVectorizer", "its attributes fit together in a way that is not drawn"},
        {"onnx.Where", "it takes a condition of bool"},
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (strcmp(needs[i][0], op) == 0) {
            return needs[i][1];
        }
    }
    return NULL;
}

const char *why_not(tn_runtime *runtime, const char *op) {
    const tn_op *found = tn_op_find(runtime, op, NULL);
    int has_kernel = 0;
    for (uint32_t i = 0; i < tn_op_kernel_count(runtime, op); i++) {
        const tn_kernel *kernel;
        const char *name;
        has_kernel |= tn_op_kernel(runtime, op, i, &name, &kernel) == TN_OK &&
                      strcmp(kernel->target, "cpu") == 0;
    }
    return found->flags & TN_OP_STATEFUL         ? "it gives something else each time"
           : found->flags & TN_OP_DATA_DEPENDENT ? "its shapes depend on data"
           : found->subgraph_count > 0           ? "it holds graphs"
           : found->value_input_count > 0        ? "its inputs must be a shape or the like"
           : !has_kernel                         ? "it has no kernel for the CPU"
           : strstr(op, "sparse_retain") != NULL ? "it takes sparse tensors"
                                                 : what_it_takes(op);
}
