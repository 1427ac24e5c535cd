/*
 * Two-level segregated fit: free ranges hang in lists by size class, the classes that have any are
 * bits in two levels of words, so that a range that fits is found without a search. The first
 * level is the power of two of the size in granules, the second cuts each in sixteen.
 */
#include "tlsf.h"

#include <stdlib.h>

enum { SECOND_BITS = 4, SECOND = 1 << SECOND_BITS, FIRST = 64 };

/* Ranges looked at in the request's own class, where not every one is large enough. */
enum { MOST_TRIES = 16 };

struct tlsf {
    uint64_t size;
    uint64_t free_bytes;
    uint64_t first; /* a bit for each row of `second` that is not 0 */
    uint16_t second[FIRST];
    tlsf_node *lists[FIRST][SECOND];
    tlsf_node *begin;
    tlsf_node *spare; /* nodes not in use, linked by free_next */
};

typedef struct size_class {
    uint32_t row;
    uint32_t column;
} size_class;

static uint32_t top_bit(uint64_t value) {
    return 63u - (uint32_t)__builtin_clzll(value);
}

/* The class that holds ranges of `granules`. */
static size_class class_of(uint64_t granules) {
    if (granules < SECOND) {
        return (size_class){0, (uint32_t)granules};
    }
    const uint32_t top = top_bit(granules);
    return (size_class){top - SECOND_BITS + 1,
                        (uint32_t)(granules >> (top - SECOND_BITS)) & (SECOND - 1)};
}

/* The first class in which every range has at least `granules`. */
static size_class class_above(uint64_t granules) {
    if (granules >= SECOND) {
        granules += ((uint64_t)1 << (top_bit(granules) - SECOND_BITS)) - 1;
    }
    return class_of(granules);
}

static void list_add(tlsf *allocator, tlsf_node *node) {
    const size_class at = class_of(node->size / TLSF_GRANULE);
    tlsf_node **list = &allocator->lists[at.row][at.column];
    node->is_free = 1;
    node->free_before = NULL;
    node->free_next = *list;
    if (*list != NULL) {
        (*list)->free_before = node;
    }
    *list = node;
    allocator->second[at.row] |= (uint16_t)(1u << at.column);
    allocator->first |= (uint64_t)1 << at.row;
    allocator->free_bytes += node->size;
}

static void list_remove(tlsf *allocator, tlsf_node *node) {
    const size_class at = class_of(node->size / TLSF_GRANULE);
    if (node->free_before != NULL) {
        node->free_before->free_next = node->free_next;
    } else {
        allocator->lists[at.row][at.column] = node->free_next;
    }
    if (node->free_next != NULL) {
        node->free_next->free_before = node->free_before;
    }
    if (allocator->lists[at.row][at.column] == NULL) {
        allocator->second[at.row] &= (uint16_t) ~(1u << at.column);
        if (allocator->second[at.row] == 0) {
            allocator->first &= ~((uint64_t)1 << at.row);
        }
    }
    node->is_free = 0;
    allocator->free_bytes -= node->size;
}

tlsf *tlsf_create(uint64_t size) {
    tlsf *allocator = calloc(1, sizeof *allocator);
    tlsf_node *node = calloc(1, sizeof *node);
    if (allocator == NULL || node == NULL) {
        free(allocator);
        free(node);
        return NULL;
    }
    allocator->size = size / TLSF_GRANULE * TLSF_GRANULE;
    node->size = allocator->size;
    allocator->begin = node;
    list_add(allocator, node);
    return allocator;
}

void tlsf_destroy(tlsf *allocator) {
    if (allocator == NULL) {
        return;
    }
    for (tlsf_node *node = allocator->begin; node != NULL;) {
        tlsf_node *after = node->after;
        free(node);
        node = after;
    }
    for (tlsf_node *node = allocator->spare; node != NULL;) {
        tlsf_node *next = node->free_next;
        free(node);
        node = next;
    }
    free(allocator);
}

/* Makes sure that two splits will not lack a node. */
static int reserve_nodes(tlsf *allocator) {
    while (allocator->spare == NULL || allocator->spare->free_next == NULL) {
        tlsf_node *node = malloc(sizeof *node);
        if (node == NULL) {
            return 0;
        }
        node->free_next = allocator->spare;
        allocator->spare = node;
    }
    return 1;
}

static int fits(const tlsf_node *node, uint64_t size, uint64_t alignment) {
    const uint64_t front = (alignment - node->offset % alignment) % alignment;
    return node->size >= front && node->size - front >= size;
}

/* The head of the first list at or above the class, or NULL. */
static tlsf_node *first_from(const tlsf *allocator, size_class at) {
    const uint32_t columns = allocator->second[at.row] & (~0u << at.column);
    if (columns != 0) {
        return allocator->lists[at.row][__builtin_ctz(columns)];
    }
    const uint64_t rows =
        at.row + 1 < FIRST ? allocator->first & (~(uint64_t)0 << (at.row + 1)) : 0;
    if (rows == 0) {
        return NULL;
    }
    const uint32_t row = (uint32_t)__builtin_ctzll(rows);
    return allocator->lists[row][__builtin_ctz(allocator->second[row])];
}

