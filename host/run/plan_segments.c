/*
 * Segments: runs of steps in one place, and what crosses between them. On a plan of the CPU there
 * is one segment and nothing crosses.
 *
 * A value that the device makes and the CPU reads is sent when its segment ends; one that the CPU
 * makes and the device reads is brought before the first segment that reads it. Parameters are in
 * both places to begin with.
 */
#include "base/error.h"
#include "run/plan_build.h"

/* Whether a variable is the device's and crosses: an input, or a state. A parameter that nothing
 * changes is in both places to begin with. */
static bool is_sent_variable(const tni_plan_builder *builder, uint32_t node) {
    return tni_plan_node(builder->plan, node)->op == NULL && !builder->values[node]->is_sparse &&
           (builder->values[node]->is_state || tni_plan_input_of(builder, node) >= 0);
}

/* A variable can be needed by the CPU before the device has done anything: then an empty segment of
 * the device, which sends it, comes first. */
static bool host_needs_variables(const tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        if (is_sent_variable(builder, builder->order[i]) &&
            builder->values[builder->order[i]]->is_used[TNI_PLACE_HOST]) {
            return true;
        }
    }
    return false;
}

/* A state that only the CPU works on is sent there and returned. One that both places use would
 * have to travel between any two steps. */
static tn_status find_states(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        tni_plan_value *value = builder->values[number];
        if (tni_plan_node(builder->plan, number)->op != NULL || !value->is_used[TNI_PLACE_HOST] ||
            value->is_sparse || tni_plan_input_of(builder, number) >= 0 ||
            tn_graph_variable_kind(builder->graph, number) != TN_VARIABLE_AUXILIARY) {
            continue;
        }
        if (value->is_used[TNI_PLACE_DEVICE]) {
            return tni_fail(TN_UNSUPPORTED,
                            "'%s' is used on the device and changed by an operator that the device "
                            "cannot compute: run the graph on the CPU",
                            tni_plan_node(builder->plan, number)->name);
        }
        value->is_state = true;
        value->is_used[TNI_PLACE_DEVICE] = true;
    }
    return TN_OK;
}

static void mark_uses(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        const tni_step *step = &builder->plan->steps[i];
        const tni_node *node = tni_plan_node(builder->plan, step->node);
        for (uint32_t j = 0; j < node->output_count; j++) {
            builder->values[step->node][j].home = step->place;
            builder->values[step->node][j].made = i;
            builder->values[step->node][j].is_used[step->place] = true;
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (tni_plan_has_value(builder, step->inputs[j])) {
                tni_plan_value_of(builder, step->inputs[j])->is_used[step->place] = true;
            }
        }
    }
    for (uint32_t i = 0; i < builder->desc->input_count; i++) {
        tni_plan_value *value = builder->values[builder->desc->inputs[i]];
        if (value != NULL) {
            value->is_used[value->home] = true;
        }
    }
    for (uint32_t i = 0; i < builder->graph->output_count; i++) {
        tni_plan_value *value = tni_plan_value_of(builder, builder->outputs[i]);
        value->is_used[value->home] = true;
    }
}

static tni_segment *add_segment(tni_plan *plan, uint32_t place, uint32_t first_step) {
    tni_segment *segment = &plan->segments[plan->segment_count++];
    segment->place = place;
    segment->first_step = first_step;
    segment->can_record = true;
    return segment;
}

static tn_status cut(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->segments =
        tni_arena_allocate(&plan->memory, (size_t)plan->step_count + 1, sizeof(tni_segment));
    if (plan->segments == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (host_needs_variables(builder)) {
        add_segment(plan, TNI_PLACE_DEVICE, 0);
    }
    tni_segment *segment = NULL;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        tni_step *step = &plan->steps[i];
        if (segment == NULL || segment->place != step->place) {
            segment = add_segment(plan, step->place, i);
        }
        step->segment = plan->segment_count - 1;
        segment->step_count++;
        /* What a stateful kernel queues may differ from run to run. */
        if (tni_plan_node(builder->plan, step->node)->op->flags & TN_OP_STATEFUL) {
            segment->can_record = false;
        }
    }
    return TN_OK;
}

/* Whether the value crosses to the other place. */
static bool crosses(const tni_plan_builder *builder, uint32_t node, const tni_plan_value *value) {
    return value->is_used[!value->home] &&
           (tni_plan_is_made(builder, node) || is_sent_variable(builder, node));
}

