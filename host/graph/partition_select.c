/*
 * Clusters as a selector chooses them. Each is checked before the next is begun, in an order of
 * running in which the nodes of a cluster stand together: a path that leaves a set of nodes and
 * comes back passes only through what stands between the set's first and last node.
 */
#include <string.h>

#include "base/error.h"
#include "graph/partition.h"

/* After this many attempts to grow a subgraph that makes no cycle, its first node is left alone. */
enum { MAX_ATTEMPTS = 16 };

typedef struct select_work {
    tni_partition *partition;
    const tn_graph *graph;
    const tn_host *host;
    const tn_selector *selector;
    void *state;

    uint32_t *at;        /* the nodes in order, clusters together */
    uint32_t *positions; /* by node: where it stands in `at` */
    uint32_t *grown;     /* the nodes gathered, in the order in which they were */
    uint32_t grown_count;
    bool *is_grown;    /* by node */
    bool *is_excluded; /* by node: it was in the way of this subgraph */
    bool *is_reached;  /* by node: outside, on a path from the nodes gathered */
    uint32_t *reached;
    uint32_t reached_count;
    uint32_t *scratch;
    int32_t *keep;
} select_work;

static bool is_free(const select_work *work, uint32_t node) {
    return node != TN_NO_NODE && work->partition->is_eligible[node] &&
           work->partition->cluster_of[node] == TNI_NO_CLUSTER && !work->is_grown[node] &&
           !work->is_excluded[node];
}

static void gather(select_work *work, uint32_t node) {
    work->is_grown[node] = true;
    work->grown[work->grown_count++] = node;
}

static void let_go(select_work *work) {
    for (uint32_t i = 0; i < work->grown_count; i++) {
        work->is_grown[work->grown[i]] = false;
    }
    work->grown_count = 0;
}

typedef tn_status offer(const tn_host *host, void *selector, uint32_t node, uint32_t neighbour,
                        int32_t *out_selected);

static tn_status offer_neighbour(select_work *work, offer *ask, uint32_t node, uint32_t neighbour) {
    int32_t selected = 0;
    if (ask == NULL || !is_free(work, neighbour)) {
        return TN_OK;
    }
    tni_error_clear();
    TNI_TRY(tni_in(tni_error_complete(ask(work->host, work->state, node, neighbour, &selected)),
                   "node '%s'", work->graph->nodes[neighbour]->name));
    if (selected != 0) {
        gather(work, neighbour);
    }
    return TN_OK;
}

static tn_status offer_users(select_work *work, uint32_t number) {
    const tni_node *node = work->graph->nodes[number];
    for (uint32_t i = 0; i < node->use_count; i++) {
        TNI_TRY(offer_neighbour(work, work->selector->select_output, number, node->uses[i].node));
    }
    return TN_OK;
}

static tn_status grow(select_work *work, uint32_t seed) {
    gather(work, seed);
    for (uint32_t i = 0; i < work->grown_count; i++) {
        const uint32_t number = work->grown[i];
        const tni_node *node = work->graph->nodes[number];
        for (uint32_t j = 0; j < node->input_count; j++) {
            TNI_TRY(
                offer_neighbour(work, work->selector->select_input, number, node->inputs[j].node));
        }
        TNI_TRY(offer_users(work, number));
    }
    return TN_OK;
}

static void reach(select_work *work, uint32_t node) {
    if (!work->is_reached[node]) {
        work->is_reached[node] = true;
        work->reached[work->reached_count++] = node;
    }
}

/* Goes on from the users of a node that stand before `last`. Returns whether one is in the set. */
static bool follow(select_work *work, uint32_t number, uint32_t last, bool is_inside,
                   bool *out_returns) {
    const tni_node *node = work->graph->nodes[number];
    bool returns = false;
    for (uint32_t i = 0; i < node->use_count; i++) {
        const uint32_t user = node->uses[i].node;
        if (user == TN_NO_NODE || work->positions[user] > last) {
            continue;
        }
        if (!work->is_grown[user]) {
            reach(work, user);
        } else if (!is_inside) {
            out_returns[user] = true;
            returns = true;
        }
    }
    return returns;
}

