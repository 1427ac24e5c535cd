/*
 * The pass fuse-elementwise: nodes that compute each element by itself, one after the other, become
 * one node fused_elementwise. What lies between them is never in memory.
 */
#include <tenon/plugin/elementwise.h>

#include "element_function.h"
#include "passes.h"

enum {
    MAX_STEPS = TN_ELEMENTWISE_MAX_STEPS,
    MAX_INPUTS = TN_ELEMENTWISE_MAX_INPUTS,
    MAX_NUMBERS = TN_ELEMENTWISE_MAX_NUMBERS,
    TEXT_SIZE = 2048
};

/* Nodes that become one: the first is the root, whose output is the output of all. */
typedef struct fusion {
    const pass_work *work;
    const uint32_t *positions; /* of nodes in the order of running */
    uint32_t nodes[MAX_STEPS];
    uint32_t count;
    tn_value inputs[2 * MAX_STEPS];
    uint32_t input_count;
    uint32_t number_count;
} fusion;

static int is_member(const fusion *group, uint32_t number) {
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->nodes[i] == number) {
            return 1;
        }
    }
    return 0;
}

static int is_floating(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F64;
}

/* Whether stretching a shape along with another one surely leaves it as it is. */
static int keeps_shape(const tn_shape *own, const tn_shape *other) {
    if (own->rank < 0 || other->rank < 0 || other->rank > own->rank) {
        return 0;
    }
    for (int32_t i = 1; i <= other->rank; i++) {
        const int64_t extent = own->extents[own->rank - i];
        const int64_t against = other->extents[other->rank - i];
        if (against != 1 && !(extent > 1 || (extent >= 0 && extent == against))) {
            return 0;
        }
    }
    return 1;
}

/* Devices find the element of a stretched input by two numbers: the axes that it has must be next
 * to each other. */
static int has_one_run(const tn_shape *shape) {
    int32_t axis = shape->rank - 1;
    while (axis >= 0 && shape->extents[axis] == 1) {
        axis--;
    }
    while (axis >= 0 && shape->extents[axis] != 1) {
        axis--;
    }
    while (axis >= 0 && shape->extents[axis] == 1) {
        axis--;
    }
    return axis < 0;
}

/* Whether one of the values that the node reads has the shape of what it gives. */
static int value_keeps_shape(const fusion *group, const tn_node_info *info,
                             const element_function *function, uint32_t input) {
    if (!function->is_stretched) {
        return 1;
    }
    const tn_tensor_type own = work_type(group->work, info->inputs[input]);
    const tn_tensor_type other = work_type(group->work, info->inputs[1 - input]);
    return keeps_shape(&own.shape, &other.shape);
}

/* Whether the node could be part of any fusion. */
static int is_fusible(const fusion *group, uint32_t number, tn_node_info *info,
                      element_function *function) {
    if (!work_node(group->work, number, info) || !find_element_function(info, function) ||
        info->input_count != function->value_count || info->visible_output_count != 1 ||
        !node_is_pure(group->work, number, info) ||
        !is_floating(work_type(group->work, (tn_value){number, 0}).dtype)) {
        return 0;
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        const tn_tensor_type type = work_type(group->work, info->inputs[i]);
        if (info->inputs[i].node == TN_NO_NODE || type.shape.rank < 0 ||
            (!value_keeps_shape(group, info, function, i) && !has_one_run(&type.shape))) {
            return 0;
        }
    }
    return 1;
}

/* Whether what the node gives is read by the group alone, each time in its own shape. */
static int is_inner(const fusion *group, uint32_t number) {
    const tn_use *uses;
    uint32_t count;
    if (group->work->graphs->uses(group->work->host, group->work->graph, number, &uses, &count) !=
        TN_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info;
        element_function function;
        if (uses[i].node == TN_NO_NODE || uses[i].input == TN_USE_CONTROL || uses[i].output != 0 ||
            !is_member(group, uses[i].node) || !work_node(group->work, uses[i].node, &info) ||
            !find_element_function(&info, &function) ||
            !value_keeps_shape(group, &info, &function, uses[i].input)) {
            return 0;
        }
    }
    return 1;
}

