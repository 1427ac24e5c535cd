/* Running a session: finding or making the plan, bringing tensors to the device and back. */
#include <string.h>

#include "base/error.h"
#include "run/session.h"
#include "tensor/sparse.h"

/* Elements that plans are kept for: shapes and the like, not data. */
enum { MAX_VALUE_BYTES = 1 << 16 };

static bool is_of_type(const tn_tensor *tensor, const tn_tensor_type *type) {
    const tn_view *view = &tensor->view;
    if (type->dtype != view->dtype || type->shape.rank != view->rank ||
        type->storage != tni_tensor_storage(tensor)) {
        return false;
    }
    for (int32_t axis = 0; axis < view->rank; axis++) {
        if (type->shape.extents[axis] != view->shape[axis]) {
            return false;
        }
    }
    return true;
}

static tn_status merge_input(const tni_node *node, const tn_tensor_type *given,
                             tn_tensor_type *known) {
    bool changed = false;
    if (tni_type_merge(known, given, &changed)) {
        return TN_OK;
    }
    char have[600], text[600];
    return tni_fail(TN_INVALID_ARGUMENT, "input '%s' is given as %s, but the graph declares %s",
                    node->name, tni_type_text(given, text, sizeof text),
                    tni_type_text(known, have, sizeof have));
}

/* Types of all variables: inputs as given, the others as declared or as their tensors are. */
static tn_status gather_types(tn_session *session, const tn_tensor_type *types,
                              tn_tensor_type *known) {
    uint32_t variable = 0, input = 0;
    for (uint32_t i = 0; i < session->graph->node_count; i++) {
        const tni_node *node = session->graph->nodes[i];
        if (node->op != NULL) {
            continue;
        }
        known[variable] = node->declared;
        if (input < session->input_count && session->inputs[input] == i) {
            TNI_TRY(merge_input(node, &types[input], &known[variable]));
            input++;
        } else if (session->parameters[i] != NULL) {
            known[variable] = tni_tensor_type(session->parameters[i]);
        }
        variable++;
    }
    return TN_OK;
}

static tn_status infer(tn_session *session, const tn_tensor_type *types) {
    tn_graph *graph = session->graph;
    tni_arena scratch = {0};
    tn_tensor_type *known =
        tni_arena_allocate(&scratch, tni_graph_variable_count(graph), sizeof *known);
    tn_tensor **elements = tni_arena_allocate(&scratch, graph->node_count, sizeof *elements);
    tn_status status =
        known == NULL || elements == NULL ? TN_OUT_OF_MEMORY : gather_types(session, types, known);
    for (uint32_t i = 0; status == TN_OK && i < session->input_count; i++) {
        elements[session->inputs[i]] = session->elements[i];
    }
    if (status == TN_OK) {
        status = tni_graph_infer_variables(graph, known, elements);
    }
    tni_arena_finish(&scratch);
    return status;
}

/* A plan, or, where types follow only from a run, stages. */
static tn_status make_plan(tn_session *session, const tn_tensor_type *types,
                           tni_cached_plan *cached) {
    TNI_TRY(infer(session, types));
    if (tni_stages_needed(session->graph)) {
        TNI_TRY(tni_stages_create(session->graph, session->device, session->inputs,
                                  session->input_count, &cached->stages));
        if (cached->stages != NULL) {
            return TN_OK;
        }
    }
    const tni_plan_desc desc = {.graph = session->graph,
                                .device = session->device,
                                .fallback = session->fallback,
                                .inputs = session->inputs,
                                .input_count = session->input_count,
                                .parameters = session->parameters,
                                .tuning = session->tuning};
    return tni_plan_create(&desc, &cached->plan);
}

