/*
 * Structured control flow. A construct is what a header dominates up to its merge block. It is left
 * through its own merge block, or by a break or continue of the loop or switch around it; a loop is
 * gone round from its continue target alone. Drivers walk constructs by recursion and trust this.
 */
#include <stdlib.h>

#include "spirv_flow.h"

enum { MAX_NESTING = 256 };

typedef struct structure {
    const spirv_graph *graph;
    uint32_t *merge_of;    /* header whose merge block this is; SPIRV_NO_BLOCK: none */
    uint32_t *continue_of; /* header whose continue target this is */
    uint32_t *around;      /* header of the innermost construct that the block is in */
    uint32_t *nesting;     /* how many constructs it is in */
} structure;

static int refuse_block(const structure *structure, uint32_t number, const char *why) {
    const spirv_block *block = &structure->graph->blocks[number];
    return spirv_refuse_module(structure->graph->verifier, TN_INVALID_ARGUMENT,
                               "word %u: block %u %s", (unsigned)block->begin,
                               (unsigned)block->label, why);
}

static int is_header(const structure *structure, uint32_t number) {
    return structure->graph->blocks[number].merge != SPIRV_NO_BLOCK;
}

static int is_loop(const structure *structure, uint32_t number) {
    return structure->graph->blocks[number].continue_target != SPIRV_NO_BLOCK;
}

static int is_switch(const structure *structure, uint32_t number) {
    const spirv_graph *graph = structure->graph;
    return spirv_decode(graph->verifier->module, graph->blocks[number].end).opcode ==
           SPIRV_OP_SWITCH;
}

/* Headers own their merge blocks and continue targets, and dominate them. */
static int claim(const structure *structure, uint32_t *owners, uint32_t header, uint32_t target) {
    const spirv_dominators *dominators = &structure->graph->structural;
    if (owners[target] != SPIRV_NO_BLOCK) {
        return refuse_block(structure, target, "is where two constructs lead");
    }
    if (!spirv_dominates(dominators, header, target)) {
        return refuse_block(structure, target, "can be reached without its construct's header");
    }
    owners[target] = header;
    return 1;
}

static int claim_all(const structure *structure) {
    const spirv_graph *graph = structure->graph;
    for (uint32_t i = 0; i < graph->structural.reachable; i++) {
        const uint32_t header = graph->structural.sorted[i];
        const spirv_block *block = &graph->blocks[header];
        if (!is_header(structure, header)) {
            continue;
        }
        if (block->merge == header || block->merge == block->continue_target) {
            return refuse_block(structure, header, "merges into itself");
        }
        if (!claim(structure, structure->merge_of, header, block->merge) ||
            (is_loop(structure, header) && block->continue_target != header &&
             !claim(structure, structure->continue_of, header, block->continue_target))) {
            return 0;
        }
    }
    return 1;
}

/* Dominators come first in the order, so that what is around them is known. */
static int find_around(const structure *structure) {
    const spirv_dominators *dominators = &structure->graph->structural;
    for (uint32_t i = 0; i < dominators->reachable; i++) {
        const uint32_t block = dominators->sorted[i];
        const uint32_t parent = dominators->parent[block];
        const uint32_t merged = structure->merge_of[block];
        uint32_t around = SPIRV_NO_BLOCK;
        if (merged != SPIRV_NO_BLOCK) {
            around = structure->around[merged];
        } else if (structure->continue_of[block] != SPIRV_NO_BLOCK) {
            around = structure->continue_of[block];
        } else if (block != 0) {
            around = is_header(structure, parent) ? parent : structure->around[parent];
        }
        structure->around[block] = around;
        structure->nesting[block] =
            around == SPIRV_NO_BLOCK ? 0 : structure->nesting[around] + 1;
        if (structure->nesting[block] > MAX_NESTING) {
            return refuse_block(structure, block, "is nested too deeply");
        }
    }
    return 1;
}

