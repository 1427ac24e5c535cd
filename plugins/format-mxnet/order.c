/* A depth-first walk with a stack of its own: graphs can be as deep as they have nodes. */
#include "order.h"

enum node_state { UNSEEN, OPEN, DONE };

struct frame {
    uint32_t node;
    uint32_t next; /* index of the need to look at next */
};

struct walk {
    const tn_host *host;
    order_needs needs;
    const void *context;
    uint8_t *states;     /* enum node_state of each node */
    struct frame *stack; /* a node is on it once at most */
    uint32_t *order;
    uint32_t done_count;
};

static tn_status walk_from(struct walk *walk, uint32_t root) {
    uint32_t depth = 0;
    walk->stack[depth++] = (struct frame){root, 0};
    walk->states[root] = OPEN;
    while (depth > 0) {
        struct frame *top = &walk->stack[depth - 1];
        const uint32_t need = walk->needs(walk->context, top->node, top->next++);
        if (need == TN_NO_NODE) {
            walk->states[top->node] = DONE;
            walk->order[walk->done_count++] = top->node;
            depth--;
        } else if (walk->states[need] == OPEN) {
            return tn_fail(walk->host, TN_CORRUPT, "node %u needs itself, by way of node %u",
                           (unsigned)need, (unsigned)top->node);
        } else if (walk->states[need] == UNSEEN) {
            walk->states[need] = OPEN;
            walk->stack[depth++] = (struct frame){need, 0};
        }
    }
    return TN_OK;
}

static tn_status walk_outputs(struct walk *walk) {
    for (uint32_t i = 0;; i++) {
        const uint32_t root = walk->needs(walk->context, TN_NO_NODE, i);
        if (root == TN_NO_NODE) {
            return TN_OK;
        }
        if (walk->states[root] == UNSEEN) {
            TN_TRY(walk_from(walk, root));
        }
    }
}

tn_status order_nodes(const tn_host *host, uint32_t node_count, order_needs needs,
                      const void *context, uint32_t *out_order, uint32_t *out_count) {
    void *scratch;
    TN_TRY(tn_allocate(host, node_count, sizeof(struct frame) + sizeof(uint8_t), &scratch));
    struct walk walk = {.host = host, .needs = needs, .context = context, .order = out_order};
    walk.stack = scratch;
    walk.states = (uint8_t *)(walk.stack + node_count);
    memset(walk.states, UNSEEN, node_count);
    const tn_status status = walk_outputs(&walk);
    tn_free(host, scratch);
    if (status == TN_OK) {
        *out_count = walk.done_count;
    }
    return status;
}
