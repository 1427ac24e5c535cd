/*
 * Clusters out of groups, in linear time. Every node gets a depth that never falls along an edge
 * and rises whenever a path leaves its group. Connected nodes of one group and one depth are a
 * cluster: a path that leaves a cluster comes to greater depths and never back, neither to this
 * cluster nor, by way of others, so that no cycle can arise however many clusters there are.
 *
 * Depths are first as small as can be. Then clusters sink, the deepest first, as deep as what reads
 * them allows; one that meets a cluster of its group that reads it becomes part of that.
 */
#include "base/error.h"
#include "graph/partition.h"

#define UNLIMITED UINT32_MAX

typedef struct group_work {
    tni_partition *partition;
    const tn_graph *graph;
    int32_t *groups;   /* TN_GROUP_NONE for every node that stays */
    uint32_t *depths;  /* by node; of a grouped node that of its root counts */
    uint32_t *parents; /* by node: a forest of sets, whose roots stand for clusters */
    uint32_t *sorted;  /* grouped nodes by depth and root, and single ones by depth */
} group_work;

static uint32_t root_of(group_work *work, uint32_t node) {
    while (work->parents[node] != node) {
        work->parents[node] = work->parents[work->parents[node]];
        node = work->parents[node];
    }
    return node;
}

static bool is_grouped(const group_work *work, uint32_t node) {
    return work->groups[node] != TN_GROUP_NONE;
}

/* Dependency `index` of a node, controls after inputs; false when it is no operator's. */
static bool dependency(const group_work *work, uint32_t number, uint32_t index, uint32_t *out) {
    const tni_node *node = work->graph->nodes[number];
    *out = index < node->input_count ? node->inputs[index].node
                                     : node->controls[index - node->input_count];
    return *out != TN_NO_NODE && work->graph->nodes[*out]->op != NULL;
}

static uint32_t dependency_count(const group_work *work, uint32_t number) {
    const tni_node *node = work->graph->nodes[number];
    return node->input_count + node->control_count;
}

/* A node of any group takes that of a neighbour: of the first input that has one, else of a user.
 */
static void settle_groups(group_work *work) {
    const tni_partition *partition = work->partition;
    for (uint32_t i = 0; i < partition->node_count; i++) {
        if (!partition->is_eligible[i]) {
            work->groups[i] = TN_GROUP_NONE;
        }
    }
    for (uint32_t i = 0; i < partition->order_count; i++) {
        const uint32_t node = partition->order[i];
        uint32_t before;
        for (uint32_t j = 0; work->groups[node] == TN_GROUP_ANY && j < dependency_count(work, node);
             j++) {
            if (dependency(work, node, j, &before) && work->groups[before] >= 0) {
                work->groups[node] = work->groups[before];
            }
        }
    }
    for (uint32_t i = partition->order_count; i-- > 0;) {
        const uint32_t node = partition->order[i];
        uint32_t before;
        for (uint32_t j = 0; work->groups[node] >= 0 && j < dependency_count(work, node); j++) {
            if (dependency(work, node, j, &before) && work->groups[before] == TN_GROUP_ANY) {
                work->groups[before] = work->groups[node];
            }
        }
    }
}

static void find_depths(group_work *work) {
    for (uint32_t i = 0; i < work->partition->order_count; i++) {
        const uint32_t node = work->partition->order[i];
        uint32_t depth = 0, before;
        for (uint32_t j = 0; j < dependency_count(work, node); j++) {
            if (dependency(work, node, j, &before)) {
                const bool leaves =
                    is_grouped(work, before) && work->groups[before] != work->groups[node];
                const uint32_t wanted = work->depths[before] + leaves;
                depth = wanted > depth ? wanted : depth;
            }
        }
        work->depths[node] = depth;
    }
}

static void unite(group_work *work, uint32_t a, uint32_t b) {
    a = root_of(work, a);
    b = root_of(work, b);
    work->parents[a > b ? a : b] = a > b ? b : a;
}

static void unite_neighbours(group_work *work) {
    for (uint32_t i = 0; i < work->partition->order_count; i++) {
        const uint32_t node = work->partition->order[i];
        uint32_t before;
        for (uint32_t j = 0; is_grouped(work, node) && j < dependency_count(work, node); j++) {
            if (dependency(work, node, j, &before) && work->groups[before] == work->groups[node] &&
                work->depths[before] == work->depths[node]) {
                unite(work, node, before);
            }
        }
    }
}

