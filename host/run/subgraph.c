/* Subgraphs of a node: plans of fixed types, or sessions where types come with every call. */
#include <string.h>

#include "base/error.h"
#include "run/session.h"

/* A nested plan for one subgraph, in the place of the node that holds it. */
static tn_status create_plan(tn_device *device, const tn_graph *subgraph, tni_plan **out_plan) {
    tni_arena scratch = {0};
    uint32_t *inputs = tni_arena_allocate(&scratch, subgraph->node_count, sizeof *inputs);
    tn_tensor **parameters = tni_arena_allocate(&scratch, subgraph->node_count, sizeof *parameters);
    tn_status status = inputs == NULL || parameters == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    uint32_t count = 0;
    for (uint32_t i = 0; status == TN_OK && i < subgraph->node_count; i++) {
        parameters[i] = subgraph->nodes[i]->parameter;
        if (subgraph->nodes[i]->op == NULL && parameters[i] == NULL) {
            inputs[count++] = i;
        }
    }
    if (status == TN_OK) {
        const tni_plan_desc desc = {.graph = subgraph,
                                    .device = device,
                                    .inputs = inputs,
                                    .input_count = count,
                                    .parameters = parameters};
        status = tni_plan_create(&desc, out_plan);
    }
    tni_arena_finish(&scratch);
    return status;
}

static tn_status create_one(tn_device *device, const tni_node *node, tn_subgraph_runner *runner,
                            uint32_t index) {
    tn_graph *subgraph = node->subgraphs[index];
    return runner->sessions != NULL
               ? tn_session_create(subgraph, device, NULL, &runner->sessions[index])
               : create_plan(device, subgraph, &runner->plans[index]);
}

tn_status tni_subgraphs_create(tni_plan *plan, tni_step *step, const tni_node *node) {
    if (node->subgraph_count == 0) {
        return TN_OK;
    }
    const bool with_sessions = node->op->flags & TN_OP_DATA_DEPENDENT;
    tn_subgraph_runner *runner = tni_arena_allocate(&plan->memory, 1, sizeof *runner);
    void *items = tni_arena_allocate(&plan->memory, node->subgraph_count, sizeof(void *));
    if (runner == NULL || items == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    runner->plans = with_sessions ? NULL : items;
    runner->sessions = with_sessions ? items : NULL;
    step->call.subgraphs = runner;
    for (uint32_t i = 0; i < node->subgraph_count; i++) {
        TNI_TRY(tni_in(create_one(plan->places[step->place].device, node, runner, i), "subgraph %u",
                       i));
        runner->count++;
    }
    return TN_OK;
}

void tni_subgraphs_destroy(tn_subgraph_runner *runner) {
    for (uint32_t i = 0; runner != NULL && i < runner->count; i++) {
        if (runner->sessions != NULL) {
            tn_session_destroy(runner->sessions[i]);
        } else {
            tni_plan_destroy(runner->plans[i]);
        }
    }
}

static tn_status check_views(const char *what, const tn_view *const *views, uint32_t count,
                             const tn_tensor_type *types, uint32_t wanted) {
    if (count != wanted) {
        return tni_fail(TN_INVALID_ARGUMENT, "subgraph: %u %ss are given, it has %u", count, what,
                        wanted);
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool same = views[i] != NULL && views[i]->dtype == types[i].dtype &&
                          views[i]->rank == types[i].shape.rank &&
                          memcmp(views[i]->shape, types[i].shape.extents,
                                 (size_t)views[i]->rank * sizeof(int64_t)) == 0;
        if (!same) {
            char planned[600];
            return tni_fail(TN_INVALID_ARGUMENT, "subgraph: %s %u must be %s, as it was planned",
                            what, i, tni_type_text(&types[i], planned, sizeof planned));
        }
    }
    return TN_OK;
}

tn_status tni_run_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                           const tn_view *const *inputs, uint32_t input_count,
                           const tn_view *const *outputs, uint32_t output_count) {
    (void)host;
    if (runner == NULL || index >= runner->count) {
        return tni_fail(TN_OUT_OF_RANGE, "the node has no subgraph %u", index);
    }
    if (runner->plans == NULL) {
        return tni_fail(TN_FAILED_PRECONDITION,
                        "subgraph %u: an operator whose outputs depend on elements calls "
                        "call_subgraph",
                        index);
    }
    tni_plan *plan = runner->plans[index];
    TNI_TRY(check_views("input", inputs, input_count, plan->input_types, plan->input_count));
    TNI_TRY(check_views("output", outputs, output_count, plan->output_types, plan->output_count));
    return tni_in(tni_plan_run(plan, inputs, outputs), "subgraph %u", index);
}

/* The caller's memory as a tensor, for one call. */
static tn_status wrap(tn_runtime *runtime, const tn_view *view, tn_tensor **out_tensor) {
    return tn_tensor_wrap(runtime, view->dtype, view->rank, view->shape,
                          (char *)view->data + view->byte_offset, NULL, NULL, out_tensor);
}

/* A kernel gives all inputs of the subgraph; the session knows those that it needs. */
static tn_status wrap_inputs(tn_session *session, const tn_view *const *inputs, uint32_t count,
                             tn_tensor **tensors) {
    const tn_graph *graph = session->graph;
    uint32_t given = 0, used = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!tni_node_is_variable(graph->nodes[i]) || graph->nodes[i]->parameter != NULL) {
            continue;
        }
        if (given == count || inputs[given] == NULL) {
            return tni_fail(TN_INVALID_ARGUMENT, "input %u (%s) is missing", given,
                            graph->nodes[i]->name);
        }
        if (used < session->input_count && session->inputs[used] == i) {
            TNI_TRY(wrap(session->runtime, inputs[given], &tensors[used++]));
        }
        given++;
    }
    return given == count
               ? TN_OK
               : tni_fail(TN_INVALID_ARGUMENT, "%u inputs are given, it has %u", count, given);
}

static tn_status call(tn_session *session, const tn_view *const *inputs, uint32_t input_count,
                      tn_tensor **outputs, uint32_t output_count) {
    if (output_count != session->output_count) {
        return tni_fail(TN_INVALID_ARGUMENT, "%u outputs are given, it has %u", output_count,
                        session->output_count);
    }
    tn_tensor **tensors = tni_allocate(session->input_count, sizeof *tensors);
    if (tensors == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memset(outputs, 0, output_count * sizeof *outputs);
    tn_status status = wrap_inputs(session, inputs, input_count, tensors);
    if (status == TN_OK) {
        status = tn_session_run(session, tensors, outputs);
    }
    for (uint32_t i = 0; i < session->input_count; i++) {
        tn_tensor_release(tensors[i]);
    }
    tni_free(tensors);
    return status;
}

tn_status tni_call_subgraph(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                            const tn_view *const *inputs, uint32_t input_count, tn_tensor **outputs,
                            uint32_t output_count) {
    (void)host;
    if (runner == NULL || index >= runner->count) {
        return tni_fail(TN_OUT_OF_RANGE, "the node has no subgraph %u", index);
    }
    if (runner->sessions == NULL) {
        return tni_fail(TN_FAILED_PRECONDITION,
                        "subgraph %u: only operators whose outputs depend on elements may call it "
                        "so; others use run_subgraph",
                        index);
    }
    return tni_in(call(runner->sessions[index], inputs, input_count, outputs, output_count),
                  "subgraph %u", index);
}