/* The first segment of the device that reads a value which the CPU makes. */
static uint32_t first_reader(const tni_plan_builder *builder, tn_value wanted) {
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        const tni_step *step = &builder->plan->steps[i];
        const tni_node *node = tni_plan_node(builder->plan, step->node);
        for (uint32_t j = 0; step->place == TNI_PLACE_DEVICE && j < node->input_count; j++) {
            if (step->inputs[j].node == wanted.node && step->inputs[j].output == wanted.output) {
                return step->segment;
            }
        }
    }
    return 0;
}

static tn_status add_transfer(tni_plan_builder *builder, tn_value which) {
    tni_plan *plan = builder->plan;
    const tni_plan_value *value = tni_plan_value_of(builder, which);
    const bool sends = value->home == TNI_PLACE_DEVICE;
    const bool is_input = tni_plan_node(builder->plan, which.node)->op == NULL;
    tni_segment *segment = &plan->segments[!sends     ? first_reader(builder, which)
                                           : is_input ? 0
                                                      : plan->steps[value->made].segment];
    tni_transfer **list = sends ? &segment->out : &segment->in;
    uint32_t *count = sends ? &segment->out_count : &segment->in_count;
    if (*list == NULL) { /* at most one for each value there is */
        *list = tni_arena_allocate(&plan->memory, builder->buffer_count, sizeof(tni_transfer));
        if (*list == NULL) {
            return TN_OUT_OF_MEMORY;
        }
    }
    (*list)[(*count)++] =
        (tni_transfer){value->at[value->home].view, value->at[!value->home].view, value->size};
    return TN_OK;
}

tn_status tni_plan_make_segments(tni_plan_builder *builder) {
    mark_uses(builder);
    TNI_TRY(find_states(builder));
    return cut(builder);
}

static void add_after(tni_segment *segment, uint32_t before) {
    for (uint32_t i = 0; i < segment->after_count; i++) {
        if (segment->after[i] == before) {
            return;
        }
    }
    segment->after[segment->after_count++] = before;
}

/* What must be done before a segment: the one before it in its place, whose memory it may take
 * over, and those of the other place that make what it reads. */
static tn_status order_segment(tni_plan_builder *builder, uint32_t number) {
    tni_plan *plan = builder->plan;
    tni_segment *segment = &plan->segments[number];
    segment->after = tni_arena_allocate(&plan->memory, number, sizeof(uint32_t));
    if (segment->after == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = number; i-- > 0;) {
        if (plan->segments[i].place == segment->place) {
            add_after(segment, i);
            break;
        }
    }
    for (uint32_t i = 0; i < segment->step_count; i++) {
        const tni_step *step = &plan->steps[segment->first_step + i];
        const tni_node *node = tni_plan_node(builder->plan, step->node);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (!tni_plan_has_value(builder, step->inputs[j])) {
                continue;
            }
            const uint32_t source = step->inputs[j].node;
            const tni_plan_value *value = tni_plan_value_of(builder, step->inputs[j]);
            if (value->home != step->place && crosses(builder, source, value)) {
                add_after(segment, tni_plan_node(builder->plan, source)->op == NULL
                                       ? 0
                                       : plan->steps[value->made].segment);
            }
        }
    }
    return TN_OK;
}

static tn_status list_returns(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->returns = tni_arena_allocate(&plan->memory, builder->order_count, sizeof(tni_transfer));
    if (plan->returns == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const tni_plan_value *value = builder->values[builder->order[i]];
        if (value->is_state) {
            plan->returns[plan->return_count++] = (tni_transfer){
                value->at[TNI_PLACE_HOST].view, value->at[TNI_PLACE_DEVICE].view, value->size};
        }
    }
    return TN_OK;
}

tn_status tni_plan_make_transfers(tni_plan_builder *builder) {
    TNI_TRY(list_returns(builder));
    for (uint32_t i = 0; i < builder->plan->segment_count; i++) {
        TNI_TRY(order_segment(builder, i));
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < tni_plan_node(builder->plan, number)->output_count; j++) {
            if (crosses(builder, number, &builder->values[number][j])) {
                TNI_TRY(add_transfer(builder, (tn_value){number, j}));
            }
        }
    }
    return TN_OK;
}
