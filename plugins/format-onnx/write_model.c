/* The model around the nodes: inputs, outputs, initializers; and the file. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "dtype.h"
#include "write_rules.h"

enum { IR_VERSION = 8, OPERATOR_SET = 17 };
enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET_IMPORT = 8 };
enum { GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_ELEM_TYPE = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

tn_tensor_type known_type(const struct onnx_writer *writer, tn_value value) {
    const tn_graph_service *graphs = TN_SERVICE(writer->host, graph);
    tn_tensor_type type = {.shape = tn_shape_unknown()}, declared = type;
    if (graphs->value_type(writer->host, writer->graph, value, &type) != TN_OK) {
        type = declared;
    }
    if (type.shape.rank < 0 &&
        graphs->variable_type(writer->host, writer->graph, value.node, &declared) == TN_OK) {
        type = declared;
    }
    return type;
}

static struct bytes_out value_message(const struct onnx_writer *writer, const char *name,
                                      const tn_tensor_type *given) {
    const tn_tensor_type known = *given;
    struct bytes_out message = {.host = writer->host}, type = message, tensor = message,
                     shape = message;
    /* A dtype that nobody says is float32, as it is everywhere else. */
    put_int(&tensor, TENSOR_ELEM_TYPE, dtype_to_onnx(known.dtype != 0 ? known.dtype : TN_F32));
    for (int32_t axis = 0; axis < known.shape.rank; axis++) {
        struct bytes_out dim = {.host = writer->host};
        char label[ONNX_NAME_SIZE + 16];
        if (known.shape.extents[axis] >= 0) {
            put_int(&dim, DIM_VALUE, known.shape.extents[axis]);
        } else {
            snprintf(label, sizeof label, "%s_%d", name, (int)axis);
            put_text(&dim, DIM_PARAM, label);
        }
        put_message(&shape, SHAPE_DIM, &dim);
    }
    put_message(&tensor, TENSOR_SHAPE, &shape);
    put_message(&type, TYPE_TENSOR, &tensor);
    put_text(&message, VALUE_NAME, name);
    put_message(&message, VALUE_TYPE, &type);
    return message;
}

/* ONNX wants to know how many axes inputs and outputs have. */
static tn_status check_rank(const tn_host *host, const char *kind, const char *name,
                            const tn_tensor_type *type) {
    return type->shape.rank >= 0
               ? TN_OK
               : tn_fail(host, TN_FAILED_PRECONDITION,
                         "%s '%s': how many axes it has does not follow from the model, and ONNX "
                         "must say it: declare the inputs' shapes (tenon convert --shape NAME=…)",
                         kind, name);
}

/* What goes into a fully connected layer, and is known by nothing else, are rows of features. */
static tn_shape shape_as_features(const struct onnx_writer *writer, uint32_t number) {
    const tn_graph_service *graphs = TN_SERVICE(writer->host, graph);
    tn_shape shape = tn_shape_unknown();
    const tn_use *uses;
    uint32_t count;
    if (graphs->uses(writer->host, writer->graph, number, &uses, &count) != TN_OK) {
        return shape;
    }
    for (uint32_t i = 0; i < count && shape.rank < 0; i++) {
        tn_node_info user = {.struct_size = TN_NODE_INFO_SIZE};
        if (uses[i].node != TN_NO_NODE && uses[i].input == 0 &&
            graphs->node_info(writer->host, writer->graph, uses[i].node, &user) == TN_OK &&
            strcmp(user.op, "FullyConnected") == 0) {
            const tn_tensor_type weight = known_type(writer, user.inputs[1]);
            shape = tn_shape_of_rank(2);
            shape.extents[1] = weight.shape.rank == 2 ? weight.shape.extents[1] : TN_UNKNOWN;
        }
    }
    return shape;
}

/* An output of the graph. What is an output twice is so under another name besides. */
static tn_status write_output(struct onnx_writer *writer, struct bytes_out *graph, uint32_t index,
                              const tn_value *outputs) {
    char name[ONNX_NAME_SIZE], other[ONNX_NAME_SIZE];
    const tn_tensor_type type = known_type(writer, outputs[index]);
    value_name(writer, outputs[index], name);
    for (uint32_t i = 0; i < index; i++) {
        if (outputs[i].node != outputs[index].node || outputs[i].output != outputs[index].output) {
            continue;
        }
        const tn_node_info copy = {.struct_size = TN_NODE_INFO_SIZE, .name = name, .op = "_copy"};
        struct written_node node = {.writer = writer, .info = &copy, .made = index};
        const char *const source[] = {name, NULL};
        const char *wanted = output_name(writer, index);
        write_plain(&node, "Identity", source,
                    wanted[0] != '\0' ? wanted : between_value(&node, other));
        snprintf(name, sizeof name, "%.590s", wanted[0] != '\0' ? wanted : other);
        break;
    }
    TN_TRY(check_rank(writer->host, "output", name, &type));
    struct bytes_out message = value_message(writer, name, &type);
    put_message(graph, GRAPH_OUTPUT, &message);
    return TN_OK;
}

