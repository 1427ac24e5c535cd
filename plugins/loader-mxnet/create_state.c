/* The state of a node: what a library is told when it makes one. */
#include "dtype.h"
#include "graph_json.h"
#include "operators.h"
#include "text_buffer.h"

/* What the library is told of a node that stands for a subgraph, besides the attributes. */
struct subgraph_texts {
    struct graph_json json;
    struct text_buffer shapes, dtypes; /* of the outputs: "[[2,3],[]]" and "[0,4]" */
    tn_option options[3];
    size_t count;
};

/* A variable with a tensor is no input of the node, and the library would take it for one. */
static tn_status check_variables(const tn_host *host, const tn_graph *subgraph) {
    const tn_graph_service *graphs = TN_SERVICE(host, graph);
    for (uint32_t i = 0; i < graphs->node_count(host, subgraph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (graphs->parameter(host, subgraph, i) != NULL) {
            TN_TRY(graphs->node_info(host, subgraph, i, &info));
            return tn_fail(host, TN_UNSUPPORTED,
                           "the parameter '%.80s' lies in the subgraph, where a library cannot see "
                           "its elements",
                           info.name);
        }
    }
    return TN_OK;
}

static void write_types(const tn_prepare_call *call, uint32_t output_count,
                        struct subgraph_texts *texts) {
    text_add(&texts->shapes, "[");
    text_add(&texts->dtypes, "[");
    for (uint32_t i = 0; i < output_count; i++) {
        const tn_view *view = call->outputs[i];
        text_add(&texts->shapes, "%s[", i > 0 ? "," : "");
        for (int32_t axis = 0; axis < view->rank; axis++) {
            text_add(&texts->shapes, "%s%lld", axis > 0 ? "," : "", (long long)view->shape[axis]);
        }
        text_add(&texts->shapes, "]");
        text_add(&texts->dtypes, "%s%d", i > 0 ? "," : "", extension_dtype(view->dtype));
    }
    text_add(&texts->shapes, "]");
    text_add(&texts->dtypes, "]");
}

static void destroy_texts(const tn_host *host, struct subgraph_texts *texts) {
    graph_json_destroy(host, &texts->json);
    TN_SERVICE(host, memory)->free(host, texts->shapes.data);
    TN_SERVICE(host, memory)->free(host, texts->dtypes.data);
}

static tn_status write_texts(const struct extension_op *op, const tn_prepare_call *call,
                             struct subgraph_texts *texts) {
    const tn_host *host = call->host;
    if (!op->is_subgraph || call->subgraph_count != 1) {
        return TN_OK;
    }
    TN_TRY(check_variables(host, call->subgraphs[0]));
    TN_TRY(
        graph_json_write_subgraph(host, call->subgraphs[0], op->extension->version, &texts->json));
    texts->shapes.host = texts->dtypes.host = host;
    write_types(call, call->output_count - op_state_count(op), texts);
    if (texts->shapes.has_failed || texts->dtypes.has_failed) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory to create a state");
    }
    texts->options[0] = (tn_option){"subgraph_sym_json", texts->json.text};
    texts->options[1] = (tn_option){"__ext_shape__", texts->shapes.data};
    texts->options[2] = (tn_option){"__ext_dtype__", texts->dtypes.data};
    texts->count = 3;
    return TN_OK;
}

static tn_status create_with(const struct extension_op *op, const tn_prepare_call *call,
                             const struct subgraph_texts *texts, const struct call_tensors *inputs,
                             struct live_state **out_state) {
    const struct op_attributes *attributes = call->attributes;
    const tn_host *host = call->host;
    const size_t count = (size_t)inputs->count;
    struct call_options options;
    unsigned **shapes =
        TN_SERVICE(host, memory)
            ->allocate(host, (count + 1) * (TN_MAX_RANK * sizeof(unsigned) + sizeof *shapes));
    if (shapes == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory to create a state");
    }
    unsigned *at = (unsigned *)(shapes + count + 1);
    for (size_t i = 0; i < count; i++) {
        shapes[i] = at;
        for (int axis = 0; axis < inputs->ranks[i]; axis++) {
            *at++ = (unsigned)inputs->shapes[i][axis];
        }
    }
    tn_status status =
        op_options_create_with(host, &attributes->given, texts->options, texts->count, &options);
    if (status == TN_OK) {
        const struct call_create create = {.function = op->create,
                                           .options = options,
                                           .shapes = shapes,
                                           .ranks = inputs->ranks,
                                           .dtypes = inputs->dtypes,
                                           .input_count = inputs->count};
        status = live_state_create(op->extension, host, "createOpState", &create, out_state);
        op_options_destroy(host, &options);
    }
    TN_SERVICE(host, memory)->free(host, shapes);
    return status;
}

tn_status op_create_state(const struct extension_op *op, const tn_prepare_call *call,
                          const struct call_tensors *inputs, struct live_state **out_state) {
    struct subgraph_texts texts = {.count = 0};
    tn_status status = write_texts(op, call, &texts);
    if (status == TN_OK) {
        status = create_with(op, call, &texts, inputs, out_state);
    }
    destroy_texts(call->host, &texts);
    return status;
}