/* The number of an input, which is added when it is new. */
static uint32_t input_index(fusion *group, tn_value value) {
    uint32_t index = 0;
    while (index < group->input_count && (group->inputs[index].node != value.node ||
                                          group->inputs[index].output != value.output)) {
        index++;
    }
    if (index == group->input_count) {
        group->inputs[group->input_count++] = value;
    }
    return index;
}

/* Collects the inputs and counts the numbers; whether there are few enough. */
static int fits(fusion *group) {
    group->input_count = 0;
    group->number_count = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        tn_node_info info;
        element_function function;
        work_node(group->work, group->nodes[i], &info);
        find_element_function(&info, &function);
        group->number_count += function.number_count;
        for (uint32_t k = 0; k < info.input_count; k++) {
            if (!is_member(group, info.inputs[k].node)) {
                input_index(group, info.inputs[k]);
            }
        }
    }
    return group->input_count <= MAX_INPUTS && group->number_count <= MAX_NUMBERS;
}

/* Takes in what the members read, and what those read. A node that two members read is looked at
 * again when the second one is in. */
static void grow(fusion *group) {
    for (uint32_t i = 0; i < group->count && group->count < MAX_STEPS; i++) {
        tn_node_info info;
        work_node(group->work, group->nodes[i], &info);
        for (uint32_t k = 0; k < info.input_count && group->count < MAX_STEPS; k++) {
            const uint32_t source = info.inputs[k].node;
            tn_node_info source_info;
            element_function function;
            if (is_member(group, source) || !is_fusible(group, source, &source_info, &function) ||
                !is_inner(group, source)) {
                continue;
            }
            group->nodes[group->count++] = source;
            if (!fits(group)) {
                group->count--;
            }
        }
    }
}

static void sort_by_position(fusion *group) {
    for (uint32_t i = 1; i < group->count; i++) {
        const uint32_t node = group->nodes[i];
        uint32_t at = i;
        for (; at > 0 && group->positions[group->nodes[at - 1]] > group->positions[node]; at--) {
            group->nodes[at] = group->nodes[at - 1];
        }
        group->nodes[at] = node;
    }
}

/* Texts that grow at the end; what does not fit is noticed by the length. */
typedef struct text {
    char *characters;
    size_t length;
} text;

static void append(text *to, const char *format, const char *words, uint32_t number) {
    const size_t left = to->length < TEXT_SIZE ? TEXT_SIZE - to->length : 0;
    const int written =
        words != NULL ? snprintf(to->characters + (left > 0 ? to->length : 0), left, format, words)
                      : snprintf(to->characters + (left > 0 ? to->length : 0), left, format,
                                 (unsigned)number);
    to->length += written > 0 ? (size_t)written : 0;
}

static void append_value(fusion *group, tn_value value, text *program) {
    uint32_t index = 0;
    while (index < group->count && group->nodes[index] != value.node) {
        index++;
    }
    append(program, "%%%u", NULL,
           index < group->count ? group->input_count + index : input_index(group, value));
}

/* One step; `numbers` and `names` grow along. */
static void append_step(fusion *group, uint32_t index, uint32_t *number, text *program,
                        text *numbers, text *names) {
    tn_node_info info;
    element_function function;
    work_node(group->work, group->nodes[index], &info);
    find_element_function(&info, &function);
    append(names, index > 0 ? " %s" : "%s", info.name, 0);
    append(program, index > 0 ? " %s(" : "%s(", function.name, 0);
    for (uint32_t i = 0; i < function.number_count; i++) {
        append(numbers, *number + i > 0 ? ",%s" : "%s", function.numbers[i], 0);
    }
    if (function.number_first) {
        append(program, "$%u,", NULL, (*number)++);
    }
    for (uint32_t i = 0; i < info.input_count; i++) {
        append(program, "%s", i > 0 ? "," : "", 0);
        append_value(group, info.inputs[i], program);
    }
    for (uint32_t i = function.number_first ? 1 : 0; i < function.number_count; i++) {
        append(program, ",$%u", NULL, (*number)++);
    }
    append(program, "%s", ")", 0);
}

