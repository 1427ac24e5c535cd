#include "work.h"

#include <stdlib.h>

void work_begin(pass_work *work, const tn_pass_call *call) {
    work->host = call->host;
    work->graphs = TN_SERVICE(call->host, graph);
    work->tensors = TN_SERVICE(call->host, tensor);
    work->graph = call->graph;
}

tn_status work_order(const pass_work *work, uint32_t **out_order, uint32_t *out_count) {
    uint32_t count;
    const uint32_t *order = work->graphs->order(work->host, work->graph, &count);
    void *copy;
    if (order == NULL) {
        return TN_INVALID_ARGUMENT; /* the host has said why */
    }
    TN_TRY(tn_allocate(work->host, count, sizeof *order, &copy));
    memcpy(copy, order, count * sizeof *order);
    *out_order = copy;
    *out_count = count;
    return TN_OK;
}

tn_status work_visit_nodes(const tn_pass_call *call, work_visitor *visit, const void *context) {
    pass_work work;
    uint32_t *order, count;
    tn_status status = TN_OK;
    work_begin(&work, call);
    TN_TRY(work_order(&work, &order, &count));
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        status = visit(&work, order[i], context);
    }
    tn_free(work.host, order);
    return status;
}

int work_node(const pass_work *work, uint32_t number, tn_node_info *out_info) {
    *out_info = (tn_node_info){.struct_size = TN_NODE_INFO_SIZE};
    return number < work->graphs->node_count(work->host, work->graph) &&
           work->graphs->node_info(work->host, work->graph, number, out_info) == TN_OK;
}

int node_is(const tn_node_info *info, const char *const *names) {
    for (; info->op != NULL && *names != NULL; names++) {
        if (strcmp(info->op, *names) == 0) {
            return 1;
        }
    }
    return 0;
}

const char *node_attribute(const tn_node_info *info, const char *name, const char *otherwise) {
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        if (strcmp(info->attributes[i].name, name) == 0) {
            return info->attributes[i].value;
        }
    }
    return otherwise;
}