/* A cluster is one node: what reaches one of its nodes leaves from all. */
static bool follow_cluster(select_work *work, uint32_t number, uint32_t last, bool *out_returns) {
    const tni_partition *partition = work->partition;
    const uint32_t index = partition->cluster_of[number];
    bool returns = follow(work, number, last, false, out_returns);
    for (uint32_t i = 0; index != TNI_NO_CLUSTER && i < partition->clusters[index].count; i++) {
        reach(work, partition->members[partition->clusters[index].first + i]);
    }
    return returns;
}

static void find_span(const select_work *work, uint32_t *out_first, uint32_t *out_last) {
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < work->grown_count; i++) {
        const uint32_t position = work->positions[work->grown[i]];
        first = position < first ? position : first;
        last = position > last ? position : last;
    }
    *out_first = first;
    *out_last = last;
}

/* Finds what stands on a path out of the set; `out_returns` is set, by node, for nodes of the set
 * at which such a path comes back. Returns whether there are any. */
static bool find_returns(select_work *work, bool *out_returns) {
    uint32_t first, last;
    bool returns = false;
    find_span(work, &first, &last);
    for (uint32_t i = 0; i < work->grown_count; i++) {
        (void)follow(work, work->grown[i], last, true, out_returns);
    }
    for (uint32_t i = 0; i < work->reached_count; i++) {
        returns |= follow_cluster(work, work->reached[i], last, out_returns);
    }
    return returns;
}

static void forget_reached(select_work *work) {
    for (uint32_t i = 0; i < work->reached_count; i++) {
        work->is_reached[work->reached[i]] = false;
    }
    work->reached_count = 0;
}

/* Excludes the nodes at which a path comes back, or, where that is the first one itself, those
 * before it. */
static void exclude(select_work *work, uint32_t seed, bool *returns, uint32_t *excluded,
                    uint32_t *excluded_count) {
    const bool at_seed = returns[seed];
    for (uint32_t i = 0; i < work->grown_count; i++) {
        const uint32_t node = work->grown[i];
        const bool out = at_seed ? work->positions[node] < work->positions[seed] : returns[node];
        returns[node] = false;
        if (out && !work->is_excluded[node]) {
            work->is_excluded[node] = true;
            excluded[(*excluded_count)++] = node;
        }
    }
}

static void reset(select_work *work) {
    if (work->selector->reset != NULL) {
        work->selector->reset(work->host, work->state);
    }
}

/* Grows until what is gathered is convex. */
static tn_status grow_convex(select_work *work, uint32_t seed, bool *returns) {
    uint32_t *excluded = work->scratch, excluded_count = 0;
    tn_status status = TN_OK;
    for (int attempt = 0;; attempt++) {
        status = grow(work, seed);
        if (status != TN_OK) {
            break;
        }
        const bool has_returns = find_returns(work, returns);
        forget_reached(work);
        if (!has_returns) {
            break;
        }
        exclude(work, seed, returns, excluded, &excluded_count);
        let_go(work);
        reset(work);
        if (attempt == MAX_ATTEMPTS) {
            gather(work, seed);
            break;
        }
    }
    for (uint32_t i = 0; i < excluded_count; i++) {
        work->is_excluded[excluded[i]] = false;
    }
    return status;
}

static tn_status filter(select_work *work) {
    if (work->selector->filter == NULL) {
        return TN_OK;
    }
    for (uint32_t i = 0; i < work->grown_count; i++) {
        work->keep[i] = 1;
    }
    tni_error_clear();
    TNI_TRY(tni_error_complete(work->selector->filter(work->host, work->state, work->grown,
                                                      work->grown_count, work->keep)));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < work->grown_count; i++) {
        const uint32_t node = work->grown[i];
        if (work->keep[i] != 0) {
            work->grown[kept++] = node;
        } else {
            work->is_grown[node] = false;
        }
    }
    work->grown_count = kept;
    return TN_OK;
}

/* Makes the set a cluster, and its nodes stand together: what it depends on before it, what depends
 * on it behind it, each in the order that there was. */
