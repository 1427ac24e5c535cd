#include "run/session.h"

#include <string.h>

#include "base/error.h"
#include "graph/extract.h"
#include "graph/values.h"
#include "tensor/tensor.h"

/* Which stage a node belongs to. */
enum { STAGE_NONE, STAGE_HEAD, STAGE_SINGLE, STAGE_TAIL };

enum { NO_SLOT = UINT32_MAX };

typedef struct stage {
    tn_session *session;
    uint32_t *input_slots, *output_slots; /* in the session's order */
    tn_tensor **inputs, **outputs;        /* for one run */
} stage;

struct tni_stages {
    stage *items;
    uint32_t count;
    tn_tensor **slots; /* the values that go from stage to stage, in one run; inputs first */
    uint32_t slot_count, input_count, output_count;
    uint32_t *output_slots;
    tni_arena arena;
};

typedef struct stages_builder {
    tni_stages *stages;
    tn_graph *graph;
    tn_device *device;
    const uint32_t *order;
    uint32_t order_count;
    unsigned char *stage_of; /* by node */
    uint32_t **slots;        /* by node, by output */
    tni_arena scratch;
} stages_builder;

static bool outputs_are_known(const tn_graph *graph, uint32_t number) {
    for (uint32_t i = 0; i < graph->nodes[number]->output_count; i++) {
        if (!tni_type_is_known(&graph->types[number][i])) {
            return false;
        }
    }
    return true;
}

bool tni_stages_needed(const tn_graph *graph) {
    const uint32_t *order;
    uint32_t count;
    if (tni_graph_order(graph, &order, &count) != TN_OK) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tni_node *node = graph->nodes[order[i]];
        for (uint32_t j = 0; j < node->input_count && tni_graph_runs_node(graph, order[i]); j++) {
            const tn_value value = node->inputs[j];
            if (value.node != TN_NO_NODE && tni_graph_runs_node(graph, value.node) &&
                !tni_type_is_known(&graph->types[value.node][value.output])) {
                return true; /* somebody reads it: it cannot be left to the maker */
            }
        }
        if (node->op != NULL && (node->op->flags & TN_OP_DATA_DEPENDENT) == 0 &&
            tni_graph_runs_node(graph, order[i]) && !outputs_are_known(graph, order[i])) {
            return true;
        }
    }
    return false;
}

/* Whether a value is there before any stage runs. */
static bool is_there(const stages_builder *builder, tn_value value) {
    return value.node == TN_NO_NODE || builder->graph->nodes[value.node]->op == NULL ||
           tni_values_find(builder->graph, value) != NULL;
}

static bool inputs_are_in_head(const stages_builder *builder, const tni_node *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        if (!is_there(builder, value) && builder->stage_of[value.node] != STAGE_HEAD &&
            tni_graph_runs_node(builder->graph, value.node)) {
            return false;
        }
    }
    return true;
}

static void sort_nodes(stages_builder *builder, uint32_t counts[]) {
    const tn_graph *graph = builder->graph;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        const tni_node *node = graph->nodes[number];
        if (node->op == NULL || is_there(builder, (tn_value){number, 0}) ||
            !tni_graph_runs_node(graph, number)) {
            continue;
        }
        const bool is_ready = inputs_are_in_head(builder, node);
        unsigned char own = STAGE_TAIL;
        if (is_ready && outputs_are_known(graph, number)) {
            own = STAGE_HEAD;
        } else if (is_ready && (node->op->flags & TN_OP_DATA_DEPENDENT)) {
            own = STAGE_SINGLE;
        }
        builder->stage_of[number] = own;
        counts[own]++;
    }
}

static uint32_t *slot_of(const stages_builder *builder, tn_value value) {
    return &builder->slots[value.node][value.output];
}

static uint32_t take_slot(stages_builder *builder, tn_value value) {
    uint32_t *slot = slot_of(builder, value);
    if (*slot == NO_SLOT) {
        *slot = builder->stages->slot_count++;
    }
    return *slot;
}

