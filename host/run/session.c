/* Making and ending sessions, and what they tell about themselves. */
#include "run/session.h"

#include <string.h>

#include "base/error.h"
#include "graph/values.h"
#include "tensor/sparse.h"

enum { DEFAULT_PLANS = 4, MAX_PLANS = 1024 };

/* Whether a tensor's memory can be used as it is by kernels on the device. */
static bool lies_on(const tn_tensor *tensor, const tn_device *device) {
    if (device->flags & TN_DEVICE_HOST_ADDRESSABLE || tensor->sparse != NULL) {
        return tensor->storage->host_addressable != 0; /* sparse tensors are the CPU's */
    }
    return tensor->storage->device == device;
}

tn_status tni_session_create_tensor(const tn_session *session, const tn_tensor_type *type,
                                    tn_tensor **out_tensor) {
    const tn_shape *shape = &type->shape;
    return tni_device_is_host_addressable(session->device) || tn_storage_is_sparse(type->storage)
               ? tni_tensor_create_as(session->runtime, type, out_tensor)
               : tn_tensor_create_on(session->device, type->dtype, shape->rank, shape->extents,
                                     out_tensor);
}

/* A state that runs change belongs to the session alone. */
static tn_status copy_state(tn_session *session, tn_tensor *tensor, tn_tensor **out_copy) {
    const tn_tensor_type type = tni_tensor_type(tensor);
    tn_tensor *copy;
    TNI_TRY(tni_session_create_tensor(session, &type, &copy));
    const tn_status status = tn_tensor_copy(tensor, copy);
    if (status != TN_OK) {
        tn_tensor_release(copy);
        return status;
    }
    *out_copy = copy;
    return TN_OK;
}

static tn_status take_parameter(tn_session *session, uint32_t node, tn_tensor *tensor) {
    TNI_TRY(tn_tensor_check_sparse(tensor));
    if (tn_graph_variable_kind(session->graph, node) == TN_VARIABLE_AUXILIARY) {
        return copy_state(session, tensor, &session->parameters[node]);
    }
    if (lies_on(tensor, session->device)) {
        tn_tensor_retain(tensor);
        session->parameters[node] = tensor;
        return TN_OK;
    }
    return tn_tensor_to_device(tensor, session->device, &session->parameters[node]);
}

static tn_status take_parameters(tn_session *session) {
    const tn_graph *graph = session->graph;
    session->parameters =
        tni_arena_allocate(&session->arena, graph->node_count, sizeof(tn_tensor *));
    if (session->parameters == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        tn_tensor *tensor = graph->nodes[i]->parameter;
        if (tensor != NULL) {
            TNI_TRY(tni_in(take_parameter(session, i, tensor), "parameter '%s'",
                           graph->nodes[i]->name));
        }
    }
    return TN_OK;
}

static tn_status list_inputs(tn_session *session) {
    const tn_graph *graph = session->graph;
    session->inputs = tni_arena_allocate(&session->arena, graph->node_count, sizeof(uint32_t));
    if (session->inputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->op == NULL && tni_graph_runs_node(graph, i) &&
            tn_graph_variable_kind(graph, i) == TN_VARIABLE_INPUT) {
            session->inputs[session->input_count++] = i;
        }
    }
    return TN_OK;
}

/* Which inputs' elements inference reads. */
static tn_status find_value_inputs(tn_session *session) {
    tni_arena scratch = {0};
    unsigned char *wanted;
    const uint32_t *order;
    uint32_t count;
    session->is_value = tni_arena_allocate(&session->arena, session->input_count, 1);
    session->elements =
        tni_arena_allocate(&session->arena, session->input_count, sizeof(tn_tensor *));
    if (session->is_value == NULL || session->elements == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_graph_order(session->graph, &order, &count));
    const tn_status status =
        tni_values_find_wanted(session->graph, order, count, &scratch, &wanted);
    for (uint32_t i = 0; status == TN_OK && i < session->input_count; i++) {
        session->is_value[i] = wanted[session->inputs[i]];
    }
    tni_arena_finish(&scratch);
    return status;
}