static void make_cluster(select_work *work) {
    tni_partition *partition = work->partition;
    uint32_t first, last;
    find_span(work, &first, &last);
    tni_cluster *cluster = &partition->clusters[partition->cluster_count];
    *cluster = (tni_cluster){partition->member_count, work->grown_count};
    uint32_t before = first, behind = 0;
    for (uint32_t i = first; i <= last; i++) {
        const uint32_t node = work->at[i];
        if (work->is_grown[node]) {
            partition->cluster_of[node] = partition->cluster_count;
            partition->members[partition->member_count++] = node;
        } else if (work->is_reached[node]) {
            work->scratch[behind++] = node;
        } else {
            work->at[before++] = node;
        }
    }
    for (uint32_t i = 0; i < cluster->count; i++) {
        work->at[before++] = partition->members[cluster->first + i];
    }
    memcpy(&work->at[before], work->scratch, behind * sizeof *work->at);
    for (uint32_t i = first; i <= last; i++) {
        work->positions[work->at[i]] = i;
    }
    partition->cluster_count++;
}

static tn_status try_seed(select_work *work, uint32_t seed, bool *returns) {
    int32_t selected = 0;
    tni_error_clear();
    TNI_TRY(
        tni_in(tni_error_complete(work->selector->select(work->host, work->state, seed, &selected)),
               "node '%s'", work->graph->nodes[seed]->name));
    if (selected == 0) {
        return TN_OK;
    }
    tn_status status = grow_convex(work, seed, returns);
    if (status == TN_OK) {
        status = filter(work);
    }
    if (status == TN_OK && work->grown_count > 0) {
        /* What the filter left out may lie between what it kept: then there is no subgraph. */
        const bool has_returns = find_returns(work, returns);
        for (uint32_t i = 0; i < work->grown_count; i++) {
            returns[work->grown[i]] = false;
        }
        if (!has_returns) {
            make_cluster(work);
        }
        forget_reached(work);
    }
    let_go(work);
    reset(work);
    return status;
}

static tn_status choose(select_work *work) {
    tni_partition *partition = work->partition;
    bool *returns = tni_arena_allocate(&partition->arena, partition->node_count, sizeof *returns);
    if (returns == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < partition->order_count; i++) {
        if (is_free(work, partition->order[i])) {
            TNI_TRY(try_seed(work, partition->order[i], returns));
        }
    }
    return TN_OK;
}

static tn_status make_room(select_work *work) {
    tni_arena *arena = &work->partition->arena;
    const uint32_t count = work->partition->node_count;
    work->at = tni_arena_allocate(arena, count, sizeof *work->at);
    work->positions = tni_arena_allocate(arena, count, sizeof *work->positions);
    work->grown = tni_arena_allocate(arena, count, sizeof *work->grown);
    work->reached = tni_arena_allocate(arena, count, sizeof *work->reached);
    work->scratch = tni_arena_allocate(arena, count, sizeof *work->scratch);
    work->is_grown = tni_arena_allocate(arena, count, sizeof *work->is_grown);
    work->is_excluded = tni_arena_allocate(arena, count, sizeof *work->is_excluded);
    work->is_reached = tni_arena_allocate(arena, count, sizeof *work->is_reached);
    work->keep = tni_arena_allocate(arena, count, sizeof *work->keep);
    if (work->at == NULL || work->positions == NULL || work->grown == NULL ||
        work->reached == NULL || work->scratch == NULL || work->is_grown == NULL ||
        work->is_excluded == NULL || work->is_reached == NULL || work->keep == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(work->at, work->partition->order, work->partition->order_count * sizeof *work->at);
    memcpy(work->positions, work->partition->positions, count * sizeof *work->positions);
    return TN_OK;
}

tn_status tni_partition_by_selector(tni_partition *partition) {
    select_work work = {.partition = partition,
                        .graph = partition->graph,
                        .host = &partition->entry->plugin->host,
                        .selector = partition->strategy->selector};
    tn_strategy_call call = {.struct_size = TN_STRUCT_END(tn_strategy_call, selector),
                             .given_count = partition->given_count,
                             .host = work.host,
                             .strategy = partition->strategy,
                             .options = partition->options,
                             .given = partition->given,
                             .graph = partition->graph};
    TNI_TRY(make_room(&work));
    tni_error_clear();
    TNI_TRY(tni_error_complete(work.selector->create(&call)));
    work.state = call.selector;
    const tn_status status = choose(&work);
    if (work.selector->destroy != NULL) {
        work.selector->destroy(work.host, work.state);
    }
    return status;
}
