/* The subgraphs of an operator whose outputs depend on elements: sessions, which plan for types as
 * they come. */
#include <string.h>

#include "base/error.h"
#include "run/session.h"

tn_status tni_subgraph_sessions_create(tni_plan *plan, tni_step *step, const tni_node *node) {
    tn_subgraph_runner *runner = tni_arena_allocate(&plan->memory, 1, sizeof *runner);
    if (runner == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    runner->sessions =
        tni_arena_allocate(&plan->memory, node->subgraph_count, sizeof *runner->sessions);
    if (runner->sessions == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    step->call.subgraphs = runner;
    for (uint32_t i = 0; i < node->subgraph_count; i++) {
        TNI_TRY(tni_in(tn_session_create(node->subgraphs[i], plan->places[step->place].device, NULL,
                                         &runner->sessions[i]),
                       "subgraph %u", i));
        runner->count++;
    }
    return TN_OK;
}

void tni_subgraph_sessions_destroy(tn_subgraph_runner *runner) {
    for (uint32_t i = 0; i < runner->count; i++) {
        tn_session_destroy(runner->sessions[i]);
    }
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