/* The members but for the root, which is gone: users before what they use. */
static tn_status remove_members(const fusion *group, uint32_t root) {
    for (uint32_t i = group->count; i-- > 0;) {
        if (group->nodes[i] != root) {
            TN_TRY(group->work->graphs->remove_node(group->work->host, group->work->graph,
                                                    group->nodes[i]));
        }
    }
    return TN_OK;
}

static tn_status put_fused(fusion *group, uint32_t root) {
    char program_text[TEXT_SIZE], number_text[TEXT_SIZE], name_text[TEXT_SIZE], name[1024];
    text program = {program_text, 0}, numbers = {number_text, 0}, names = {name_text, 0};
    const pass_work *work = group->work;
    tn_node_info info;
    uint32_t number = 0, added;
    int done;
    append(&numbers, "%s", "(", 0);
    for (uint32_t i = 0; i < group->count; i++) {
        append_step(group, i, &number, &program, &numbers, &names);
    }
    append(&numbers, "%s", ")", 0);
    work_node(work, root, &info);
    if (program.length >= TEXT_SIZE || numbers.length >= TEXT_SIZE ||
        strlen(info.name) >= sizeof name) {
        return TN_OK;
    }
    snprintf(name, sizeof name, "%s", info.name);
    const tn_option options[] = {{"program", program_text}, {"numbers", number_text}};
    TN_TRY(work->graphs->add_node(work->host, work->graph, "fused_elementwise", NULL, options,
                                  number > 0 ? 2 : 1, group->inputs, group->input_count, &added));
    TN_TRY(work_forward(work, root, (tn_value){added, 0}, &done));
    if (!done) {
        return work->graphs->remove_node(work->host, work->graph, added);
    }
    TN_TRY(remove_members(group, root));
    TN_TRY(work->graphs->rename(work->host, work->graph, added, name));
    return work->graphs->annotate(work->host, work->graph, added, "fused", name_text);
}

static tn_status fuse_from(const pass_work *work, const uint32_t *positions, uint32_t root) {
    fusion group = {.work = work, .positions = positions};
    tn_node_info info;
    element_function function;
    if (!is_fusible(&group, root, &info, &function)) {
        return TN_OK;
    }
    group.nodes[group.count++] = root;
    grow(&group);
    if (group.count < 2) {
        return TN_OK;
    }
    sort_by_position(&group);
    return fits(&group) ? put_fused(&group, root) : TN_OK;
}

/* From the end, so that a chain is met at its last node. */
static tn_status run(tn_pass_call *call) {
    pass_work work;
    uint32_t *order, count;
    void *positions = NULL;
    work_begin(&work, call);
    TN_TRY(work_order(&work, &order, &count));
    tn_status status = tn_allocate(work.host, work.graphs->node_count(work.host, work.graph),
                                   sizeof(uint32_t), &positions);
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        ((uint32_t *)positions)[order[i]] = i;
    }
    for (uint32_t i = count; status == TN_OK && i-- > 0;) {
        status = fuse_from(&work, positions, order[i]);
    }
    tn_free(work.host, positions);
    tn_free(work.host, order);
    return status;
}

const tn_pass fuse_elementwise = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Makes one node fused_elementwise of several that compute each element by itself, one "
           "after the other: activations, arithmetic, comparisons, with stretched inputs. Needs "
           "dtypes and ranks to be known. In float32 and float64 the CPU gives the same bits; "
           "float16 is not rounded in between. The annotation `fused` has the nodes' names.",
    .run = run,
};