/* Copies what the plan was made for; elements, since the caller may change them. */
static tn_status remember(tn_session *session, const tn_tensor_type *types,
                          tni_cached_plan *cached) {
    cached->types = tni_allocate(session->input_count, sizeof *cached->types);
    cached->elements = tni_allocate(session->input_count, sizeof *cached->elements);
    if (cached->types == NULL || cached->elements == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < session->input_count; i++) {
        cached->types[i] = types[i];
        if (session->elements[i] != NULL) {
            const tn_view *view = tn_tensor_view(session->elements[i]);
            TNI_TRY(tn_tensor_create(session->runtime, view->dtype, view->rank, view->shape,
                                     &cached->elements[i]));
            TNI_TRY(tn_tensor_copy(session->elements[i], cached->elements[i]));
        }
    }
    return TN_OK;
}

void tni_cached_plan_finish(tn_session *session, tni_cached_plan *cached) {
    tni_plan_destroy(cached->plan);
    tni_stages_destroy(cached->stages);
    for (uint32_t i = 0; cached->elements != NULL && i < session->input_count; i++) {
        tn_tensor_release(cached->elements[i]);
    }
    tni_free(cached->elements);
    tni_free(cached->types);
    *cached = (tni_cached_plan){0};
}

/* A free place among the kept plans, or that of the plan that was used longest ago. */
static tni_cached_plan *take_place(tn_session *session) {
    if (session->plan_count < session->plan_limit) {
        return &session->plans[session->plan_count++];
    }
    tni_cached_plan *oldest = &session->plans[0];
    for (uint32_t i = 1; i < session->plan_count; i++) {
        if (session->plans[i].last_used < oldest->last_used) {
            oldest = &session->plans[i];
        }
    }
    tni_cached_plan_finish(session, oldest);
    return oldest;
}

static tn_status add_plan(tn_session *session, const tn_tensor_type *types,
                          tni_cached_plan **out_plan) {
    tni_cached_plan made = {.last_used = session->runs};
    tn_status status = make_plan(session, types, &made);
    if (status == TN_OK) {
        status = remember(session, types, &made);
    }
    if (status != TN_OK) {
        tni_cached_plan_finish(session, &made);
        return tni_in(status, "plan");
    }
    tni_cached_plan *place = take_place(session);
    *place = made;
    session->plans_made++;
    session->last = place;
    *out_plan = place;
    return TN_OK;
}

/* As inference settles it. */
static uint32_t settled_storage(const tn_tensor_type *type) {
    return type->storage == TN_STORAGE_UNKNOWN ? TN_STORAGE_DENSE : type->storage;
}

static bool same_types(const tn_tensor_type *left, const tn_tensor_type *right, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (left[i].dtype != right[i].dtype || left[i].shape.rank != right[i].shape.rank ||
            settled_storage(&left[i]) != settled_storage(&right[i]) ||
            memcmp(left[i].shape.extents, right[i].shape.extents,
                   (size_t)left[i].shape.rank * sizeof(int64_t)) != 0) {
            return false;
        }
    }
    return true;
}

/* For tensors of one type. */
static bool same_elements(tn_tensor *const *left, tn_tensor *const *right, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if ((left[i] == NULL) != (right[i] == NULL) ||
            (left[i] != NULL && memcmp(tn_tensor_data(left[i]), tn_tensor_data(right[i]),
                                       tn_tensor_byte_size(left[i])) != 0)) {
            return false;
        }
    }
    return true;
}

static void use_plan(tn_session *session, tni_cached_plan *cached) {
    cached->last_used = session->runs;
    session->last = cached;
}

tn_status tni_session_find_plan(tn_session *session, const tn_tensor_type *types,
                                tni_cached_plan **out_plan) {
    for (uint32_t i = 0; i < session->plan_count; i++) {
        tni_cached_plan *cached = &session->plans[i];
        if (same_types(cached->types, types, session->input_count) &&
            same_elements(cached->elements, session->elements, session->input_count)) {
            use_plan(session, cached);
            *out_plan = cached;
            return TN_OK;
        }
    }
    return add_plan(session, types, out_plan);
}

