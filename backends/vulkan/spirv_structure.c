/*
 * Structured control flow. A construct is what a header dominates up to its merge block. It is left
 * through its own merge block, or by a break or continue of the loop or switch around it; a loop is
 * gone round from its continue target alone. Drivers walk constructs by recursion and trust this.
 */
#include <stdlib.h>

#include "spirv_flow.h"

enum { MAX_NESTING = 256 };

typedef struct construct_map {
    const spirv_graph *graph;
    uint32_t *merge_of;    /* header whose merge block this is; SPIRV_NO_BLOCK: none */
    uint32_t *continue_of; /* header whose continue target this is */
    uint32_t *around;      /* header of the innermost construct that the block is in */
    uint32_t *nesting;     /* how many constructs it is in */
    uint32_t *back_from;   /* of a loop's header: the block that branches back to it */
} construct_map;

static int refuse_block(const construct_map *map, uint32_t number, const char *why) {
    const spirv_block *block = &map->graph->blocks[number];
    return spirv_refuse_module(map->graph->verifier, TN_INVALID_ARGUMENT, "word %u: block %u %s",
                               (unsigned)block->begin, (unsigned)block->label, why);
}

static int is_header(const construct_map *map, uint32_t number) {
    return map->graph->blocks[number].merge != SPIRV_NO_BLOCK;
}

static int is_loop(const construct_map *map, uint32_t number) {
    return map->graph->blocks[number].continue_target != SPIRV_NO_BLOCK;
}

static int is_switch(const construct_map *map, uint32_t number) {
    const spirv_graph *graph = map->graph;
    return spirv_decode(graph->verifier->module, graph->blocks[number].end).opcode ==
           SPIRV_OP_SWITCH;
}

/* Headers own their merge blocks and continue targets, and dominate them. */
static int claim(const construct_map *map, uint32_t *owners, uint32_t header, uint32_t target) {
    const spirv_dominators *dominators = &map->graph->structural;
    if (owners[target] != SPIRV_NO_BLOCK) {
        return refuse_block(map, target, "is where two constructs lead");
    }
    if (!spirv_dominates(dominators, header, target)) {
        return refuse_block(map, target, "can be reached without its construct's header");
    }
    owners[target] = header;
    return 1;
}

static int claim_all(const construct_map *map) {
    const spirv_graph *graph = map->graph;
    for (uint32_t i = 0; i < graph->structural.reachable; i++) {
        const uint32_t header = graph->structural.sorted[i];
        const spirv_block *block = &graph->blocks[header];
        if (!is_header(map, header)) {
            continue;
        }
        if (block->merge == header || block->merge == block->continue_target) {
            return refuse_block(map, header, "merges into itself");
        }
        if (!claim(map, map->merge_of, header, block->merge) ||
            (is_loop(map, header) && block->continue_target != header &&
             !claim(map, map->continue_of, header, block->continue_target))) {
            return 0;
        }
    }
    return 1;
}

/* Dominators come first in the order, so that what is around them is known. */
static int find_around(const construct_map *map) {
    const spirv_dominators *dominators = &map->graph->structural;
    for (uint32_t i = 0; i < dominators->reachable; i++) {
        const uint32_t block = dominators->sorted[i];
        const uint32_t parent = dominators->parent[block];
        const uint32_t merged = map->merge_of[block];
        uint32_t around = SPIRV_NO_BLOCK;
        if (merged != SPIRV_NO_BLOCK) {
            around = map->around[merged];
        } else if (map->continue_of[block] != SPIRV_NO_BLOCK) {
            around = map->continue_of[block];
        } else if (block != 0) {
            around = is_header(map, parent) ? parent : map->around[parent];
        }
        map->around[block] = around;
        map->nesting[block] = around == SPIRV_NO_BLOCK ? 0 : map->nesting[around] + 1;
        if (map->nesting[block] > MAX_NESTING) {
            return refuse_block(map, block, "is nested too deeply");
        }
    }
    return 1;
}

