#include "writer.h"

#include <tenon/plugin/half.h>

#include "dtype.h"

/* Field numbers of the messages. */
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_FLOAT = 1, TYPE_INT = 2, TYPE_STRING = 3, TYPE_TENSOR = 4, TYPE_INTS = 7 };
enum {
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_STRING_DATA = 6,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9
};
enum { GRAPH_NODE = 1 };

void write_error(const struct written_node *node, tn_status status, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tn_set_error(node->writer->host, status, "node '%s' (%s): %s", node->info->name, node->info->op,
                 text);
}

static int is_in_table(const tn_attribute *table, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

tn_status parse_attributes(const struct written_node *node, const tn_attribute *table,
                           uint32_t count, void *out, uint64_t size) {
    const tn_host *host = node->writer->host;
    const tn_attrs_service *attrs = TN_SERVICE(host, attrs);
    void *memory;
    uint32_t known = 0;
    TN_TRY(tn_allocate(host, node->info->attribute_count, sizeof(tn_option), &memory));
    tn_option *options = memory;
    for (uint32_t i = 0; i < node->info->attribute_count; i++) {
        if (is_in_table(table, count, node->info->attributes[i].name)) {
            options[known++] = node->info->attributes[i];
        }
    }
    const tn_status status = attrs->parse(host, node->info->name, table, count, TN_ATTRIBUTE_STRIDE,
                                          options, known, out, size);
    tn_free(host, memory);
    return status;
}

void release_attributes(const struct written_node *node, const tn_attribute *table, uint32_t count,
                        void *out) {
    const tn_host *host = node->writer->host;
    const tn_attrs_service *attrs = TN_SERVICE(host, attrs);
    attrs->release(host, table, count, TN_ATTRIBUTE_STRIDE, out);
}

const char *output_name(const struct onnx_writer *writer, uint32_t index) {
    const tn_graph_service *graphs = TN_SERVICE(writer->host, graph);
    const char *name = graphs->output_name(writer->host, writer->graph, index);
    return name == NULL || graphs->find_node(writer->host, writer->graph, name) != TN_NO_NODE
               ? ""
               : name;
}

/* The name that the graph's first output with this value has, "" when it is none. Variables keep
 * their own names. */
static const char *name_as_output(const struct onnx_writer *writer, tn_value value,
                                  const tn_node_info *info) {
    uint32_t count;
    const tn_value *outputs =
        TN_SERVICE(writer->host, graph)->outputs(writer->host, writer->graph, &count);
    for (uint32_t i = 0; i < count && info->op != NULL; i++) {
        if (outputs[i].node == value.node && outputs[i].output == value.output) {
            return output_name(writer, i);
        }
    }
    return "";
}

const char *value_name(const struct onnx_writer *writer, tn_value value, char *name) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    name[0] = '\0';
    if (value.node == TN_NO_NODE ||
        TN_SERVICE(writer->host, graph)
                ->node_info(writer->host, writer->graph, value.node, &info) != TN_OK) {
        return name;
    }
    const char *wanted = name_as_output(writer, value, &info);
    if (wanted[0] != '\0') {
        snprintf(name, ONNX_NAME_SIZE, "%.500s", wanted);
    } else if (value.output == 0) {
        snprintf(name, ONNX_NAME_SIZE, "%.500s", info.name);
    } else {
        snprintf(name, ONNX_NAME_SIZE, "%.500s:%u", info.name, (unsigned)value.output);
    }
    return name;
}

const char *input_value(const struct written_node *node, uint32_t input, char *name) {
    return value_name(node->writer,
                      input < node->info->input_count ? node->info->inputs[input]
                                                      : (tn_value){TN_NO_NODE, 0},
                      name);
}

const char *output_value(const struct written_node *node, uint32_t output, char *name) {
    return value_name(node->writer, (tn_value){node->number, output}, name);
}

const char *between_value(struct written_node *node, char *name) {
    snprintf(name, ONNX_NAME_SIZE, "%.500s/%u", node->info->name, (unsigned)++node->made);
    return name;
}

struct bytes_out begin_node(const struct written_node *node, const char *op,
                            const char *const *inputs, const char *output) {
    struct bytes_out made = {.host = node->writer->host};
    for (; *inputs != NULL; inputs++) {
        put_text(&made, NODE_INPUT, *inputs);
    }
    put_text(&made, NODE_OUTPUT, output);
    put_text(&made, NODE_NAME, output);
    put_text(&made, NODE_OP_TYPE, op);
    return made;
}

void add_output(struct bytes_out *made, const char *output) {
    put_text(made, NODE_OUTPUT, output);
}

static struct bytes_out begin_attribute(const struct bytes_out *made, const char *name, int type) {
    struct bytes_out attribute = {.host = made->host};
    put_text(&attribute, ATTRIBUTE_NAME, name);
    put_int(&attribute, ATTRIBUTE_TYPE, type);
    return attribute;
}