int text_is_true(const char *text) {
    return strcmp(text, "True") == 0 || strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

int has_word(const char *words, const char *word) {
    static const char separators[] = " ,+";
    const size_t length = strlen(word);
    for (const char *at = words; *at != '\0'; at += strspn(at, separators)) {
        const size_t own = strcspn(at, separators);
        if (own == length && memcmp(at, word, length) == 0) {
            return 1;
        }
        at += own;
    }
    return 0;
}

int32_t read_integers(const char *text, int64_t *out, int32_t most) {
    int32_t count = 0;
    for (;;) {
        text += strspn(text, " ,()[]");
        if (*text == '\0') {
            return count;
        }
        char *end;
        const long long value = strtoll(text, &end, 10);
        if (end == text || count == most) {
            return -1;
        }
        out[count++] = value;
        text = *end == 'L' ? end + 1 : end;
    }
}

int node_is_pure(const pass_work *work, uint32_t number, const tn_node_info *info) {
    const uint32_t flags = work->graphs->op_flags(work->host, work->graph, number);
    if (info->op == NULL || (flags & TN_OP_STATEFUL) || info->subgraph_count > 0 ||
        info->control_count > 0) {
        return 0;
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        if (work->graphs->input_is_mutated(work->host, work->graph, number, i) ||
            (info->inputs[i].node != TN_NO_NODE &&
             work->graphs->variable_kind(work->host, work->graph, info->inputs[i].node) ==
                 TN_VARIABLE_AUXILIARY)) {
            return 0;
        }
    }
    return 1;
}

tn_tensor_type work_type(const pass_work *work, tn_value value) {
    tn_tensor_type type;
    if (work->graphs->value_type(work->host, work->graph, value, &type) != TN_OK) {
        type = (tn_tensor_type){.shape = {.rank = TN_UNKNOWN}};
    }
    return type;
}

tn_tensor *work_host_tensor(const pass_work *work, tn_value value) {
    tn_tensor *tensor = value.node == TN_NO_NODE
                            ? NULL
                            : work->graphs->parameter(work->host, work->graph, value.node);
    return tensor != NULL && !tn_storage_is_sparse(work_type(work, value).storage) &&
                   work->tensors->view(work->host, tensor)->device.type == TN_DEVICE_TYPE_CPU
               ? tensor
               : NULL;
}

tn_tensor *work_constant(const pass_work *work, tn_value value) {
    return value.node == TN_NO_NODE ||
                   work->graphs->variable_kind(work->host, work->graph, value.node) !=
                       TN_VARIABLE_PARAMETER
               ? NULL
               : work_host_tensor(work, value);
}

tn_status work_uses(const pass_work *work, uint32_t number, use_facts *out_facts) {
    const tn_use *uses;
    use_facts facts = {0};
    TN_TRY(work->graphs->uses(work->host, work->graph, number, &uses, &facts.count));
    for (uint32_t i = 0; i < facts.count; i++) {
        facts.is_output |= uses[i].node == TN_NO_NODE;
        facts.is_control |= uses[i].node != TN_NO_NODE && uses[i].input == TN_USE_CONTROL;
        facts.highest_output =
            uses[i].output > facts.highest_output ? uses[i].output : facts.highest_output;
    }
    *out_facts = facts;
    return TN_OK;
}

/* Whether the node can stand for an output of the graph under the name of another. */
static int can_take_name(const pass_work *work, tn_value value) {
    tn_node_info info;
    use_facts facts;
    return work_node(work, value.node, &info) && info.op != NULL && value.output == 0 &&
           info.visible_output_count == 1 && work_uses(work, value.node, &facts) == TN_OK &&
           !facts.is_output;
}

tn_status work_forward(const pass_work *work, uint32_t number, tn_value value, int *out_done) {
    char name[1024];
    tn_node_info info;
    use_facts facts;
    *out_done = 0;
    if (!work_node(work, number, &info) || strlen(info.name) >= sizeof name) {
        return TN_OK;
    }
    TN_TRY(work_uses(work, number, &facts));
    if (facts.is_control || facts.highest_output > 0 || info.control_count > 0 ||
        (facts.is_output && (info.visible_output_count != 1 || !can_take_name(work, value)))) {
        return TN_OK;
    }
    snprintf(name, sizeof name, "%s", info.name);
    TN_TRY(work->graphs->replace_uses(work->host, work->graph, (tn_value){number, 0}, value));
    TN_TRY(work->graphs->remove_node(work->host, work->graph, number));
    if (facts.is_output) {
        TN_TRY(work->graphs->rename(work->host, work->graph, value.node, name));
    }
    *out_done = 1;
    return TN_OK;
}

/* A name that nothing has: "<stem>_<ending>", or with a number behind. */
static void find_free_name(const pass_work *work, const char *stem, const char *ending, char *name,
                           size_t size) {
    snprintf(name, size, "%.1000s_%s", stem, ending);
    for (unsigned i = 1; work->graphs->find_node(work->host, work->graph, name) != TN_NO_NODE;
         i++) {
        snprintf(name, size, "%.1000s_%s%u", stem, ending, i);
    }
}

tn_status work_take_name(const pass_work *work, uint32_t number) {
    char name[1024], other[1100];
    tn_node_info info;
    work_node(work, number, &info);
    const uint32_t source = info.inputs[0].node;
    work_node(work, source, &info);
    if (strlen(info.name) >= sizeof name) {
        return tn_fail(work->host, TN_UNSUPPORTED, "node '%.80s…' has a name of %zu letters",
                       info.name, strlen(info.name));
    }
    snprintf(name, sizeof name, "%s", info.name);
    find_free_name(work, name, "inner", other, sizeof other);
    TN_TRY(work->graphs->rename(work->host, work->graph, source, other));
    return work->graphs->rename(work->host, work->graph, number, name);
}

tn_status work_remove_unused(const pass_work *work, uint32_t number) {
    const tn_use *uses;
    uint32_t count;
    TN_TRY(work->graphs->uses(work->host, work->graph, number, &uses, &count));
    return count > 0 ? TN_OK : work->graphs->remove_node(work->host, work->graph, number);
}

tn_status work_add_parameter(const pass_work *work, const char *stem, const char *ending,
                             tn_tensor *tensor, tn_value *out_value) {
    char name[1100];
    find_free_name(work, stem, ending, name, sizeof name);
    out_value->output = 0;
    return work->graphs->add_parameter(work->host, work->graph, name, tensor, &out_value->node);
}
