#include "upgrade.h"

enum {
    VERSION_LISTS_AUXILIARIES = 900,
    VERSION_SAYS_INITIALISERS = 904,
    VERSION_HAS_ARGMAX_DEFAULT = 905,
};

#define INITIALISER "__init__"

/* User attributes that MXNet once kept among the operator's. */
static const char *const hidden_keys[] = {"ctx_group",       "lr_mult",      "wd_mult",
                                          "force_mirroring", "mirror_stage", "profiler_scope"};

enum { HIDDEN_KEY_COUNT = sizeof hidden_keys / sizeof hidden_keys[0] };

/* The hidden key that `name` ends with, or NULL. */
static const char *hidden_suffix(const char *name) {
    const size_t length = strlen(name);
    for (size_t i = 0; i < HIDDEN_KEY_COUNT; i++) {
        const size_t key_length = strlen(hidden_keys[i]);
        if (length >= key_length && strcmp(name + length - key_length, hidden_keys[i]) == 0) {
            return hidden_keys[i];
        }
    }
    return NULL;
}

static int has_hidden_prefix(const char *name) {
    for (size_t i = 0; i < HIDDEN_KEY_COUNT; i++) {
        if (strncmp(name, hidden_keys[i], strlen(hidden_keys[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

int upgrade_is_annotation(const char *name) {
    /* Operators of extension libraries are told how many inputs they have besides their own. */
    if (strcmp(name, "__ext_extra_inputs__") == 0) {
        return 0;
    }
    return strncmp(name, "__", 2) == 0 || has_hidden_prefix(name) || hidden_suffix(name) != NULL;
}

int upgrade_drops(int64_t version, const char *op, const char *name, const char *value) {
    const int is_arg_reduction = strcmp(op, "argmax") == 0 || strcmp(op, "argmin") == 0;
    return version < VERSION_HAS_ARGMAX_DEFAULT && is_arg_reduction && strcmp(name, "axis") == 0 &&
           strcmp(value, "-1") == 0;
}

/* Annotates with the key as it is written since 0.9: "lr_mult" is "__lr_mult__". */
static tn_status annotate_hidden(const struct upgrade *upgrade, uint32_t node, const char *key,
                                 const char *value) {
    char name[64];
    snprintf(name, sizeof name, "__%s__", key);
    return TN_SERVICE(upgrade->host, graph)
        ->annotate(upgrade->host, upgrade->graph, node, name, value);
}

static tn_status node_info(const struct upgrade *upgrade, uint32_t node, tn_node_info *out_info) {
    out_info->struct_size = TN_NODE_INFO_SIZE;
    return TN_SERVICE(upgrade->host, graph)
        ->node_info(upgrade->host, upgrade->graph, node, out_info);
}

static int is_variable(const struct upgrade *upgrade, uint32_t node) {
    tn_node_info info;
    return node != TN_NO_NODE && node_info(upgrade, node, &info) == TN_OK && info.op == NULL;
}

/* The variable behind the input whose name is the first `length` bytes of `name`. */
static tn_status find_input_variable(const struct upgrade *upgrade, uint32_t node, const char *name,
                                     size_t length, uint32_t *out_variable) {
    const tn_graph_service *graphs = TN_SERVICE(upgrade->host, graph);
    tn_node_info info;
    TN_TRY(node_info(upgrade, node, &info));
    *out_variable = TN_NO_NODE;
    for (uint32_t i = 0; i < info.input_count; i++) {
        const char *input = graphs->input_name(upgrade->host, upgrade->graph, node, i);
        if (input != NULL && strlen(input) == length && memcmp(input, name, length) == 0) {
            *out_variable =
                is_variable(upgrade, info.inputs[i].node) ? info.inputs[i].node : TN_NO_NODE;
            break;
        }
    }
    return TN_OK;
}

tn_status upgrade_annotate_variable(const struct upgrade *upgrade, uint32_t node, const char *name,
                                    const char *value) {
    const char *key = hidden_suffix(name);
    if (key != NULL && strcmp(key, name) == 0) {
        return annotate_hidden(upgrade, node, key, value);
    }
    return TN_SERVICE(upgrade->host, graph)
        ->annotate(upgrade->host, upgrade->graph, node, name, value);
}

tn_status upgrade_annotate_operator(const struct upgrade *upgrade, uint32_t node, const char *name,
                                    const char *value) {
    const char *key = hidden_suffix(name);
    const size_t prefix = key != NULL ? strlen(name) - strlen(key) : 0;
    if (prefix > 1 && name[prefix - 1] == '_') {
        uint32_t variable;
        TN_TRY(find_input_variable(upgrade, node, name, prefix - 1, &variable));
        if (variable != TN_NO_NODE) {
            return annotate_hidden(upgrade, variable, key, value);
        }
    }
    return upgrade_annotate_variable(upgrade, node, name, value);
}

static tn_status copy_annotations(const struct upgrade *upgrade, uint32_t from, uint32_t to) {
    const tn_graph_service *graphs = TN_SERVICE(upgrade->host, graph);
    tn_node_info info;
    TN_TRY(node_info(upgrade, from, &info));
    for (uint32_t i = 0; i < info.annotation_count; i++) {
        const tn_option annotation = info.annotations[i];
        TN_TRY(
            graphs->annotate(upgrade->host, upgrade->graph, to, annotation.name, annotation.value));
        TN_TRY(node_info(upgrade, from, &info)); /* the graph has changed: what it lent is gone */
    }
    return TN_OK;
}

static tn_status complete_inputs(const struct upgrade *upgrade, uint32_t node) {
    tn_node_info info;
    TN_TRY(node_info(upgrade, node, &info));
    const uint32_t listed = info.input_count;
    TN_TRY(TN_SERVICE(upgrade->host, graph)->complete_inputs(upgrade->host, upgrade->graph, node));
    TN_TRY(node_info(upgrade, node, &info));
    for (uint32_t i = listed; i < info.input_count; i++) {
        TN_TRY(copy_annotations(upgrade, node, info.inputs[i].node));
        TN_TRY(node_info(upgrade, node, &info));
    }
    return TN_OK;
}

/* How operators say that their variables begin, for those who train on. */
static const struct initial_value {
    const char *op;
    uint32_t input;
    const char *initialiser;
} initial_values[] = {
    {"BatchNorm", 3, "[\"zero\", {}]"},
    {"BatchNorm", 4, "[\"one\", {}]"},
    {"LeakyReLU", 1, "[\"Constant\", {\"value\": 0.25}]"},
};

static tn_status annotate_initialiser(const struct upgrade *upgrade, uint32_t variable,
                                      const char *initialiser) {
    tn_node_info info;
    TN_TRY(node_info(upgrade, variable, &info));
    for (uint32_t i = 0; i < info.annotation_count; i++) {
        if (strcmp(info.annotations[i].name, INITIALISER) == 0) {
            return TN_OK;
        }
    }
    return TN_SERVICE(upgrade->host, graph)
        ->annotate(upgrade->host, upgrade->graph, variable, INITIALISER, initialiser);
}

static tn_status annotate_initialisers(const struct upgrade *upgrade, uint32_t node) {
    for (size_t i = 0; i < sizeof initial_values / sizeof initial_values[0]; i++) {
        const struct initial_value *initial = &initial_values[i];
        tn_node_info info;
        TN_TRY(node_info(upgrade, node, &info));
        if (strcmp(info.op, initial->op) == 0 && initial->input < info.input_count &&
            is_variable(upgrade, info.inputs[initial->input].node)) {
            TN_TRY(annotate_initialiser(upgrade, info.inputs[initial->input].node,
                                        initial->initialiser));
        }
    }
    return TN_OK;
}

tn_status upgrade_inputs(const struct upgrade *upgrade, uint32_t node) {
    if (upgrade->version < VERSION_LISTS_AUXILIARIES) {
        TN_TRY(complete_inputs(upgrade, node));
    }
    if (upgrade->version < VERSION_SAYS_INITIALISERS) {
        TN_TRY(annotate_initialisers(upgrade, node));
    }
    return TN_OK;
}