void attribute_int(struct bytes_out *made, const char *name, int64_t value) {
    struct bytes_out attribute = begin_attribute(made, name, TYPE_INT);
    put_int(&attribute, ATTRIBUTE_I, value);
    put_message(made, NODE_ATTRIBUTE, &attribute);
}

void attribute_float(struct bytes_out *made, const char *name, double value) {
    struct bytes_out attribute = begin_attribute(made, name, TYPE_FLOAT);
    put_float(&attribute, ATTRIBUTE_F, (float)value);
    put_message(made, NODE_ATTRIBUTE, &attribute);
}

void attribute_text(struct bytes_out *made, const char *name, const char *value) {
    struct bytes_out attribute = begin_attribute(made, name, TYPE_STRING);
    put_text(&attribute, ATTRIBUTE_S, value);
    put_message(made, NODE_ATTRIBUTE, &attribute);
}

void attribute_ints(struct bytes_out *made, const char *name, const int64_t *values,
                    uint32_t count) {
    struct bytes_out attribute = begin_attribute(made, name, TYPE_INTS);
    for (uint32_t i = 0; i < count; i++) {
        put_int(&attribute, ATTRIBUTE_INTS, values[i]);
    }
    put_message(made, NODE_ATTRIBUTE, &attribute);
}

void end_node(struct written_node *node, struct bytes_out *made) {
    put_message(&node->writer->nodes, GRAPH_NODE, made);
}

void write_plain(struct written_node *node, const char *op, const char *const *inputs,
                 const char *output) {
    struct bytes_out made = begin_node(node, op, inputs, output);
    end_node(node, &made);
}

struct bytes_out tensor_message(const tn_host *host, const char *name, const tn_view *view) {
    struct bytes_out message = {.host = host};
    for (int32_t axis = 0; axis < view->rank; axis++) {
        put_int(&message, TENSOR_DIMS, view->shape[axis]);
    }
    put_int(&message, TENSOR_DATA_TYPE, dtype_to_onnx(view->dtype));
    put_text(&message, TENSOR_NAME, name);
    if (view->dtype != TN_STRING) {
        put_data(&message, TENSOR_RAW_DATA, tn_data(view), tn_byte_size(view));
        return message;
    }
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        const char *text = ((const char *const *)tn_data(view))[i];
        put_text(&message, TENSOR_STRING_DATA, text != NULL ? text : "");
    }
    return message;
}

const char *constant_view(struct written_node *node, const tn_view *view, char *name) {
    static const char *const none[] = {NULL};
    between_value(node, name);
    struct bytes_out made = begin_node(node, "Constant", none, name);
    struct bytes_out attribute = begin_attribute(&made, "value", TYPE_TENSOR);
    struct bytes_out tensor = tensor_message(node->writer->host, "", view);
    put_message(&attribute, ATTRIBUTE_T, &tensor);
    put_message(&made, NODE_ATTRIBUTE, &attribute);
    end_node(node, &made);
    return name;
}

const char *constant_ints(struct written_node *node, const int64_t *values, uint32_t count,
                          char *name) {
    const int64_t extent = count;
    const tn_view view = {
        .data = (void *)(uintptr_t)values, .rank = 1, .dtype = TN_I64, .shape = &extent};
    return constant_view(node, &view, name);
}

/* The element of a number, in the dtypes that models mostly have. */
static void number_of(tn_dtype dtype, double value, void *element) {
    const float f32 = (float)value;
    const uint16_t f16 = tn_f16_from_float(f32);
    const int64_t i64 = (int64_t)value;
    const int32_t i32 = (int32_t)value;
    const void *source = dtype == TN_F64   ? (const void *)&value
                         : dtype == TN_F16 ? (const void *)&f16
                         : dtype == TN_I64 ? (const void *)&i64
                         : dtype == TN_I32 ? (const void *)&i32
                                           : (const void *)&f32;
    memcpy(element, source, TN_DTYPE_SIZE(dtype));
}

const char *constant_like(struct written_node *node, double value, tn_value like, char *name) {
    static const tn_dtype dtypes[] = {TN_F32, TN_F64, TN_F16, TN_I64, TN_I32};
    const tn_dtype wanted = known_type(node->writer, like).dtype;
    tn_dtype dtype = 0;
    char number[ONNX_NAME_SIZE], likeness[ONNX_NAME_SIZE];
    unsigned char element[8];
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        dtype = dtypes[i] == wanted ? wanted : dtype;
    }
    number_of(dtype != 0 ? dtype : TN_F32, value, element);
    const tn_view view = {.data = element, .dtype = dtype != 0 ? dtype : TN_F32};
    if (dtype != 0) {
        return constant_view(node, &view, name);
    }
    constant_view(node, &view, number);
    const char *const inputs[] = {number, value_name(node->writer, like, likeness), NULL};
    write_plain(node, "CastLike", inputs, between_value(node, name));
    return name;
}
