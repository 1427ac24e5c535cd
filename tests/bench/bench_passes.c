/*
 * What each pass gains: a graph in which it finds what it looks for, before and after, run in turn.
 * Times are of the processor, on one thread, so that other programs do them little harm; beside
 * them what lies in memory: the plan's arena and the parameters.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { ROUNDS = 9, MAX_OPTIONS = 8 };

#define BATCH_NORM "fix_gamma", "False", NULL
#define WINDOW "kernel", "(3,3)", "pad", "(1,1)", "num_filter", "64"

static const tn_value none = {TN_NO_NODE, 0};

/* Attributes are texts "name", "value", …, NULL. Inputs that are not given become variables. */
static tn_value node(tn_graph *graph, const char *op, const char *const *attributes, tn_value left,
                     tn_value right) {
    const tn_value inputs[] = {left, right};
    tn_option options[MAX_OPTIONS] = {{NULL, NULL}};
    tn_value made = {0, 0};
    uint32_t count = 0;
    for (; attributes != NULL && attributes[2 * count] != NULL; count++) {
        options[count] = (tn_option){attributes[2 * count], attributes[2 * count + 1]};
    }
    bench_check(tn_graph_add_node(graph, op, NULL, options, count, inputs,
                                  right.node == TN_NO_NODE ? 1 : 2, &made.node),
                op);
    bench_check(tn_graph_complete_inputs(graph, made.node), op);
    return made;
}

static tn_value unary(tn_graph *graph, const char *op, tn_value x) {
    return node(graph, op, NULL, x, none);
}

static tn_value copies(tn_graph *graph, tn_value x) {
    for (int i = 0; i < 4; i++) {
        x = unary(graph, i % 2 == 0 ? "Dropout" : "_copy", unary(graph, "relu", x));
    }
    return x;
}

/* Each channel alone, as networks for telephones have it. */
static tn_value convolution_and_norm(tn_graph *graph, tn_value x) {
    x = node(graph, "Convolution",
             (const char *[]){WINDOW, "num_group", "64", "no_bias", "True", NULL}, x, none);
    return node(graph, "BatchNorm", (const char *[]){BATCH_NORM}, x, none);
}

static tn_value product_and_norm(tn_graph *graph, tn_value x) {
    x = node(graph, "FullyConnected", (const char *[]){"num_hidden", "1024", NULL}, x, none);
    return node(graph, "BatchNorm", (const char *[]){BATCH_NORM}, x, none);
}

static tn_value transposes(tn_graph *graph, tn_value x) {
    x = node(graph, "transpose", (const char *[]){"axes", "(0,2,3,1)", NULL}, x, none);
    x = node(graph, "transpose", (const char *[]){"axes", "(0,3,1,2)", NULL}, x, none);
    return unary(graph, "relu", x);
}

static tn_value reshapes(tn_graph *graph, tn_value x) {
    for (int i = 0; i < 8; i++) {
        x = node(graph, "expand_dims", (const char *[]){"axis", "0", NULL}, x, none);
        x = node(graph, "Reshape", (const char *[]){"shape", "(16,-1)", NULL}, x, none);
    }
    return unary(graph, "relu", x);
}

static tn_value weight(tn_graph *graph, const char *name) {
    const tn_tensor_type type = {TN_F32, TN_STORAGE_DENSE, {.rank = 2, .extents = {1024, 1024}}};
    tn_value made = {0, 0};
    bench_check(tn_graph_add_variable(graph, name, &type, &made.node), name);
    return made;
}

static tn_value product(tn_graph *graph, tn_value x, tn_value weights) {
    return node(graph, "FullyConnected",
                (const char *[]){"num_hidden", "1024", "no_bias", "True", NULL}, x, weights);
}

/* Weights that are scaled to a length of 1 for each row, as trained ones often are. */
static tn_value constants(tn_graph *graph, tn_value x) {
    return product(graph, x, unary(graph, "L2Normalization", weight(graph, "weight")));
}

