/* The pass remove-dead-nodes: what no output depends on goes. */
#include "passes.h"
#include "work.h"

/* A variable without a tensor stays: somebody may still mean to give it one. */
static int may_go(const pass_work *work, uint32_t number, const tn_node_info *info) {
    return info->op != NULL || work->graphs->parameter(work->host, work->graph, number) != NULL;
}

/* Removes what can go now, from the back: users mostly stand behind what they use. */
static tn_status sweep(const pass_work *work, const unsigned char *alive, uint32_t count,
                       uint32_t *out_removed) {
    tn_node_info info;
    *out_removed = 0;
    for (uint32_t number = count; number-- > 0;) {
        if (alive[number] || !work_node(work, number, &info) || !may_go(work, number, &info)) {
            continue;
        }
        const tn_status status = work->graphs->remove_node(work->host, work->graph, number);
        if (status == TN_OK) {
            ++*out_removed;
        } else if (status != TN_FAILED_PRECONDITION) {
            return status;
        }
    }
    return TN_OK;
}

static tn_status run(tn_pass_call *call) {
    pass_work work;
    uint32_t *order, order_count, removed = 1;
    void *alive;
    work_begin(&work, call);
    const uint32_t count = work.graphs->node_count(call->host, call->graph);
    TN_TRY(work_order(&work, &order, &order_count));
    tn_status status = tn_allocate(work.host, count, 1, &alive);
    if (status == TN_OK) {
        for (uint32_t i = 0; i < order_count; i++) {
            ((unsigned char *)alive)[order[i]] = 1;
        }
        while (status == TN_OK && removed > 0) {
            status = sweep(&work, alive, count, &removed);
        }
        tn_free(work.host, alive);
    }
    tn_free(work.host, order);
    return status;
}

const tn_pass remove_dead_nodes = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Removes nodes and parameters that no output depends on. Variables without elements "
           "stay.",
    .run = run,
};
