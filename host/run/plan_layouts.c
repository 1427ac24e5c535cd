/*
 * Layouts: where kernels agree on another order of elements in memory than row-major, values keep
 * it between them, and a `reorder` stands where one that has it meets one that has not. The walk is
 * forward and greedy: a kernel is asked when the layouts of all its inputs are known.
 */
#include <string.h>

#include "base/error.h"
#include "run/kernel_choice.h"
#include "run/plan_build.h"

/* Whether the layouts differ in memory for a tensor of this type. */
static bool has_layouts(const tn_tensor_type *type) {
    const tn_shape *shape = &type->shape;
    int64_t places = 1;
    for (int32_t axis = 2; axis < shape->rank; axis++) {
        places *= shape->extents[axis];
    }
    return type->storage == TN_STORAGE_DENSE && shape->rank >= 3 && shape->extents[1] > 1 &&
           places > 1;
}

static tn_status name_reorder(tni_plan *plan, const tni_node *source, uint32_t layout,
                              const char **out_name) {
    const char *suffix = layout == TN_LAYOUT_CHANNELS_LAST ? " channels-last" : " row-major";
    const size_t length = strlen(source->name), size = length + strlen(suffix) + 1;
    char *name = tni_arena_allocate(&plan->memory, size, 1);
    if (name == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(name, source->name, length);
    memcpy(name + length, suffix, size - length);
    *out_name = name;
    return TN_OK;
}

static tn_status make_node(tni_plan *plan, const tni_entry *operator, tn_value value,
                           uint32_t layout, tni_node **out_node) {
    tni_node *node = tni_arena_allocate(&plan->memory, 1, sizeof *node);
    tn_value *input = tni_arena_allocate(&plan->memory, 1, sizeof *input);
    if (node == NULL || input == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    *input = value;
    *node = (tni_node){.entry = operator,
                       .op = operator->entry->impl,
                       .inputs = input,
                       .input_count = 1,
                       .arity = 1,
                       .output_count = 1,
                       .visible_output_count = 1};
    TNI_TRY(name_reorder(plan, tni_plan_node(plan, value.node), layout, &node->name));
    *out_node = node;
    return tni_plugin_set_add(&plan->plugins, operator->plugin, TNI_HOLDER_SESSION);
}

/* Adds a node that gives `value` in `layout`, with its value and its step. */
static tn_status add_reorder(tni_plan_builder *builder, tn_value value, uint32_t layout,
                             uint32_t *out_number) {
    tni_plan *plan = builder->plan;
    tni_plan_value *source = tni_plan_value_of(builder, value);
    const uint32_t number = builder->graph->node_count + plan->added_count;
    tni_plan_value *target = tni_arena_allocate(&builder->scratch, 1, sizeof *target);
    if (plan->added == NULL) {
        plan->added = tni_arena_allocate(&plan->memory, builder->most_added, sizeof *plan->added);
    }
    if (target == NULL || plan->added == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(make_node(plan, builder->reorder, value, layout, &plan->added[plan->added_count]));
    plan->added_count++;
    *target = (tni_plan_value){.size = source->size, .layout = layout, .reordered = TN_NO_NODE};
    builder->values[number] = target;
    tni_step step = {.node = number, .inputs = tni_plan_node(plan, number)->inputs};
    TNI_TRY(tni_plan_choose_kernel(builder, &step));
    tni_plan_append_step(builder, &step);
    *out_number = source->reordered = number;
    return TN_OK;
}

/* `*value` in the layout wanted: itself, or what gives it so. */
static tn_status reorder(tni_plan_builder *builder, tn_value *value, uint32_t layout) {
    const tni_plan_value *source = tni_plan_value_of(builder, *value);
    if (source->layout == layout) {
        return TN_OK;
    }
    uint32_t number = source->reordered;
    if (number == TN_NO_NODE) {
        TNI_TRY(tni_in(add_reorder(builder, *value, layout, &number), "reorder"));
    }
    *value = (tn_value){number, 0};
    return TN_OK;
}

typedef struct layout_question {
    tni_kernel_inputs inputs;
    uint32_t *input_layouts, *output_layouts;
} layout_question;

/* What is there, for the kernel to answer what it wants. */
static tn_status pose(tni_plan_builder *builder, const tni_step *step, const tni_node *node,
                      layout_question *question) {
    tni_arena *scratch = &builder->scratch;
    question->input_layouts = tni_arena_allocate(scratch, node->input_count, sizeof(uint32_t));
    question->output_layouts = tni_arena_allocate(scratch, node->output_count, sizeof(uint32_t));
    if (question->input_layouts == NULL || question->output_layouts == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_kernel_inputs_of(builder->graph, node, scratch, &question->inputs));
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (tni_plan_has_value(builder, step->inputs[i])) {
            question->input_layouts[i] = tni_plan_value_of(builder, step->inputs[i])->layout;
        }
    }
    return TN_OK;
}

static void ask(const tni_plan_builder *builder, const tni_step *step, const tni_node *node,
                const layout_question *question) {
    const tn_kernel *kernel = step->kernel->entry->impl;
    const tn_kernel_query query = {.struct_size = sizeof query,
                                   .input_count = node->input_count,
                                   .output_count = node->output_count,
                                   .host = &step->kernel->plugin->host,
                                   .op = node->entry->entry->name,
                                   .attributes = step->attributes,
                                   .inputs = question->inputs.types,
                                   .outputs = builder->graph->types[step->node],
                                   .device = builder->plan->places[step->place].device,
                                   .kernel = kernel,
                                   .input_values = question->inputs.values};
    kernel->layouts(&query, question->input_layouts, question->output_layouts);
}

static tn_status check_answer(uint32_t layout, const char *what, uint32_t index) {
    return layout <= TN_LAYOUT_CHANNELS_LAST
               ? TN_OK
               : tni_fail(TN_CORRUPT, "the kernel asks for layout %u for %s %u: there are 0 and 1",
                          layout, what, index);
}

static tn_status take_inputs(tni_plan_builder *builder, tni_step *step, const tni_node *node,
                             const layout_question *question) {
    tn_value *inputs =
        tni_arena_allocate(&builder->plan->memory, node->input_count, sizeof *inputs);
    if (inputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(inputs, step->inputs, node->input_count * sizeof *inputs);
    for (uint32_t i = 0; i < node->input_count; i++) {
        TNI_TRY(check_answer(question->input_layouts[i], "input", i));
        if (tni_plan_has_value(builder, inputs[i])) {
            const bool differs = has_layouts(&question->inputs.types[i]);
            TNI_TRY(reorder(builder, &inputs[i],
                            differs ? question->input_layouts[i] : TN_LAYOUT_ROW_MAJOR));
        }
    }
    step->inputs = inputs;
    return TN_OK;
}

static tn_status set_outputs(tni_plan_builder *builder, const tni_step *step, const tni_node *node,
                             const layout_question *question) {
    for (uint32_t i = 0; i < node->output_count; i++) {
        TNI_TRY(check_answer(question->output_layouts[i], "output", i));
        if (has_layouts(&builder->graph->types[step->node][i])) {
            builder->values[step->node][i].layout = question->output_layouts[i];
        }
    }
    return TN_OK;
}

/* Whether a kernel that wants all inputs row-major has them so. */
static bool is_plain(const tni_plan_builder *builder, const tni_step *step, const tni_node *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (tni_plan_has_value(builder, step->inputs[i]) &&
            tni_plan_value_of(builder, step->inputs[i])->layout != TN_LAYOUT_ROW_MAJOR) {
            return false;
        }
    }
    return true;
}

static bool is_row_major(const layout_question *question, const tni_node *node) {
    bool any = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        any = any || question->input_layouts[i] != TN_LAYOUT_ROW_MAJOR;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        any = any || question->output_layouts[i] != TN_LAYOUT_ROW_MAJOR;
    }
    return !any;
}

/* Whether there is the operator that changes layouts; without it all stay row-major. */
static bool find_reorder(tni_plan_builder *builder) {
    if (builder->reorder == NULL) {
        builder->reorder = tni_registry_find(builder->graph->runtime, TN_KIND_OP, "reorder");
    }
    return builder->reorder != NULL;
}

tn_status tni_plan_lay_out_step(tni_plan_builder *builder, tni_step *step) {
    const tni_node *node = tni_plan_node(builder->plan, step->node);
    const tn_kernel *kernel = step->kernel->entry->impl;
    layout_question question;
    if (kernel->layouts == NULL && is_plain(builder, step, node)) {
        return TN_OK;
    }
    TNI_TRY(pose(builder, step, node, &question));
    if (kernel->layouts != NULL) {
        ask(builder, step, node, &question);
    } else {
        memset(question.input_layouts, 0, node->input_count * sizeof(uint32_t));
    }
    if (!is_row_major(&question, node) && !find_reorder(builder)) {
        memset(question.input_layouts, 0, node->input_count * sizeof(uint32_t));
        memset(question.output_layouts, 0, node->output_count * sizeof(uint32_t));
    }
    TNI_TRY(take_inputs(builder, step, node, &question));
    return set_outputs(builder, step, node, &question);
}

tn_status tni_plan_lay_out_outputs(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->graph->output_count; i++) {
        TNI_TRY(reorder(builder, &builder->outputs[i], TN_LAYOUT_ROW_MAJOR));
    }
    return TN_OK;
}
