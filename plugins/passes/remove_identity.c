/* The pass remove-identity: nodes that hand on their input as it is. */
#include "passes.h"
#include "work.h"

static const char *const copies[] = {"_copy", "identity", "BlockGrad", "stop_gradient", NULL};
static const char *const dropouts[] = {"Dropout", NULL};

static int is_identity(const tn_node_info *info) {
    return node_is(info, copies) ||
           (node_is(info, dropouts) &&
            strcmp(node_attribute(info, "mode", "training"), "training") == 0);
}

/* A copy of a state that a run changes is a copy of it at one moment. */
static int source_changes(const pass_work *work, tn_value value) {
    return value.node == TN_NO_NODE ||
           work->graphs->variable_kind(work->host, work->graph, value.node) ==
               TN_VARIABLE_AUXILIARY;
}

static tn_status forward_identity(const pass_work *work, uint32_t number, const void *context) {
    tn_node_info info;
    int done;
    (void)context;
    if (!work_node(work, number, &info) || !is_identity(&info) ||
        source_changes(work, info.inputs[0])) {
        return TN_OK;
    }
    return work_forward(work, number, info.inputs[0], &done);
}

static tn_status run(tn_pass_call *call) {
    return work_visit_nodes(call, forward_identity, NULL);
}

const tn_pass remove_identity = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Removes nodes that hand on their input unchanged: copies, Dropout outside of training, "
           "BlockGrad. Meant for running a graph: a gradient that is added afterwards knows "
           "nothing of a BlockGrad.",
    .run = run,
};