/* Whether a branch to `target` leaves constructs, from the innermost on, as it may. */
static int is_exit(const construct_map *map, uint32_t innermost, uint32_t target) {
    const spirv_graph *graph = map->graph;
    int may_break = 1;
    for (uint32_t header = innermost; header != SPIRV_NO_BLOCK; header = map->around[header]) {
        if (graph->blocks[header].merge == target && (header == innermost || is_loop(map, header) ||
                                                      (may_break && is_switch(map, header)))) {
            return 1;
        }
        if (is_loop(map, header)) {
            return graph->blocks[header].continue_target == target;
        }
        may_break = may_break && !is_switch(map, header);
    }
    return 0;
}

/* The one branch back to a loop's header, from its continue construct. */
static int is_back_edge(const construct_map *map, uint32_t block, uint32_t target) {
    const spirv_graph *graph = map->graph;
    const uint32_t from = graph->blocks[target].continue_target;
    if (!is_loop(map, target) || map->back_from[target] != SPIRV_NO_BLOCK ||
        (from == target ? block != target : !spirv_dominates(&graph->structural, from, block))) {
        return 0;
    }
    map->back_from[target] = block;
    return 1;
}

static int check_branch(const construct_map *map, uint32_t block, uint32_t target) {
    const uint32_t inside = is_header(map, block) ? block : map->around[block];
    const int is_back = spirv_dominates(&map->graph->structural, target, block);
    if (is_back) {
        return is_back_edge(map, block, target) ||
               refuse_block(map, block, "branches back to what is not its loop's header");
    }
    return (map->around[target] == inside && map->merge_of[target] == SPIRV_NO_BLOCK &&
            map->continue_of[target] == SPIRV_NO_BLOCK) ||
           is_exit(map, inside, target) ||
           refuse_block(map, block, "branches out of or into the middle of a construct");
}

/* A choice without a merge is one between going on and leaving. */
static int check_choice(const construct_map *map, uint32_t number) {
    const spirv_graph *graph = map->graph;
    const spirv_block *block = &graph->blocks[number];
    const uint32_t count = block[1].successors - block->successors;
    uint32_t going_on = 0, first = SPIRV_NO_BLOCK;
    if (is_header(map, number) || count < 2) {
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t target = graph->targets[block->successors + i];
        if (!is_exit(map, map->around[number], target) &&
            !spirv_dominates(&graph->structural, target, number) && target != first) {
            first = target;
            going_on++;
        }
    }
    return (going_on <= 1 && !is_switch(map, number)) ||
           refuse_block(map, number, "branches without saying where the ways meet");
}

static int check_branches(const construct_map *map) {
    const spirv_graph *graph = map->graph;
    for (uint32_t i = 0; i < graph->structural.reachable; i++) {
        const uint32_t number = graph->structural.sorted[i];
        const spirv_block *block = &graph->blocks[number];
        for (uint32_t n = block->successors; n < block[1].successors; n++) {
            if (!check_branch(map, number, graph->targets[n])) {
                return 0;
            }
        }
        if (!check_choice(map, number)) {
            return 0;
        }
    }
    return 1;
}

int spirv_check_structure(const spirv_graph *graph) {
    uint32_t *numbers = malloc((size_t)graph->count * 5 * sizeof *numbers);
    if (numbers == NULL) {
        return spirv_refuse_module(graph->verifier, TN_OUT_OF_MEMORY, "no memory for %u blocks",
                                   (unsigned)graph->count);
    }
    for (size_t i = 0; i < (size_t)graph->count * 5; i++) {
        numbers[i] = SPIRV_NO_BLOCK;
    }
    const construct_map map = {
        .graph = graph,
        .merge_of = numbers,
        .continue_of = numbers + graph->count,
        .around = numbers + (size_t)graph->count * 2,
        .nesting = numbers + (size_t)graph->count * 3,
        .back_from = numbers + (size_t)graph->count * 4,
    };
    const int is_right = claim_all(&map) && find_around(&map) && check_branches(&map);
    free(numbers);
    return is_right;
}
