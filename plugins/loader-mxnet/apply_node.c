#include "apply_node.h"

/* MXNet wrote "attrs", and before that "attr" or "param". */
static json_t *attributes_of(const json_t *node) {
    static const char *const keys[] = {"attrs", "attr", "param"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *attributes = json_object_get(node, keys[i]);
        if (json_is_object(attributes)) {
            return attributes;
        }
    }
    return NULL;
}

static int is_of_types(const char *name) {
    return strcmp(name, "__ext_shape__") == 0 || strcmp(name, "__ext_dtype__") == 0;
}

static const char *given_text(const tn_option *options, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return options[i].value;
        }
    }
    return NULL;
}

/* What was an annotation of the node by that name, and what MXNet or the library notes on every
 * node, is no attribute of an operator. */
static int is_annotation(const struct application *work, uint32_t old, const char *name) {
    tn_node_info info;
    return (strncmp(name, "__", 2) == 0 && strcmp(name, "__ext_extra_inputs__") != 0) ||
           (old != TN_NO_NODE && node_info(work, old, &info) == TN_OK &&
            given_text(info.annotations, info.annotation_count, name) != NULL);
}

tn_status annotate(const struct application *work, const json_t *node, uint32_t old,
                   uint32_t built) {
    const char *name;
    json_t *value;
    json_object_foreach(attributes_of(node), name, value) {
        tn_node_info info;
        TN_TRY(node_info(work, built, &info));
        const char *text = json_string_value(value);
        const char *before = given_text(info.annotations, info.annotation_count, name);
        if (text != NULL && !is_of_types(name) &&
            (info.op == NULL || is_annotation(work, old, name)) &&
            (before == NULL || strcmp(before, text) != 0)) {
            TN_TRY(work->graphs->annotate(work->host, work->graph, built, name, text));
        }
    }
    return TN_OK;
}

/* Whether the node of the graph has the attributes of the text, and no other. */
static int has_attributes(const struct application *work, const json_t *node, uint32_t old,
                          const tn_node_info *info) {
    uint32_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach(attributes_of(node), name, value) {
        const char *before = given_text(info->attributes, info->attribute_count, name);
        if (is_annotation(work, old, name)) {
            continue;
        }
        if (before == NULL || json_string_value(value) == NULL ||
            strcmp(before, json_string_value(value)) != 0) {
            return 0;
        }
        count++;
    }
    return count == info->attribute_count;
}

/* The attributes of the node made those of the text. */
static tn_status set_attributes(const struct application *work, const json_t *node, uint32_t old) {
    const char *name;
    json_t *value;
    tn_node_info info;
    json_object_foreach(attributes_of(node), name, value) {
        const char *text = json_string_value(value);
        TN_TRY(node_info(work, old, &info));
        const char *before = given_text(info.attributes, info.attribute_count, name);
        if (!is_annotation(work, old, name) && text != NULL &&
            (before == NULL || strcmp(before, text) != 0)) {
            TN_TRY(work->graphs->set_attribute(work->host, work->graph, old, name, text));
        }
    }
    TN_TRY(node_info(work, old, &info));
    for (uint32_t i = info.attribute_count; i-- > 0;) {
        if (json_object_get(attributes_of(node), info.attributes[i].name) == NULL) {
            TN_TRY(work->graphs->set_attribute(work->host, work->graph, old,
                                               info.attributes[i].name, NULL));
            TN_TRY(node_info(work, old, &info));
        }
    }
    return TN_OK;
}

tn_status apply_to_node(const struct application *work, const json_t *node, uint32_t old,
                        int *out_stays) {
    tn_node_info info;
    *out_stays = 0;
    if (old == TN_NO_NODE) {
        return TN_OK;
    }
    TN_TRY(node_info(work, old, &info));
    if (is_variable(node)) {
        *out_stays = info.op == NULL;
        return TN_OK;
    }
    const size_t inputs = json_array_size(inputs_of(node));
    if (info.op == NULL || strcmp(info.op, text_of(node, "op")) != 0 ||
        json_array_size(json_object_get(node, "subgraphs")) > info.subgraph_count) {
        return TN_OK;
    }
    if (info.subgraph_count > 0 && inputs >= info.input_count) {
        /* What it holds has more to it than the text can say. */
        *out_stays = 1;
        return set_attributes(work, node, old);
    }
    *out_stays = inputs == info.input_count && has_attributes(work, node, old, &info);
    return TN_OK;
}

tn_status add_node_of(const struct application *work, const json_t *node, uint32_t old,
                      uint32_t *out_node) {
    const size_t attributes = json_object_size(attributes_of(node));
    const size_t inputs = json_array_size(inputs_of(node));
    const size_t room = attributes * sizeof(tn_option) + inputs * sizeof(tn_value) + 1;
    tn_option *options = TN_SERVICE(work->host, memory)->allocate(work->host, room);
    if (options == NULL) {
        return tn_fail(work->host, TN_OUT_OF_MEMORY, "no memory for a node");
    }
    tn_value *absent = (tn_value *)(options + attributes);
    uint32_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach(attributes_of(node), name, value) {
        if (!is_annotation(work, old, name) && json_is_string(value)) {
            options[count++] = (tn_option){name, json_string_value(value)};
        }
    }
    for (size_t i = 0; i < inputs; i++) { /* connected when all nodes are there */
        absent[i] = (tn_value){TN_NO_NODE, 0};
    }
    const tn_status status =
        work->graphs->add_node(work->host, work->graph, text_of(node, "op"), text_of(node, "name"),
                               options, count, absent, (uint32_t)inputs, out_node);
    TN_SERVICE(work->host, memory)->free(work->host, options);
    return status;
}
