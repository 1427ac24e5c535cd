/*
 * The partitioner @NAME@: `tenon run MODEL … --plugin ./@NAME@.so --partition @NAME@`.
 * It carves out chains of element-wise operators and computes each in one pass. This line
 * builds it; nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <string.h>

#include <tenon/plugin.h>

/* What a chain is made of. */
static float relu(float x) {
    return x > 0 ? x : 0;
}
static float negative(float x) {
    return -x;
}
static float square(float x) {
    return x * x;
}
typedef float (*function)(float);
static const struct {
    const char *op;
    function apply;
} functions[] = {{"relu", relu}, {"negative", negative}, {"square", square}};

static function find_function(const char *op) {
    for (size_t i = 0; op != NULL && i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].op, op) == 0) {
            return functions[i].apply;
        }
    }
    return NULL;
}

/* The strategy: which nodes. The host makes subgraphs of those that are connected. */
static tn_status find_supported(tn_strategy_call *call) {
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    const uint32_t count = graphs->node_count(call->host, call->graph);
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (graphs->node_info(call->host, call->graph, i, &info) == TN_OK &&
            find_function(info.op) != NULL) {
            call->groups[i] = 0;
        }
    }
    return TN_OK;
}

/* Only chains: nodes that read one value each, of which one is read outside. */
static tn_status review(tn_review_call *call) {
    call->accept = call->input_count == 1 && call->output_count == 1;
    return TN_OK;
}

static const tn_strategy strategy = {.struct_size = TN_STRATEGY_SIZE,
                                     .name = "chain",
                                     .subgraph_op = "@NAME@",
                                     .find_supported = find_supported,
                                     .review = review};
static const tn_strategy *const strategies[] = {&strategy};
static const tn_partitioner partitioner = {
    .struct_size = TN_PARTITIONER_SIZE,
    .doc = "Computes chains of relu, negative and square in one pass over the elements.",
    .strategies = strategies,
    .strategy_count = 1};

/* The operator that takes a chain's place; the host infers through the subgraph it holds. */
static const char *const outputs[] = {"output"};
static const tn_op chain_op = {.struct_size = TN_OP_SIZE,
                               .flags = TN_OP_SUBGRAPH | TN_OP_VARIADIC,
                               .doc = "A chain of element-wise operators.",
                               .output_names = outputs,
                               .output_name_count = 1,
                               .subgraph_count = 1};

/* What the subgraph is compiled to, when a session plans. */
typedef struct program {
    uint32_t count;
    function steps[];
} program;

static tn_status prepare(tn_prepare_call *call) {
    const tn_graph_service *graphs = TN_SERVICE(call->host, graph);
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    uint32_t count;
    const uint32_t *order = graphs->order(call->host, call->subgraphs[0], &count);
    program *made =
        (program *)memory->allocate(call->host, sizeof *made + count * sizeof made->steps[0]);
    if (made == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for %u steps", count);
    }
    made->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (graphs->node_info(call->host, call->subgraphs[0], order[i], &info) == TN_OK &&
            info.op != NULL) { /* the other is the variable */
            made->steps[made->count++] = find_function(info.op);
        }
    }
    call->state = made;
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const program *steps = (const program *)call->state;
    const float *in = (const float *)tn_data(call->inputs[0]);
    float *out = (float *)tn_data(call->outputs[0]);
    const int64_t count = tn_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        float x = in[i];
        for (uint32_t j = 0; j < steps->count; j++) {
            x = steps->steps[j](x);
        }
        out[i] = x;
    }
    return TN_OK;
}

static void release(const tn_host *host, void *state) {
    (TN_SERVICE(host, memory))->free(host, state);
}

static const tn_dtype floats[] = {TN_F32};
static const tn_kernel kernel = {.struct_size = TN_KERNEL_SIZE,
                                 .flags = TN_KERNEL_COMPILES_SUBGRAPHS,
                                 .op = "@NAME@",
                                 .target = "cpu",
                                 .dtypes = floats,
                                 .dtype_count = 1,
                                 .prepare = prepare,
                                 .run = run,
                                 .release = release};

static const tn_entry entries[] = {TN_ENTRY_PARTITIONER("@NAME@", &partitioner),
                                   TN_ENTRY_OP("@NAME@", &chain_op),
                                   TN_ENTRY_KERNEL("@NAME@.cpu", &kernel)};
TN_PLUGIN_WITH("@NAME@", "0.1.0", "error/1,graph/1,memory/1", "", NULL, NULL, entries);