static tlsf_node *find_free(const tlsf *allocator, uint64_t size, uint64_t alignment) {
    const uint64_t granules = size / TLSF_GRANULE;
    const uint64_t slack = alignment / TLSF_GRANULE - 1;
    tlsf_node *node = first_from(allocator, class_above(granules + slack));
    if (node != NULL) {
        return node;
    }
    /* Smaller ranges may do by luck: those of the request's own class, and of those between. */
    const size_class own = class_of(granules);
    node = allocator->lists[own.row][own.column];
    for (int i = 0; node != NULL && i < MOST_TRIES; i++, node = node->free_next) {
        if (fits(node, size, alignment)) {
            return node;
        }
    }
    node = slack > 0 ? first_from(allocator, class_above(granules)) : NULL;
    return node != NULL && fits(node, size, alignment) ? node : NULL;
}

/* Cuts `node` (not in a list) at `size` bytes; the part behind becomes free. */
static tlsf_node *split(tlsf *allocator, tlsf_node *node, uint64_t size) {
    tlsf_node *rest = allocator->spare;
    allocator->spare = rest->free_next;
    *rest = (tlsf_node){
        .offset = node->offset + size,
        .size = node->size - size,
        .before = node,
        .after = node->after,
    };
    if (node->after != NULL) {
        node->after->before = rest;
    }
    node->after = rest;
    node->size = size;
    return rest;
}

tlsf_node *tlsf_allocate(tlsf *allocator, uint64_t size, uint64_t alignment) {
    if (size == 0 || size > allocator->size || alignment > allocator->size) {
        return NULL;
    }
    size = (size + TLSF_GRANULE - 1) / TLSF_GRANULE * TLSF_GRANULE;
    alignment = alignment < TLSF_GRANULE ? TLSF_GRANULE : alignment;
    tlsf_node *node = reserve_nodes(allocator) ? find_free(allocator, size, alignment) : NULL;
    if (node == NULL) {
        return NULL;
    }
    list_remove(allocator, node);
    const uint64_t front = (alignment - node->offset % alignment) % alignment;
    if (front > 0) {
        tlsf_node *rest = split(allocator, node, front);
        list_add(allocator, node);
        node = rest;
    }
    if (node->size > size) {
        list_add(allocator, split(allocator, node, size));
    }
    return node;
}

/* Appends the neighbour behind, which leaves the chain. Neither is in a list. */
static void merge_after(tlsf *allocator, tlsf_node *node) {
    tlsf_node *gone = node->after;
    node->size += gone->size;
    node->after = gone->after;
    if (gone->after != NULL) {
        gone->after->before = node;
    }
    gone->free_next = allocator->spare;
    allocator->spare = gone;
}

void tlsf_free(tlsf *allocator, tlsf_node *node) {
    if (node->after != NULL && node->after->is_free) {
        list_remove(allocator, node->after);
        merge_after(allocator, node);
    }
    if (node->before != NULL && node->before->is_free) {
        node = node->before;
        list_remove(allocator, node);
        merge_after(allocator, node);
    }
    list_add(allocator, node);
}

uint64_t tlsf_free_bytes(const tlsf *allocator) {
    return allocator->free_bytes;
}

int tlsf_is_empty(const tlsf *allocator) {
    return allocator->free_bytes == allocator->size;
}

uint64_t tlsf_largest_free(const tlsf *allocator) {
    if (allocator->first == 0) {
        return 0;
    }
    const uint32_t row = top_bit(allocator->first);
    const uint32_t column = top_bit(allocator->second[row]);
    uint64_t largest = 0;
    for (const tlsf_node *node = allocator->lists[row][column]; node != NULL;
         node = node->free_next) {
        largest = node->size > largest ? node->size : largest;
    }
    return largest;
}

int tlsf_is_sound(const tlsf *allocator) {
    uint64_t end = 0, free_bytes = 0;
    const tlsf_node *before = NULL;
    for (const tlsf_node *node = allocator->begin; node != NULL; node = node->after) {
        const int both_free = before != NULL && before->is_free && node->is_free;
        if (node->offset != end || node->size == 0 || node->before != before || both_free) {
            return 0;
        }
        if (node->is_free) {
            const size_class at = class_of(node->size / TLSF_GRANULE);
            const tlsf_node *listed = allocator->lists[at.row][at.column];
            while (listed != NULL && listed != node) {
                listed = listed->free_next;
            }
            if (listed == NULL) {
                return 0;
            }
            free_bytes += node->size;
        }
        end += node->size;
        before = node;
    }
    return end == allocator->size && free_bytes == allocator->free_bytes;
}