static tn_value equal_nodes(tn_graph *graph, tn_value x) {
    const tn_value left = unary(graph, "tanh", x), right = unary(graph, "tanh", x);
    return node(graph, "elemwise_mul", NULL, left, unary(graph, "square", right));
}

static tn_value residual(tn_graph *graph, tn_value x) {
    const char *const attributes[] = {"kernel", "(1,1)", "num_filter", "64", NULL};
    const tn_value y = node(graph, "Convolution", attributes, x, none);
    return unary(graph, "relu", node(graph, "elemwise_add", NULL, y, x));
}

static tn_value depthwise(tn_graph *graph, tn_value x) {
    x = node(graph, "Convolution", (const char *[]){WINDOW, "num_group", "64", NULL}, x, none);
    return node(graph, "clip", (const char *[]){"a_min", "0", "a_max", "6", NULL}, x, none);
}

static const char *const functions[] = {"square", "relu", "negative", "abs"};

static tn_value chain(tn_graph *graph, tn_value x) {
    for (int i = 0; i < 8; i++) {
        x = unary(graph, functions[i % 4], x);
    }
    return x;
}

/* The same where each value is read once more, one element of it, as soon as the next is there:
 * nothing can be written over. */
static tn_value read_again(tn_graph *graph, tn_value x) {
    static const char *const one[] = {"begin", "(0,0)", "end", "(1,1)", NULL};
    tn_value sum = none;
    for (int i = 0; i < 8; i++) {
        const tn_value y = unary(graph, functions[i % 4], x);
        const tn_value element = node(graph, "slice", one, x, none);
        if (i > 0) {
            bench_check(tn_graph_add_control(graph, y.node, sum.node), "control");
        }
        bench_check(tn_graph_add_control(graph, element.node, y.node), "control");
        sum = i == 0 ? element : node(graph, "elemwise_add", NULL, sum, element);
        x = y;
    }
    return node(graph, "broadcast_add", NULL, x, sum);
}

/* A network that has two heads, one of which nobody asks for. */
static tn_value dead_branch(tn_graph *graph, tn_value x) {
    unary(graph, "softmax", product(graph, x, weight(graph, "unwanted")));
    return unary(graph, "softmax", product(graph, x, weight(graph, "wanted")));
}

static tn_value convolutions(tn_graph *graph, tn_value x) {
    for (int i = 0; i < 4; i++) {
        x = unary(graph, "relu",
                  node(graph, "Convolution", (const char *[]){WINDOW, NULL}, x, none));
    }
    return x;
}

static tn_value channels_last(tn_graph *graph, tn_value x) {
    for (int i = 0; i < 4; i++) {
        x = unary(
            graph, "relu",
            node(graph, "Convolution", (const char *[]){WINDOW, "layout", "NHWC", NULL}, x, none));
    }
    return x;
}

#define ELEMENTS                                                                                   \
    {                                                                                              \
        .rank = 2, .extents = { 16, 1 << 18 }                                                      \
    }
#define ROWS                                                                                       \
    {                                                                                              \
        .rank = 2, .extents = { 64, 1024 }                                                         \
    }
#define IMAGE                                                                                      \
    {                                                                                              \
        .rank = 4, .extents = { 1, 64, 56, 56 }                                                    \
    }