static tn_status write_variable(struct onnx_writer *writer, struct bytes_out *graph,
                                const tn_node_info *info, uint32_t number) {
    const tn_graph_service *graphs = TN_SERVICE(writer->host, graph);
    const tn_tensor *tensor = graphs->parameter(writer->host, writer->graph, number);
    if (tensor != NULL) {
        const tn_view *view = TN_SERVICE(writer->host, tensor)->view(writer->host, tensor);
        if (view->device.type != TN_DEVICE_TYPE_CPU) {
            return tn_fail(writer->host, TN_UNSUPPORTED, "parameter '%s' lies on a device",
                           info->name);
        }
        struct bytes_out message = tensor_message(writer->host, info->name, view);
        put_message(graph, GRAPH_INITIALIZER, &message);
        return TN_OK;
    }
    if (graphs->variable_kind(writer->host, writer->graph, number) == TN_VARIABLE_TRAINING) {
        return TN_OK; /* a label: nothing that is written reads it */
    }
    tn_tensor_type type = known_type(writer, (tn_value){number, 0});
    if (type.shape.rank < 0) {
        type.shape = shape_as_features(writer, number);
    }
    TN_TRY(check_rank(writer->host, "input", info->name, &type));
    struct bytes_out message = value_message(writer, info->name, &type);
    put_message(graph, GRAPH_INPUT, &message);
    return TN_OK;
}

static tn_status write_node(struct onnx_writer *writer, const tn_node_info *info, uint32_t number) {
    struct written_node node = {.writer = writer, .info = info, .number = number};
    node.rule = find_write_rule(info->op);
    if (node.rule == NULL) {
        return write_fail(&node, TN_UNSUPPORTED, "ONNX has nothing that it is mapped to");
    }
    return node.rule->write(&node);
}

/* Whether a label, or what is made of one, goes into the node; nodes that take labels for training
 * alone write nothing of them. `of_labels` tells it of the nodes before. */
static int follows_from_label(const tn_node_info *info, const unsigned char *of_labels) {
    const struct write_rule *rule = find_write_rule(info->op);
    const int takes_labels =
        rule != NULL && (rule->write == write_softmax_output || rule->write == write_step_softmax);
    const uint32_t count = takes_labels && info->input_count > 1 ? 1 : info->input_count;
    int follows = 0;
    for (uint32_t i = 0; i < count; i++) {
        follows |= info->inputs[i].node != TN_NO_NODE && of_labels[info->inputs[i].node];
    }
    return follows;
}

static tn_status write_nodes(struct onnx_writer *writer, struct bytes_out *graph,
                             unsigned char *of_labels) {
    const tn_graph_service *graphs = TN_SERVICE(writer->host, graph);
    uint32_t count;
    const uint32_t *order = graphs->order(writer->host, writer->graph, &count);
    if (order == NULL) {
        return tn_fail(writer->host, TN_INVALID_ARGUMENT, "the graph has a cycle");
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = order[i];
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        TN_TRY(graphs->node_info(writer->host, writer->graph, number, &info));
        of_labels[number] = info.op == NULL ? graphs->variable_kind(writer->host, writer->graph,
                                                                    number) == TN_VARIABLE_TRAINING
                                            : follows_from_label(&info, of_labels) != 0;
        if (info.op == NULL) {
            TN_TRY(write_variable(writer, graph, &info, number));
        } else if (!of_labels[number]) {
            TN_TRY(write_node(writer, &info, number));
        }
    }
    return TN_OK;
}

static tn_status write_graph(struct onnx_writer *writer, struct bytes_out *graph) {
    const tn_graph_service *graphs = TN_SERVICE(writer->host, graph);
    uint32_t count;
    void *of_labels;
    TN_TRY(
        tn_allocate(writer->host, graphs->node_count(writer->host, writer->graph), 1, &of_labels));
    const tn_status status = write_nodes(writer, graph, of_labels);
    tn_free(writer->host, of_labels);
    TN_TRY(status);
    const tn_value *outputs = graphs->outputs(writer->host, writer->graph, &count);
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(write_output(writer, graph, i, outputs));
    }
    put_bytes(graph, writer->nodes.data, writer->nodes.size);
    put_text(graph, GRAPH_NAME, "graph");
    return writer->nodes.status != TN_OK ? writer->nodes.status : graph->status;
}

/* Beside the target, which takes its name when all is written. */
static tn_status write_file(const tn_host *host, const char *path, const struct bytes_out *model) {
    char partial[4096];
    if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the path is too long");
    }
    FILE *file = fopen(partial, "wbe");
    int fails = file == NULL;
    if (file != NULL) {
        fails = fwrite(model->data, 1, model->size, file) != model->size;
        fails |= fclose(file) != 0;
    }
    if (fails || rename(partial, path) != 0) {
        const int why = errno;
        unlink(partial);
        return tn_fail(host, TN_IO, "cannot write '%.300s': %s", path, strerror(why));
    }
    return TN_OK;
}

tn_status onnx_write_model(const tn_host *host, const tn_graph *graph, const char *path) {
    struct onnx_writer writer = {.host = host, .graph = graph, .nodes = {.host = host}};
    struct bytes_out whole = {.host = host}, model = whole, opset = whole;
    tn_status status = write_graph(&writer, &whole);
    put_int(&model, MODEL_IR_VERSION, IR_VERSION);
    put_text(&model, MODEL_PRODUCER, "tenon");
    put_message(&model, MODEL_GRAPH, &whole);
    put_text(&opset, OPSET_DOMAIN, "");
    put_int(&opset, OPSET_VERSION, OPERATOR_SET);
    put_message(&model, MODEL_OPSET_IMPORT, &opset);
    status = status == TN_OK ? model.status : status;
    if (status == TN_OK) {
        status = write_file(host, path, &model);
    }
    bytes_finish(&writer.nodes);
    bytes_finish(&model);
    return status;
}