static tn_status list_outputs(tn_session *session) {
    const tn_graph *graph = session->graph;
    session->output_count = graph->output_count;
    session->output_names =
        tni_arena_allocate(&session->arena, graph->output_count, sizeof(char *));
    for (uint32_t i = 0; session->output_names != NULL && i < graph->output_count; i++) {
        session->output_names[i] = tni_arena_text(&session->arena, tn_graph_output_name(graph, i));
        if (session->output_names[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
    }
    return session->output_names == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

static tn_status make_room(tn_session *session) {
    tni_arena *arena = &session->arena;
    session->plans = tni_arena_allocate(arena, session->plan_limit, sizeof(tni_cached_plan));
    session->staged_inputs = tni_arena_allocate(arena, session->input_count, sizeof(tn_tensor *));
    session->input_views = tni_arena_allocate(arena, session->input_count, sizeof(tn_view *));
    session->staged_outputs = tni_arena_allocate(arena, session->output_count, sizeof(tn_tensor *));
    session->output_views = tni_arena_allocate(arena, session->output_count, sizeof(tn_view *));
    if (session->plans == NULL || session->staged_inputs == NULL || session->input_views == NULL ||
        session->staged_outputs == NULL || session->output_views == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    return TN_OK;
}

static tn_status fill_session(tn_session *session, tn_graph *graph,
                              const tn_session_options *options) {
    const uint32_t plans =
        options != NULL && TN_HAS_FIELD(tn_session_options, options, plan_cache_size)
            ? options->plan_cache_size
            : 0;
    if (plans > MAX_PLANS) {
        return tni_fail(TN_INVALID_ARGUMENT, "plan_cache_size is %u: expected at most %d", plans,
                        MAX_PLANS);
    }
    session->tuning = options != NULL && TN_HAS_FIELD(tn_session_options, options, tuning)
                          ? options->tuning
                          : NULL;
    session->plan_limit = plans == 0 ? DEFAULT_PLANS : plans;
    if (!tni_device_is_host_addressable(session->device)) {
        TNI_TRY(tn_device_open(session->runtime, "cpu", &session->fallback));
    }
    TNI_TRY(tn_graph_verify(graph));
    TNI_TRY(tni_graph_clone(graph, TNI_HOLDER_SESSION, &session->graph));
    TNI_TRY(tni_graph_find_runs(session->graph));
    TNI_TRY(take_parameters(session));
    TNI_TRY(list_inputs(session));
    TNI_TRY(find_value_inputs(session));
    TNI_TRY(list_outputs(session));
    return make_room(session);
}

tn_status tn_session_create(tn_graph *graph, tn_device *device, const tn_session_options *options,
                            tn_session **out_session) {
    tn_session *session = tni_allocate(1, sizeof *session);
    if (session == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    session->runtime = graph->runtime;
    session->device = device;
    tni_device_retain(device);
    const tn_status status = fill_session(session, graph, options);
    if (status != TN_OK) {
        tn_session_destroy(session);
        return tni_in(status, "session");
    }
    *out_session = session;
    return TN_OK;
}

void tn_session_destroy(tn_session *session) {
    if (session == NULL) {
        return;
    }
    for (uint32_t i = 0; i < session->plan_count; i++) {
        tni_cached_plan_finish(session, &session->plans[i]);
    }
    for (uint32_t i = 0; session->parameters != NULL && i < session->graph->node_count; i++) {
        tn_tensor_release(session->parameters[i]);
    }
    tn_graph_destroy(session->graph);
    tn_device_close(session->fallback);
    tni_device_release(session->device);
    tni_profile_destroy(session->profile);
    tni_arena_finish(&session->arena);
    tni_free(session);
}

uint32_t tn_session_input_count(const tn_session *session) {
    return session->input_count;
}

const char *tn_session_input_name(const tn_session *session, uint32_t index) {
    return index < session->input_count ? session->graph->nodes[session->inputs[index]]->name
                                        : NULL;
}

uint32_t tn_session_output_count(const tn_session *session) {
    return session->output_count;
}

const char *tn_session_output_name(const tn_session *session, uint32_t index) {
    return index < session->output_count ? session->output_names[index] : NULL;
}

static tn_status no_plan(void) {
    return tni_fail(TN_FAILED_PRECONDITION,
                    "the session has no plan yet: run it, or call tn_session_prepare");
}

/* The last plan; of a graph that runs in stages that of the stage with most nodes. */
static const tni_plan *last_plan(const tn_session *session) {
    while (session != NULL && session->last != NULL && session->last->plan == NULL) {
        session = tni_stages_main(session->last->stages);
    }
    return session == NULL || session->last == NULL ? NULL : session->last->plan;
}

tn_status tn_session_plan(const tn_session *session, tn_plan_info *out_info) {
    const tni_plan *plan = last_plan(session);
    if (plan == NULL) {
        return no_plan();
    }
    tn_plan_info info = plan->info;
    info.struct_size = out_info->struct_size;
    info.plans_made = session->plans_made;
    memcpy(out_info, &info, info.struct_size < sizeof info ? info.struct_size : TN_PLAN_INFO_SIZE);
    return TN_OK;
}

uint32_t tn_session_step_count(const tn_session *session) {
    const tni_plan *plan = last_plan(session);
    return plan == NULL ? 0 : plan->step_count;
}

static const char *overwritten_name(const tni_plan *plan, const tni_step *step) {
    return step->is_in_place
               ? tni_plan_node(plan,
                               tni_plan_node(plan, step->node)->inputs[step->overwritten].node)
                     ->name
               : "";
}

tn_status tn_session_step(const tn_session *session, uint32_t index, tn_step_info *out_info) {
    const tni_plan *plan = last_plan(session);
    if (plan == NULL) {
        return no_plan();
    }
    if (index >= plan->step_count) {
        return tni_fail(TN_OUT_OF_RANGE, "the plan has %u steps: there is no number %u",
                        plan->step_count, index);
    }
    const tni_step *step = &plan->steps[index];
    const tni_node *node = tni_plan_node(plan, step->node);
    const tn_view *output = step->call.outputs[0];
    const tn_tensor_type type = output == NULL
                                    ? tni_type_unknown()
                                    : (tn_tensor_type){output->dtype, step->call.output_storages[0],
                                                       tn_shape_of(output->rank, output->shape)};
    const tn_step_info info = {.struct_size = out_info->struct_size,
                               .elided = step->is_elided,
                               .node = node->name,
                               .op = node->entry->entry->name,
                               .kernel = step->is_elided ? "" : step->kernel->entry->name,
                               .plugin = step->kernel->plugin->name,
                               .device = tn_device_name(plan->places[step->place].device),
                               .output = type,
                               .overwrites = overwritten_name(plan, step),
                               .measured =
                                   step->tuned.measured == NULL ? "" : step->tuned.measured};
    memcpy(out_info, &info, info.struct_size < sizeof info ? info.struct_size : TN_STEP_INFO_SIZE);
    return TN_OK;
}

/* Texts of plans go with the profile. */
static void forget_names(tn_session *session) {
    for (uint32_t i = 0; i < session->plan_count; i++) {
        tni_cached_plan *cached = &session->plans[i];
        if (cached->plan != NULL) {
            cached->plan->step_names = NULL;
        }
        for (uint32_t j = 0; cached->stages != NULL; j++) {
            tn_session *stage = tni_stages_session(cached->stages, j);
            if (stage == NULL) {
                break;
            }
            forget_names(stage);
        }
    }
}

tn_status tn_session_set_profiling(tn_session *session, uint32_t on) {
    tni_profile *profile = NULL;
    if (on != 0) {
        profile = tni_allocate(1, sizeof *profile);
        if (profile == NULL) {
            return TN_OUT_OF_MEMORY;
        }
    }
    forget_names(session);
    tni_profile_destroy(session->profile);
    session->profile = profile;
    return TN_OK;
}

uint32_t tn_session_step_time_count(const tn_session *session) {
    return session->profile == NULL ? 0 : session->profile->count;
}

tn_status tn_session_step_time(const tn_session *session, uint32_t index, tn_step_time *out_time) {
    const uint32_t count = tn_session_step_time_count(session);
    if (index >= count) {
        return tni_fail(TN_OUT_OF_RANGE, "the profile has %u records: there is no number %u", count,
                        index);
    }
    const uint32_t size = out_time->struct_size;
    memcpy(out_time, &session->profile->times[index],
           size < sizeof *out_time ? size : TN_STEP_TIME_SIZE);
    out_time->struct_size = size;
    return TN_OK;
}