/* Gives a slot to each input, and to each value that is read outside the stage that makes it. */
static tn_status make_slots(stages_builder *builder, const uint32_t *inputs, uint32_t count) {
    const tn_graph *graph = builder->graph;
    builder->slots =
        tni_arena_allocate(&builder->scratch, graph->node_count, sizeof *builder->slots);
    for (uint32_t i = 0; builder->slots != NULL && i < graph->node_count; i++) {
        const size_t outputs = graph->nodes[i]->output_count;
        builder->slots[i] = tni_arena_allocate(&builder->scratch, outputs, sizeof(uint32_t));
        if (builder->slots[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        memset(builder->slots[i], 0xff, outputs * sizeof(uint32_t));
    }
    if (builder->slots == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        take_slot(builder, (tn_value){inputs[i], 0});
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const tni_node *node = graph->nodes[builder->order[i]];
        const unsigned char own = builder->stage_of[builder->order[i]];
        for (uint32_t j = 0; own != STAGE_NONE && j < node->input_count; j++) {
            const tn_value value = node->inputs[j];
            if (!is_there(builder, value) &&
                (own == STAGE_SINGLE || builder->stage_of[value.node] != own)) {
                take_slot(builder, value);
            }
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        take_slot(builder, graph->outputs[i]);
    }
    return TN_OK;
}

/* The values with slots that nodes of a stage make; `only` names the node of a single. */
static tn_status list_made(stages_builder *builder, unsigned char stage_number, uint32_t only,
                           tn_value **out_values, uint32_t *out_count) {
    const tn_graph *graph = builder->graph;
    *out_count = 0;
    *out_values =
        tni_arena_allocate(&builder->scratch, builder->stages->slot_count, sizeof **out_values);
    if (*out_values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        if (builder->stage_of[number] != stage_number || (only != TN_NO_NODE && number != only)) {
            continue;
        }
        for (uint32_t j = 0; j < graph->nodes[number]->output_count; j++) {
            if (*slot_of(builder, (tn_value){number, j}) != NO_SLOT) {
                (*out_values)[(*out_count)++] = (tn_value){number, j};
            }
        }
    }
    return TN_OK;
}

static tn_status connect(stages_builder *builder, stage *item, const tni_part *part,
                         const tn_value *made, uint32_t made_count) {
    tni_arena *arena = &builder->stages->arena;
    const tn_session *session = item->session;
    item->input_slots = tni_arena_allocate(arena, session->input_count, sizeof(uint32_t));
    item->output_slots = tni_arena_allocate(arena, made_count, sizeof(uint32_t));
    item->inputs = tni_arena_allocate(arena, session->input_count, sizeof(tn_tensor *));
    item->outputs = tni_arena_allocate(arena, made_count, sizeof(tn_tensor *));
    if (item->input_slots == NULL || item->output_slots == NULL || item->inputs == NULL ||
        item->outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < session->input_count; i++) {
        for (uint32_t j = 0; j < part->border_count; j++) {
            if (part->variables[j] == session->inputs[i]) {
                item->input_slots[i] = *slot_of(builder, part->borders[j]);
            }
        }
    }
    for (uint32_t i = 0; i < made_count; i++) {
        item->output_slots[i] = *slot_of(builder, made[i]);
    }
    return TN_OK;
}

static tn_status add_stage(stages_builder *builder, unsigned char stage_number, uint32_t only) {
    tni_stages *stages = builder->stages;
    const uint32_t nodes = builder->graph->node_count;
    unsigned char *is_in = tni_arena_allocate(&builder->scratch, nodes, 1);
    tn_value *made;
    uint32_t made_count;
    tni_part part;
    if (is_in == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        is_in[i] = builder->stage_of[i] == stage_number && (only == TN_NO_NODE || only == i);
    }
    TNI_TRY(list_made(builder, stage_number, only, &made, &made_count));
    if (made_count == 0) {
        return TN_OK; /* nothing reads what it makes */
    }
    TNI_TRY(tni_graph_extract(builder->graph, is_in, made, made_count, TNI_HOLDER_SESSION,
                              &builder->scratch, &part));
    stage *item = &stages->items[stages->count];
    const tn_status status = tn_session_create(part.graph, builder->device, NULL, &item->session);
    if (status == TN_OK) {
        stages->count++;
    }
    tn_graph_destroy(part.graph);
    TNI_TRY(status);
    return connect(builder, item, &part, made, made_count);
}

static tn_status add_stages(stages_builder *builder, const uint32_t counts[]) {
    tni_stages *stages = builder->stages;
    stages->items =
        tni_arena_allocate(&stages->arena, (size_t)counts[STAGE_SINGLE] + 2, sizeof *stages->items);
    if (stages->items == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (counts[STAGE_HEAD] > 0) {
        TNI_TRY(add_stage(builder, STAGE_HEAD, TN_NO_NODE));
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        if (builder->stage_of[builder->order[i]] == STAGE_SINGLE) {
            TNI_TRY(add_stage(builder, STAGE_SINGLE, builder->order[i]));
        }
    }
    return counts[STAGE_TAIL] > 0 ? add_stage(builder, STAGE_TAIL, TN_NO_NODE) : TN_OK;
}

/* Outputs that no stage makes: inputs, parameters, what was known ahead. */
static tn_status keep_constants(stages_builder *builder) {
    tni_stages *stages = builder->stages;
    const tn_graph *graph = builder->graph;
    stages->output_count = graph->output_count;
    stages->output_slots =
        tni_arena_allocate(&stages->arena, graph->output_count, sizeof(uint32_t));
    stages->slots = tni_arena_allocate(&stages->arena, stages->slot_count, sizeof(tn_tensor *));
    if (stages->output_slots == NULL || stages->slots == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const uint32_t slot = *slot_of(builder, graph->outputs[i]);
        tn_tensor *elements = tni_values_find(graph, graph->outputs[i]);
        stages->output_slots[i] = slot;
        if (elements != NULL && slot >= stages->input_count && stages->slots[slot] == NULL) {
            tn_tensor_retain(elements);
            stages->slots[slot] = elements;
        }
    }
    return TN_OK;
}

static tn_status build(stages_builder *builder, const uint32_t *inputs, uint32_t input_count,
                       bool *out_progress) {
    tn_graph *graph = builder->graph;
    uint32_t counts[STAGE_TAIL + 1] = {0};
    TNI_TRY(tni_graph_order(graph, &builder->order, &builder->order_count));
    builder->stage_of = tni_arena_allocate(&builder->scratch, graph->node_count, 1);
    if (builder->stage_of == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    sort_nodes(builder, counts);
    *out_progress = counts[STAGE_HEAD] + counts[STAGE_SINGLE] > 0;
    if (!*out_progress) {
        return TN_OK;
    }
    builder->stages->input_count = input_count;
    TNI_TRY(make_slots(builder, inputs, input_count));
    TNI_TRY(keep_constants(builder));
    return add_stages(builder, counts);
}

tn_status tni_stages_create(tn_graph *graph, tn_device *device, const uint32_t *inputs,
                            uint32_t input_count, tni_stages **out_stages) {
    tni_stages *stages = tni_allocate(1, sizeof *stages);
    if (stages == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    stages_builder builder = {.stages = stages, .graph = graph, .device = device};
    bool progress = false;
    const tn_status status = build(&builder, inputs, input_count, &progress);
    tni_arena_finish(&builder.scratch);
    if (status != TN_OK || !progress) {
        tni_stages_destroy(stages);
        stages = NULL;
    }
    *out_stages = stages;
    return status;
}

static void drop_slots(tni_stages *stages, bool all) {
    for (uint32_t i = 0; i < stages->slot_count && stages->slots != NULL; i++) {
        bool is_made = i < stages->input_count || all;
        for (uint32_t j = 0; !is_made && j < stages->count; j++) {
            for (uint32_t k = 0; k < stages->items[j].session->output_count; k++) {
                is_made = is_made || stages->items[j].output_slots[k] == i;
            }
        }
        if (is_made) { /* the others are constants */
            tn_tensor_release(stages->slots[i]);
            stages->slots[i] = NULL;
        }
    }
}

void tni_stages_destroy(tni_stages *stages) {
    if (stages == NULL) {
        return;
    }
    drop_slots(stages, true);
    for (uint32_t i = 0; i < stages->count; i++) {
        tn_session_destroy(stages->items[i].session);
    }
    tni_arena_finish(&stages->arena);
    tni_free(stages);
}

/* The run's number stays that of the whole until all stages are done. */
static tn_status run_session(tn_session *session, tni_profile *profile, tn_tensor *const *inputs,
                             tn_tensor **outputs) {
    const uint32_t number = profile == NULL ? 0 : profile->run_count;
    session->profile = profile;
    const tn_status status = tn_session_run(session, inputs, outputs);
    session->profile = NULL;
    if (profile != NULL) {
        profile->run_count = number;
    }
    return status;
}

static tn_status run_stage(tni_stages *stages, stage *item, tni_profile *profile) {
    const uint32_t output_count = item->session->output_count;
    for (uint32_t i = 0; i < item->session->input_count; i++) {
        item->inputs[i] = stages->slots[item->input_slots[i]];
    }
    memset(item->outputs, 0, output_count * sizeof(tn_tensor *));
    TNI_TRY(run_session(item->session, profile, item->inputs, item->outputs));
    for (uint32_t i = 0; i < output_count; i++) {
        stages->slots[item->output_slots[i]] = item->outputs[i];
    }
    return TN_OK;
}

static tn_status hand_out(const tni_stages *stages, tn_tensor **outputs) {
    for (uint32_t i = 0; i < stages->output_count; i++) {
        if (outputs[i] != NULL) {
            TNI_TRY(tni_in(tn_tensor_copy(stages->slots[stages->output_slots[i]], outputs[i]),
                           "output %u", i));
        }
    }
    for (uint32_t i = 0; i < stages->output_count; i++) {
        if (outputs[i] == NULL) {
            outputs[i] = stages->slots[stages->output_slots[i]];
            tn_tensor_retain(outputs[i]);
        }
    }
    return TN_OK;
}

tn_status tni_stages_run(tni_stages *stages, tni_profile *profile, tn_tensor *const *inputs,
                         tn_tensor **outputs) {
    for (uint32_t i = 0; i < stages->input_count; i++) {
        tn_tensor_retain(inputs[i]);
        stages->slots[i] = inputs[i];
    }
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < stages->count; i++) {
        status = run_stage(stages, &stages->items[i], profile);
    }
    if (status == TN_OK) {
        status = hand_out(stages, outputs);
    }
    if (profile != NULL && status == TN_OK) {
        profile->run_count++;
    }
    drop_slots(stages, false);
    return status;
}

tn_session *tni_stages_session(const tni_stages *stages, uint32_t index) {
    return index < stages->count ? stages->items[index].session : NULL;
}

const tn_session *tni_stages_main(const tni_stages *stages) {
    const tn_session *most = NULL;
    for (uint32_t i = 0; i < stages->count; i++) {
        const tn_session *session = stages->items[i].session;
        if (most == NULL || session->graph->node_count > most->graph->node_count) {
            most = session;
        }
    }
    return most;
}