/* Sorts stably by a key below `keys`. */
static tn_status sort_by(group_work *work, const uint32_t *from, uint32_t *to, uint32_t count,
                         const uint32_t *key_of, uint32_t keys) {
    uint32_t *first = tni_allocate((size_t)keys + 1, sizeof *first);
    if (first == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    (void)work;
    for (uint32_t i = 0; i < count; i++) {
        first[key_of[from[i]] + 1]++;
    }
    for (uint32_t i = 0; i < keys; i++) {
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[first[key_of[from[i]]]++] = from[i];
    }
    tni_free(first);
    return TN_OK;
}

/* How deep the users of a node let it be. A graph's output is no user. */
static uint32_t limit_of(group_work *work, uint32_t number, uint32_t root) {
    const tni_node *node = work->graph->nodes[number];
    uint32_t limit = UNLIMITED;
    for (uint32_t i = 0; i < node->use_count; i++) {
        const uint32_t user = node->uses[i].node;
        if (user == TN_NO_NODE ||
            work->partition->positions[user] == work->partition->order_count ||
            (is_grouped(work, user) && root_of(work, user) == root)) {
            continue;
        }
        const uint32_t depth =
            is_grouped(work, user) ? work->depths[root_of(work, user)] : work->depths[user];
        const bool leaves = is_grouped(work, number) && work->groups[user] != work->groups[number];
        const uint32_t most = depth == UNLIMITED ? UNLIMITED : depth - leaves;
        limit = most < limit ? most : limit;
    }
    return limit;
}

/* A cluster, whose nodes are sorted[begin] up to sorted[end], sinks. */
static void sink_cluster(group_work *work, uint32_t begin, uint32_t end) {
    uint32_t root = root_of(work, work->sorted[begin]), limit = UNLIMITED;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t most = limit_of(work, work->sorted[i], root);
        limit = most < limit ? most : limit;
    }
    if (limit == UNLIMITED || limit <= work->depths[root]) {
        return;
    }
    work->depths[root] = limit;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t number = work->sorted[i];
        const tni_node *node = work->graph->nodes[number];
        for (uint32_t j = 0; j < node->use_count; j++) {
            const uint32_t user = node->uses[j].node;
            if (user != TN_NO_NODE && is_grouped(work, user) &&
                work->groups[user] == work->groups[number] &&
                work->depths[root_of(work, user)] == limit) {
                unite(work, number, user);
                work->depths[root_of(work, number)] = limit;
            }
        }
    }
}

/* Sorts so that clusters stand together, by depth; within one depth clusters before single nodes
 * when read from the end. */
static tn_status sort_nodes(group_work *work, uint32_t *out_count) {
    const tni_partition *partition = work->partition;
    const uint32_t count = partition->order_count;
    uint32_t *nodes = tni_allocate(count, sizeof *nodes);
    uint32_t *keys = tni_allocate(partition->node_count, sizeof *keys);
    tn_status status = nodes == NULL || keys == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    uint32_t used = 0, deepest = 0;
    for (uint32_t pass = 0; status == TN_OK && pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t node = partition->order[i];
            if (work->graph->nodes[node]->op == NULL) {
                continue;
            }
            if (is_grouped(work, node) == (pass == 1)) {
                nodes[used++] = node;
            }
            deepest = work->depths[node] > deepest ? work->depths[node] : deepest;
            keys[node] = is_grouped(work, node) ? root_of(work, node) + 1 : 0;
        }
    }
    if (status == TN_OK) {
        status = sort_by(work, nodes, work->sorted, used, keys, partition->node_count + 1);
    }
    for (uint32_t i = 0; status == TN_OK && i < used; i++) {
        nodes[i] = work->sorted[i];
    }
    if (status == TN_OK) {
        status = sort_by(work, nodes, work->sorted, used, work->depths, deepest + 1);
    }
    tni_free(nodes);
    tni_free(keys);
    *out_count = used;
    return status;
}

static tn_status sink_all(group_work *work) {
    uint32_t count;
    TNI_TRY(sort_nodes(work, &count));
    for (uint32_t end = count; end > 0;) {
        const uint32_t node = work->sorted[end - 1];
        if (!is_grouped(work, node)) {
            const uint32_t limit = limit_of(work, node, TN_NO_NODE);
            work->depths[node] = limit > work->depths[node] ? limit : work->depths[node];
            end--;
            continue;
        }
        const uint32_t root = root_of(work, node);
        uint32_t begin = end - 1;
        while (begin > 0 && is_grouped(work, work->sorted[begin - 1]) &&
               root_of(work, work->sorted[begin - 1]) == root) {
            begin--;
        }
        sink_cluster(work, begin, end);
        end = begin;
    }
    return TN_OK;
}

/* Numbers the clusters by their first node in the order of running, and lists their nodes. */
static void list_clusters(group_work *work) {
    tni_partition *partition = work->partition;
    for (uint32_t i = 0; i < partition->order_count; i++) {
        const uint32_t node = partition->order[i];
        if (is_grouped(work, node)) {
            uint32_t *cluster = &partition->cluster_of[root_of(work, node)];
            if (*cluster == TNI_NO_CLUSTER) {
                *cluster = partition->cluster_count++;
            }
            partition->cluster_of[node] = *cluster;
            partition->clusters[*cluster].count++;
        }
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < partition->cluster_count; i++) {
        partition->clusters[i].first = first;
        first += partition->clusters[i].count;
        partition->clusters[i].count = 0;
    }
    partition->member_count = first;
    for (uint32_t i = 0; i < partition->order_count; i++) {
        const uint32_t node = partition->order[i];
        if (is_grouped(work, node)) {
            tni_cluster *cluster = &partition->clusters[partition->cluster_of[node]];
            partition->members[cluster->first + cluster->count++] = node;
        }
    }
}

tn_status tni_partition_by_groups(tni_partition *partition, int32_t *groups) {
    group_work work = {.partition = partition, .graph = partition->graph, .groups = groups};
    const uint32_t count = partition->node_count;
    work.depths = tni_arena_allocate(&partition->arena, count, sizeof *work.depths);
    work.parents = tni_arena_allocate(&partition->arena, count, sizeof *work.parents);
    work.sorted = tni_arena_allocate(&partition->arena, count, sizeof *work.sorted);
    if (work.depths == NULL || work.parents == NULL || work.sorted == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        work.parents[i] = i;
    }
    settle_groups(&work);
    find_depths(&work);
    unite_neighbours(&work);
    TNI_TRY(sink_all(&work));
    list_clusters(&work);
    return TN_OK;
}