tn_status tn_session_prepare(tn_session *session, const tn_tensor_type *inputs) {
    tni_cached_plan *plan;
    for (uint32_t i = 0; i < session->input_count; i++) {
        if (!tni_type_is_known(&inputs[i])) {
            return tni_fail(TN_INVALID_ARGUMENT, "session: the type of input '%s' is not complete",
                            tn_session_input_name(session, i));
        }
    }
    return tni_in(tni_session_find_plan(session, inputs, &plan), "session");
}

static bool plan_fits(const tn_session *session, const tni_cached_plan *cached,
                      tn_tensor *const *inputs) {
    for (uint32_t i = 0; i < session->input_count; i++) {
        if (!is_of_type(inputs[i], &cached->types[i])) {
            return false;
        }
    }
    return same_elements(cached->elements, session->elements, session->input_count);
}

/* Inputs whose elements inference reads, brought to host memory. */
static tn_status read_elements(tn_session *session, tn_tensor *const *inputs) {
    for (uint32_t i = 0; i < session->input_count; i++) {
        if (!session->is_value[i] || tn_tensor_byte_size(inputs[i]) > MAX_VALUE_BYTES) {
            continue;
        }
        if (tn_tensor_data(inputs[i]) != NULL) {
            tn_tensor_retain(inputs[i]);
            session->elements[i] = inputs[i];
        } else {
            TNI_TRY(tn_tensor_to_device(inputs[i], session->fallback, &session->elements[i]));
        }
    }
    return TN_OK;
}

/* The quick look-up by tensors; most runs have the types of the run before. */
static tn_status choose_plan(tn_session *session, tn_tensor *const *inputs,
                             tni_cached_plan **out_plan) {
    session->runs++;
    for (uint32_t i = 0; i < session->input_count; i++) {
        if (inputs[i] == NULL) {
            return tni_fail(TN_INVALID_ARGUMENT, "input '%s' is missing",
                            tn_session_input_name(session, i));
        }
    }
    TNI_TRY(read_elements(session, inputs));
    for (uint32_t i = 0; i < session->plan_count; i++) {
        if (plan_fits(session, &session->plans[i], inputs)) {
            use_plan(session, &session->plans[i]);
            *out_plan = &session->plans[i];
            return TN_OK;
        }
    }
    tn_tensor_type *types = tni_allocate(session->input_count, sizeof *types);
    if (types == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < session->input_count; i++) {
        types[i] = tni_tensor_type(inputs[i]);
    }
    const tn_status status = add_plan(session, types, out_plan);
    tni_free(types);
    return status;
}

/* Host memory serves every session: a plan of another device copies from and to it. */
static bool is_usable(const tn_session *session, const tn_tensor *tensor) {
    return tensor->storage->host_addressable != 0 || tensor->storage->device == session->device;
}

static tn_status stage_inputs(tn_session *session, tn_tensor *const *inputs) {
    for (uint32_t i = 0; i < session->input_count; i++) {
        session->input_views[i] = &inputs[i]->view;
        if (inputs[i]->sparse != NULL) {
            TNI_TRY(tni_in(tni_sparse_check(inputs[i]->sparse), "input '%s'",
                           tn_session_input_name(session, i)));
        }
        if (!is_usable(session, inputs[i])) {
            TNI_TRY(
                tni_in(tn_tensor_to_device(inputs[i], session->device, &session->staged_inputs[i]),
                       "input '%s'", tn_session_input_name(session, i)));
            session->input_views[i] = &session->staged_inputs[i]->view;
        }
    }
    return TN_OK;
}

static bool overlap(const tn_tensor *left, const tn_tensor *right) {
    if (left->storage != right->storage || left->sparse != NULL) {
        return left == right;
    }
    const uint64_t left_end = left->view.byte_offset + tn_tensor_byte_size(left);
    const uint64_t right_end = right->view.byte_offset + tn_tensor_byte_size(right);
    return left->view.byte_offset < right_end && right->view.byte_offset < left_end;
}

/* A plan writes an output before it has read all inputs: memory that serves as both is kept apart.
 */