static const struct pass_case {
    const char *passes, *what; /* passes are separated by '+'; none: see `after` */
    tn_value (*build)(tn_graph *graph, tn_value x);
    tn_shape shape;
    tn_value (*after)(tn_graph *graph, tn_value x); /* NULL: the passes change the graph */
} cases[] = {
    {"remove-identity", "four copies among four relu", copies, ELEMENTS, NULL},
    {"fold-batch-norm", "a convolution and a norm", convolution_and_norm, IMAGE, NULL},
    {"fold-batch-norm", "a product and a norm", product_and_norm, ROWS, NULL},
    {"simplify-transpose", "two transposes and a relu", transposes, IMAGE, NULL},
    {"simplify-reshape", "sixteen reshapes and a relu", reshapes, ROWS, NULL},
    {"fold-constants", "a product with scaled weights", constants, ROWS, NULL},
    {"merge-equal-nodes", "tanh twice, a square, a product", equal_nodes, ELEMENTS, NULL},
    {"fuse-convolution", "a convolution, a sum, a relu", residual, IMAGE, NULL},
    {"fuse-convolution", "each channel convolved, a clip", depthwise, IMAGE, NULL},
    {"fuse-elementwise", "eight functions", chain, ELEMENTS, NULL},
    {"remove-dead-nodes", "two heads, one of use", dead_branch, ROWS, NULL},
    {"", "eight functions", read_again, ELEMENTS, chain},
    {"convert-dtype", "four convolutions", convolutions, IMAGE, NULL},
    {"choose-layout+fold-constants",
     "four convolutions, channels last",
     channels_last,
     {.rank = 4, .extents = {1, 56, 56, 64}},
     NULL},
};

/* Every variable but x gets positive numbers that add up to little more than 1. */
static void fill_parameters(tn_runtime *runtime, tn_graph *graph) {
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        tn_tensor_type type;
        tn_tensor *tensor;
        bench_check(tn_graph_node(graph, i, &info), "node");
        if (info.op != NULL || strcmp(info.name, "x") == 0) {
            continue;
        }
        bench_check(tn_graph_infer(graph, NULL, 0), "infer");
        bench_check(tn_graph_type(graph, (tn_value){i, 0}, &type), info.name);
        bench_check(tn_tensor_create(runtime, TN_F32, type.shape.rank, type.shape.extents, &tensor),
                    info.name);
        float *elements = tn_tensor_data(tensor);
        const uint64_t count = tn_tensor_byte_size(tensor) / sizeof *elements;
        for (uint64_t k = 0; k < count; k++) {
            elements[k] = (float)(k % 7 + 1) / (type.shape.rank > 1 ? 2048.0f : 8.0f);
        }
        bench_check(tn_graph_set_parameter(graph, info.name, tensor), info.name);
        tn_tensor_release(tensor);
    }
}

static tn_graph *make_graph(tn_runtime *runtime, const struct pass_case *given,
                            tn_value (*build)(tn_graph *graph, tn_value x)) {
    const tn_tensor_type type = {TN_F32, TN_STORAGE_DENSE, given->shape};
    tn_graph *graph;
    tn_value x = {0, 0};
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", &type, &x.node), "x");
    const tn_value y = build(graph, x);
    bench_check(tn_graph_set_outputs(graph, &y, 1), "outputs");
    fill_parameters(runtime, graph);
    return graph;
}

/* A graph on a device; the input and the output stay there. Times are in milliseconds: of a run,
 * and of all it takes to come to the first result. */
typedef struct ready_graph {
    tn_graph *graph;
    tn_device *device;
    tn_session *session; /* NULL: nothing there computes it */
    tn_tensor *input, *output;
    uint32_t nodes, repeats;
    double arena, parameters; /* MiB */
    double run, first;
} ready_graph;

static double processor_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static double time_runs(ready_graph *self, uint32_t repeats) {
    const double start = processor_milliseconds();
    for (uint32_t i = 0; i < repeats; i++) {
        bench_check(tn_session_run(self->session, &self->input, &self->output), "run");
    }
    return (processor_milliseconds() - start) / repeats;
}

/* All but the graph: a session, its plan, and one run, which may fail. */
static tn_status begin(ready_graph *self) {
    const double start = processor_milliseconds();
    bench_check(tn_session_create(self->graph, self->device, NULL, &self->session), "session");
    const tn_status status = tn_session_run(self->session, &self->input, &self->output);
    self->first = fmin(self->first, processor_milliseconds() - start);
    if (status != TN_OK) {
        tn_session_destroy(self->session);
        self->session = NULL;
    }
    return status;
}

