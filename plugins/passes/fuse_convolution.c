/*
 * The pass fuse-convolution: a sum and an activation function behind a Convolution become part of
 * it, one node fused_convolution, so that the result is not read and written again for each.
 */
#include "passes.h"
#include "work.h"

enum { MAX_ATTRIBUTES = 64, MAX_MEMBERS = 4, MAX_NUMBER = 64 };

static const char *const sums[] = {"elemwise_add", "_add",          "_plus",          "_Plus",
                                   "_grad_add",    "broadcast_add", "broadcast_plus", NULL};
static const char *const products[] = {"elemwise_mul", "_mul", "_Mul", "broadcast_mul", NULL};

/* The convolution, what follows it, and what that is for fused_convolution. */
typedef struct chain {
    uint32_t members[MAX_MEMBERS]; /* in the order of running; the last one's output is kept */
    uint32_t count;
    int has_addend;
    tn_value addend;
    const char *activation; /* NULL: none */
    char alpha[MAX_NUMBER], beta[MAX_NUMBER];
} chain;

static uint32_t last_of(const chain *found) {
    return found->members[found->count - 1];
}

/* The nodes that read the last member; how many, or 0 when there are more than `most`, or others
 * than nodes. */
static uint32_t readers_of(const pass_work *work, const chain *found, uint32_t *readers,
                           uint32_t most) {
    const tn_use *uses;
    uint32_t count;
    if (work->graphs->uses(work->host, work->graph, last_of(found), &uses, &count) != TN_OK ||
        count > most) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (uses[i].node == TN_NO_NODE || uses[i].input == TN_USE_CONTROL || uses[i].output != 0) {
            return 0;
        }
        readers[i] = uses[i].node;
    }
    return count;
}

static int same_type(const pass_work *work, tn_value left, tn_value right) {
    const tn_tensor_type a = work_type(work, left), b = work_type(work, right);
    if (a.dtype == 0 || a.dtype != b.dtype || a.shape.rank < 0 || a.shape.rank != b.shape.rank ||
        a.storage != b.storage) {
        return 0;
    }
    for (int32_t i = 0; i < a.shape.rank; i++) {
        if (a.shape.extents[i] < 0 || a.shape.extents[i] != b.shape.extents[i]) {
            return 0;
        }
    }
    return 1;
}

/* The operand of a node of two that is not output 0 of `number`. */
static tn_value other_operand(const tn_node_info *info, uint32_t number) {
    return info->inputs[info->inputs[0].node == number ? 1 : 0];
}

static void take_sum(const pass_work *work, chain *found) {
    const tn_value own = {last_of(found), 0};
    uint32_t reader;
    tn_node_info info;
    if (readers_of(work, found, &reader, 1) == 0 || !work_node(work, reader, &info) ||
        !node_is(&info, sums) || info.input_count != 2 || !node_is_pure(work, reader, &info)) {
        return;
    }
    const tn_value other = other_operand(&info, own.node);
    if (other.node == TN_NO_NODE || !same_type(work, own, other)) {
        return;
    }
    found->members[found->count++] = reader;
    found->has_addend = 1;
    found->addend = other;
}

static void set_number(char *target, const char *text) {
    snprintf(target, MAX_NUMBER, "%s", text);
}

/* How fused_convolution names what the node computes; 0 when it does not know it. */
static int read_activation(const tn_node_info *info, chain *found) {
    static const char *const names[] = {"relu", "sigmoid", "softrelu", "tanh", NULL};
    static const char *const leaky[] = {"leaky", "elu", NULL};
    const char *name = info->op;
    const char *const *known = names;
    if (strcmp(info->op, "clip") == 0) {
        set_number(found->alpha, node_attribute(info, "a_min", ""));
        set_number(found->beta, node_attribute(info, "a_max", ""));
        found->activation = "clip";
        return found->alpha[0] != '\0' && found->beta[0] != '\0';
    }
    if (strcmp(info->op, "Activation") == 0) {
        name = node_attribute(info, "act_type", "");
    } else if (strcmp(info->op, "LeakyReLU") == 0) {
        name = node_attribute(info, "act_type", "leaky");
        known = leaky;
        set_number(found->alpha, node_attribute(info, "slope", "0.25"));
    }
    for (; *known != NULL; known++) {
        if (strcmp(*known, name) == 0) {
            found->activation = *known;
            return 1;
        }
    }
    return 0;
}

