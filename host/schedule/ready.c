/*
 * Tasks that are ready. Those of priority 0, nearly all, lie in rows by the thread that pushed
 * them, which are served in turn: a thread that pushes a million tasks does not keep another's
 * waiting. Those of any other priority lie in a pairing heap, which needs no memory but two links
 * in each.
 */
#include "schedule/task.h"

static void count(tni_ready *ready, uint32_t change) {
    /* Written under the lock; read without it by a worker that spins. */
    const uint32_t now = atomic_load_explicit(&ready->count, memory_order_relaxed);
    atomic_store_explicit(&ready->count, now + change, memory_order_relaxed);
}

static bool goes_before(const tni_task *left, const tni_task *right) {
    return left->priority != right->priority ? left->priority > right->priority
                                             : left->sequence < right->sequence;
}

/* Both may be NULL. */
static tni_task *meld(tni_task *left, tni_task *right) {
    if (left == NULL || right == NULL) {
        return left != NULL ? left : right;
    }
    tni_task *top = goes_before(left, right) ? left : right;
    tni_task *below = top == left ? right : left;
    below->sibling = top->child;
    top->child = below;
    return top;
}

/* The heap without its top: children melded in pairs, then the pairs from the last to the first. */
static tni_task *without_top(tni_task *top) {
    tni_task *pairs = NULL;
    for (tni_task *left = top->child; left != NULL;) {
        tni_task *right = left->sibling;
        tni_task *next = right != NULL ? right->sibling : NULL;
        left->sibling = NULL;
        if (right != NULL) {
            right->sibling = NULL;
        }
        tni_task *pair = meld(left, right);
        pair->sibling = pairs;
        pairs = pair;
        left = next;
    }
    tni_task *heap = NULL;
    while (pairs != NULL) {
        tni_task *next = pairs->sibling;
        pairs->sibling = NULL;
        heap = meld(heap, pairs);
        pairs = next;
    }
    return heap;
}

void tni_ready_add(tni_ready *ready, tni_task *task) {
    count(ready, 1);
    task->next = task->child = task->sibling = NULL;
    if (task->priority != 0) {
        ready->heap = meld(ready->heap, task);
        return;
    }
    const uint32_t row = task->pusher % TNI_READY_ROWS;
    if ((ready->filled & 1u << row) != 0) {
        ready->last[row]->next = task;
    } else {
        ready->first[row] = task;
    }
    ready->last[row] = task;
    ready->filled |= 1u << row;
}

static tni_task *take_from_row(tni_ready *ready) {
    /* The first filled row from `turn` on, or from 0 on. */
    const uint32_t later = ready->filled & ~((1u << ready->turn) - 1u);
    const uint32_t row = (uint32_t)__builtin_ctz(later != 0 ? later : ready->filled);
    tni_task *task = ready->first[row];
    ready->first[row] = task->next;
    if (task->next == NULL) {
        ready->filled &= ~(1u << row);
    }
    ready->turn = (row + 1) % TNI_READY_ROWS;
    return task;
}

tni_task *tni_ready_take(tni_ready *ready) {
    tni_task *task = ready->heap;
    if (ready->filled != 0 && (task == NULL || task->priority < 0)) {
        task = take_from_row(ready);
    } else if (task != NULL) {
        ready->heap = without_top(task);
    } else {
        return NULL;
    }
    task->next = NULL;
    count(ready, UINT32_MAX);
    return task;
}