static void count_contents(ready_graph *self) {
    for (uint32_t i = 0; i < tn_graph_node_count(self->graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        bench_check(tn_graph_node(self->graph, i, &info), "node");
        const tn_tensor *tensor = tn_graph_parameter(self->graph, i);
        self->nodes += info.op != NULL;
        self->parameters += tensor != NULL ? (double)tn_tensor_byte_size(tensor) / 0x100000 : 0;
    }
}

static ready_graph make_ready(const tn_graph *graph, tn_device *device, const tn_shape *shape) {
    ready_graph made = {.device = device, .run = HUGE_VAL, .first = HUGE_VAL};
    tn_plan_info plan = {.struct_size = TN_PLAN_INFO_SIZE};
    bench_check(tn_graph_copy(graph, &made.graph), "copy");
    count_contents(&made);
    bench_check(tn_tensor_create_on(device, TN_F32, shape->rank, shape->extents, &made.input),
                "input");
    if (begin(&made) == TN_OK) {
        bench_check(tn_session_plan(made.session, &plan), "plan");
        made.arena = (double)plan.arena_size / 0x100000;
        made.repeats = 1 + (uint32_t)(10 / (time_runs(&made, 1) + 1e-3));
    }
    return made;
}

static void measure(ready_graph *self) {
    if (self->session != NULL) {
        self->run = fmin(self->run, time_runs(self, self->repeats));
        tn_session_destroy(self->session);
        bench_check(begin(self), "first run");
    }
}

static void finish(ready_graph *self) {
    tn_tensor_release(self->output);
    tn_tensor_release(self->input);
    tn_session_destroy(self->session);
    tn_graph_destroy(self->graph);
}

static void print(const struct pass_case *given, const ready_graph *before,
                  const ready_graph *after) {
    char run[32] = "does not run", ratio[16] = "", first[16] = "";
    if (before->session != NULL) {
        snprintf(run, sizeof run, "%.3f ms", before->run);
        snprintf(first, sizeof first, "%.2f ms", before->first);
        snprintf(ratio, sizeof ratio, "%.2f", before->run / after->run);
    }
    printf("| `%s` | %s | %u, %u | %s | %.3f ms | %s | %s, %.2f ms | %.2f, %.2f | %.2f, %.2f |\n",
           given->passes[0] != '\0' ? given->passes : "in place", given->what, before->nodes,
           after->nodes, run, after->run, ratio, first, after->first, before->arena, after->arena,
           before->parameters, after->parameters);
    fflush(stdout);
}

static void run_passes(tn_graph *graph, const char *passes) {
    for (const char *begin_of = passes; *begin_of != '\0';) {
        const size_t length = strcspn(begin_of, "+");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, begin_of);
        bench_check(tn_graph_run_pass(graph, name, NULL, 0, NULL, 0), name);
        begin_of += length + (begin_of[length] == '+');
    }
}

static void compare(tn_runtime *runtime, tn_device *device, const struct pass_case *given) {
    tn_graph *graph = make_graph(runtime, given, given->build);
    ready_graph before = make_ready(graph, device, &given->shape);
    if (given->after != NULL) {
        tn_graph_destroy(graph);
        graph = make_graph(runtime, given, given->after);
    }
    run_passes(graph, given->passes);
    ready_graph after = make_ready(graph, device, &given->shape);
    for (int i = 0; i < ROUNDS; i++) {
        measure(&before);
        measure(&after);
    }
    print(given, &before, &after);
    finish(&before);
    finish(&after);
    tn_graph_destroy(graph);
}

int main(void) {
    static const char *const devices[] = {"cpu", "vulkan"};
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .thread_count = 1};
    tn_runtime *runtime;
    bench_check(tn_runtime_create(&options, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    for (int i = 0; i < 2; i++) {
        tn_device *device;
        if (tn_device_open(runtime, devices[i], &device) != TN_OK) {
            printf("%s: %s\n", devices[i], tn_error_message());
            continue;
        }
        printf("%s\n| pass | graph | nodes | a run before | after | ratio | to the first result | "
               "arena, MiB | parameters, MiB |\n"
               "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
               devices[i]);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            compare(runtime, device, &cases[k]);
        }
        tn_device_close(device);
    }
    tn_runtime_destroy(runtime);
    return 0;
}