/* Whether a branch to `target` leaves constructs, from the innermost on, as it may. */
static int is_exit(const structure *structure, uint32_t innermost, uint32_t target) {
    const spirv_graph *graph = structure->graph;
    int may_break = 1;
    for (uint32_t header = innermost; header != SPIRV_NO_BLOCK;
         header = structure->around[header]) {
        if (graph->blocks[header].merge == target &&
            (header == innermost || is_loop(structure, header) ||
             (may_break && is_switch(structure, header)))) {
            return 1;
        }
        if (is_loop(structure, header)) {
            return graph->blocks[header].continue_target == target;
        }
        may_break = may_break && !is_switch(structure, header);
    }
    return 0;
}

/* A branch back to a loop's header, from its continue construct. */
static int is_back_edge(const structure *structure, uint32_t block, uint32_t target) {
    const spirv_graph *graph = structure->graph;
    return is_loop(structure, target) &&
           spirv_dominates(&graph->structural, graph->blocks[target].continue_target, block);
}

static int check_branch(const structure *structure, uint32_t block, uint32_t target) {
    const uint32_t inside = is_header(structure, block) ? block : structure->around[block];
    const int is_back = spirv_dominates(&structure->graph->structural, target, block);
    if (is_back) {
        return is_back_edge(structure, block, target) ||
               refuse_block(structure, block, "branches back to what is not its loop's header");
    }
    return (structure->around[target] == inside &&
            structure->merge_of[target] == SPIRV_NO_BLOCK &&
            structure->continue_of[target] == SPIRV_NO_BLOCK) ||
           is_exit(structure, inside, target) ||
           refuse_block(structure, block, "branches out of or into the middle of a construct");
}

/* A choice without a merge is one between going on and leaving. */
static int check_choice(const structure *structure, uint32_t number) {
    const spirv_graph *graph = structure->graph;
    const spirv_block *block = &graph->blocks[number];
    const uint32_t count = block[1].successors - block->successors;
    uint32_t going_on = 0, first = SPIRV_NO_BLOCK;
    if (is_header(structure, number) || count < 2) {
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t target = graph->targets[block->successors + i];
        if (!is_exit(structure, structure->around[number], target) &&
            !spirv_dominates(&graph->structural, target, number) && target != first) {
            first = target;
            going_on++;
        }
    }
    return (going_on <= 1 && !is_switch(structure, number)) ||
           refuse_block(structure, number, "branches without saying where the ways meet");
}

static int check_branches(const structure *structure) {
    const spirv_graph *graph = structure->graph;
    for (uint32_t i = 0; i < graph->structural.reachable; i++) {
        const uint32_t number = graph->structural.sorted[i];
        const spirv_block *block = &graph->blocks[number];
        for (uint32_t n = block->successors; n < block[1].successors; n++) {
            if (!check_branch(structure, number, graph->targets[n])) {
                return 0;
            }
        }
        if (!check_choice(structure, number)) {
            return 0;
        }
    }
    return 1;
}

int spirv_check_structure(const spirv_graph *graph) {
    uint32_t *numbers = malloc((size_t)graph->count * 4 * sizeof *numbers);
    if (numbers == NULL) {
        return spirv_refuse_module(graph->verifier, TN_OUT_OF_MEMORY, "no memory for %u blocks",
                                   (unsigned)graph->count);
    }
    for (size_t i = 0; i < (size_t)graph->count * 4; i++) {
        numbers[i] = SPIRV_NO_BLOCK;
    }
    const structure structure = {
        .graph = graph,
        .merge_of = numbers,
        .continue_of = numbers + graph->count,
        .around = numbers + (size_t)graph->count * 2,
        .nesting = numbers + (size_t)graph->count * 3,
    };
    const int is_right =
        claim_all(&structure) && find_around(&structure) && check_branches(&structure);
    free(numbers);
    return is_right;
}