static bool needs_staging(const tn_session *session, tn_tensor *const *inputs,
                          tn_tensor *const *outputs, uint32_t index) {
    if (!is_usable(session, outputs[index])) {
        return true;
    }
    for (uint32_t i = 0; i < session->input_count; i++) {
        if (overlap(outputs[index], inputs[i])) {
            return true;
        }
    }
    for (uint32_t i = 0; i < index; i++) {
        if (outputs[i] != NULL && overlap(outputs[index], outputs[i])) {
            return true;
        }
    }
    return false;
}

static tn_status stage_outputs(tn_session *session, const tni_plan *plan, tn_tensor *const *inputs,
                               tn_tensor *const *outputs) {
    for (uint32_t i = 0; i < session->output_count; i++) {
        const tn_tensor_type *type = &plan->output_types[i];
        session->output_views[i] = NULL;
        if (!tni_type_is_known(type)) {
            continue; /* its kernel makes it */
        }
        if (outputs[i] != NULL && !is_of_type(outputs[i], type)) {
            const tn_tensor_type given = tni_tensor_type(outputs[i]);
            char have[600], want[600];
            return tni_fail(TN_INVALID_ARGUMENT, "output '%s' is given a tensor of %s: expected %s",
                            session->output_names[i], tni_type_text(&given, have, sizeof have),
                            tni_type_text(type, want, sizeof want));
        }
        if (outputs[i] != NULL && !needs_staging(session, inputs, outputs, i)) {
            session->output_views[i] = &outputs[i]->view;
            continue;
        }
        TNI_TRY(tni_session_create_tensor(session, type, &session->staged_outputs[i]));
        session->output_views[i] = &session->staged_outputs[i]->view;
    }
    return TN_OK;
}

/* Hands new outputs over and copies those that were kept apart. */
static tn_status deliver_outputs(tn_session *session, tn_tensor **outputs) {
    for (uint32_t i = 0; i < session->output_count; i++) {
        if (session->staged_outputs[i] != NULL && outputs[i] != NULL) {
            TNI_TRY(tni_in(tn_tensor_copy(session->staged_outputs[i], outputs[i]), "output '%s'",
                           session->output_names[i]));
        }
    }
    for (uint32_t i = 0; i < session->output_count; i++) {
        if (outputs[i] == NULL) {
            outputs[i] = session->staged_outputs[i];
            session->staged_outputs[i] = NULL;
        }
    }
    return TN_OK;
}

static void drop_staged(tn_tensor **tensors, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tn_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

static tn_status run_timed(tn_session *session, tni_plan *plan) {
    TNI_TRY(tni_profile_begin(session->profile, plan));
    const tn_status status = tni_plan_run(plan, session->input_views, session->output_views);
    const tn_status ended = tni_profile_end(session->profile, plan, status != TN_OK);
    return status == TN_OK ? ended : status;
}

static tn_status run_plan(tn_session *session, tni_plan *plan, tn_tensor *const *inputs,
                          tn_tensor **outputs) {
    TNI_TRY(stage_inputs(session, inputs));
    TNI_TRY(stage_outputs(session, plan, inputs, outputs));
    TNI_TRY(session->profile == NULL
                ? tni_plan_run(plan, session->input_views, session->output_views)
                : run_timed(session, plan));
    tni_plan_take_given(plan, session->staged_outputs);
    return deliver_outputs(session, outputs);
}

tn_status tn_session_run(tn_session *session, tn_tensor *const *inputs, tn_tensor **outputs) {
    tni_cached_plan *cached = NULL;
    tn_status status = choose_plan(session, inputs, &cached);
    if (status == TN_OK) {
        status = cached->plan != NULL
                     ? run_plan(session, cached->plan, inputs, outputs)
                     : tni_stages_run(cached->stages, session->profile, inputs, outputs);
    }
    drop_staged(session->elements, session->input_count);
    drop_staged(session->staged_inputs, session->input_count);
    drop_staged(session->staged_outputs, session->output_count);
    return status == TN_OK ? TN_OK : tni_in(status, "run");
}
