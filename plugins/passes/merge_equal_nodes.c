/* The pass merge-equal-nodes: of nodes that compute the same from the same, one stays. */
#include "passes.h"
#include "work.h"

/* Nodes that were met, by what they compute: open addressing, number + 1 in each slot. */
typedef struct node_table {
    uint32_t *slots;
    uint32_t capacity; /* a power of two, at least twice the nodes */
} node_table;

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_node(const tn_node_info *info) {
    uint64_t hash = mix(0xcbf29ce484222325u, info->op, strlen(info->op));
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        hash = mix(hash, info->attributes[i].name, strlen(info->attributes[i].name));
        hash = mix(hash, info->attributes[i].value, strlen(info->attributes[i].value));
    }
    return mix(hash, info->inputs, info->input_count * sizeof(tn_value));
}

static int same_node(const tn_node_info *left, const tn_node_info *right) {
    if (strcmp(left->op, right->op) != 0 || left->input_count != right->input_count ||
        left->attribute_count != right->attribute_count ||
        memcmp(left->inputs, right->inputs, left->input_count * sizeof(tn_value)) != 0) {
        return 0;
    }
    for (uint32_t i = 0; i < left->attribute_count; i++) {
        if (strcmp(left->attributes[i].name, right->attributes[i].name) != 0 ||
            strcmp(left->attributes[i].value, right->attributes[i].value) != 0) {
            return 0;
        }
    }
    return 1;
}

/* The slot of a node that computes the same, or the empty one where the node belongs. */
static uint32_t *find_slot(const pass_work *work, const node_table *table,
                           const tn_node_info *info) {
    uint32_t slot = (uint32_t)hash_node(info) & (table->capacity - 1);
    for (;; slot = (slot + 1) & (table->capacity - 1)) {
        tn_node_info other;
        if (table->slots[slot] == 0 ||
            (work_node(work, table->slots[slot] - 1, &other) && same_node(info, &other))) {
            return &table->slots[slot];
        }
    }
}

/* Several outputs are handed over one by one, where none of them is the graph's. */
static tn_status merge_outputs(const pass_work *work, uint32_t number, uint32_t first,
                               uint32_t output_count) {
    use_facts facts;
    TN_TRY(work_uses(work, number, &facts));
    if (facts.is_output || facts.is_control) {
        return TN_OK;
    }
    for (uint32_t i = 0; i < output_count; i++) {
        TN_TRY(work->graphs->replace_uses(work->host, work->graph, (tn_value){number, i},
                                          (tn_value){first, i}));
    }
    return work->graphs->remove_node(work->host, work->graph, number);
}

static tn_status merge(const pass_work *work, const node_table *table, uint32_t number) {
    tn_node_info info;
    int done;
    if (!work_node(work, number, &info) || !node_is_pure(work, number, &info)) {
        return TN_OK;
    }
    uint32_t *slot = find_slot(work, table, &info);
    if (*slot == 0) {
        *slot = number + 1;
        return TN_OK;
    }
    return info.output_count == 1 ? work_forward(work, number, (tn_value){*slot - 1, 0}, &done)
                                  : merge_outputs(work, number, *slot - 1, info.output_count);
}

static tn_status run(tn_pass_call *call) {
    pass_work work;
    node_table table = {.capacity = 16};
    uint32_t *order, count;
    void *slots;
    work_begin(&work, call);
    TN_TRY(work_order(&work, &order, &count));
    while (table.capacity < 2 * count) {
        table.capacity *= 2;
    }
    tn_status status = tn_allocate(work.host, table.capacity, sizeof(uint32_t), &slots);
    if (status == TN_OK) {
        table.slots = slots;
        for (uint32_t i = 0; status == TN_OK && i < count; i++) {
            status = merge(&work, &table, order[i]);
        }
        tn_free(work.host, slots);
    }
    tn_free(work.host, order);
    return status;
}

const tn_pass merge_equal_nodes = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Merges nodes that have the same operator, attributes and inputs. Nodes that keep a "
           "state or change an input stay.",
    .run = run,
};