/* x * sigmoid(x): the chain's end is read by a sigmoid, and both by a product. */
static void take_swish(const pass_work *work, chain *found) {
    uint32_t readers[2], reader;
    tn_node_info first, second, product;
    if (readers_of(work, found, readers, 2) != 2 || !work_node(work, readers[0], &first) ||
        !work_node(work, readers[1], &second)) {
        return;
    }
    const int is_first = !node_is(&first, products);
    const uint32_t gate = readers[is_first ? 0 : 1], root = readers[is_first ? 1 : 0];
    chain function = {.members = {gate}, .count = 1};
    if (!read_activation(is_first ? &first : &second, &function) ||
        strcmp(function.activation, "sigmoid") != 0 ||
        readers_of(work, &function, &reader, 1) != 1 || reader != root ||
        !work_node(work, root, &product) || !node_is(&product, products) ||
        !node_is_pure(work, root, &product)) {
        return;
    }
    found->members[found->count++] = gate;
    found->members[found->count++] = root;
    found->activation = "swish";
}

static void take_activation(const pass_work *work, chain *found) {
    uint32_t reader;
    tn_node_info info;
    if (readers_of(work, found, &reader, 1) == 1 && work_node(work, reader, &info) &&
        info.input_count == 1 && info.visible_output_count == 1 &&
        node_is_pure(work, reader, &info) && read_activation(&info, found)) {
        found->members[found->count++] = reader;
        return;
    }
    found->activation = NULL;
    take_swish(work, found);
}

static int begins_chain(const pass_work *work, uint32_t number, tn_node_info *info) {
    if (!work_node(work, number, info) || info->op == NULL ||
        strcmp(info->op, "Convolution") != 0 || info->attribute_count > MAX_ATTRIBUTES - 4 ||
        !node_is_pure(work, number, info)) {
        return 0;
    }
    const char *layout = node_attribute(info, "layout", "None");
    const tn_dtype dtype = work_type(work, (tn_value){number, 0}).dtype;
    return (strcmp(layout, "None") == 0 || strncmp(layout, "NC", 2) == 0) &&
           (dtype == TN_F32 || dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F64);
}

static uint32_t options_of(const tn_node_info *convolution, const chain *found,
                           tn_option *options) {
    uint32_t count = convolution->attribute_count;
    memcpy(options, convolution->attributes, count * sizeof *options);
    if (found->has_addend) {
        options[count++] = (tn_option){"with_addend", "True"};
    }
    if (found->activation != NULL) {
        options[count++] = (tn_option){"activation", found->activation};
    }
    if (found->alpha[0] != '\0') {
        options[count++] = (tn_option){"alpha", found->alpha};
    }
    if (found->beta[0] != '\0') {
        options[count++] = (tn_option){"beta", found->beta};
    }
    return count;
}

static tn_status put_fused(const pass_work *work, const chain *found,
                           const tn_node_info *convolution) {
    tn_option options[MAX_ATTRIBUTES];
    tn_value inputs[4];
    tn_node_info last;
    char name[1024];
    int done;
    uint32_t added, input_count = convolution->input_count;
    memcpy(inputs, convolution->inputs, input_count * sizeof *inputs);
    if (found->has_addend) {
        inputs[input_count++] = found->addend;
    }
    work_node(work, last_of(found), &last);
    if (strlen(last.name) >= sizeof name) {
        return TN_OK;
    }
    snprintf(name, sizeof name, "%s", last.name);
    TN_TRY(work->graphs->add_node(work->host, work->graph, "fused_convolution", NULL, options,
                                  options_of(convolution, found, options), inputs, input_count,
                                  &added));
    TN_TRY(work_forward(work, last_of(found), (tn_value){added, 0}, &done));
    if (!done) {
        return work->graphs->remove_node(work->host, work->graph, added);
    }
    for (uint32_t i = found->count - 1; i-- > 0;) {
        TN_TRY(work->graphs->remove_node(work->host, work->graph, found->members[i]));
    }
    return work->graphs->rename(work->host, work->graph, added, name);
}

static tn_status fuse_from(const pass_work *work, uint32_t number) {
    tn_node_info convolution;
    if (!begins_chain(work, number, &convolution)) {
        return TN_OK;
    }
    chain found = {.members = {number}, .count = 1};
    take_sum(work, &found);
    take_activation(work, &found);
    return found.count > 1 ? put_fused(work, &found, &convolution) : TN_OK;
}

/* Backwards: what a sum adds may itself be the end of a chain, and has a type until that is fused.
 */
static tn_status run(tn_pass_call *call) {
    pass_work work;
    uint32_t *order, count;
    tn_status status = TN_OK;
    work_begin(&work, call);
    TN_TRY(work_order(&work, &order, &count));
    for (uint32_t i = count; status == TN_OK && i-- > 0;) {
        status = fuse_from(&work, order[i]);
    }
    tn_free(work.host, order);
    return status;
}

const tn_pass fuse_convolution = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Makes one node fused_convolution of a Convolution and what alone reads it: the sum "
           "with a tensor of the same shape, and relu, sigmoid, softrelu, tanh, clip, LeakyReLU "
           "(leaky, elu) or x * sigmoid(x). Needs dtypes and, for sums, shapes to be known. "
           "Kernels of some processors make a NaN zero in relu.",
    .run = run,
};
