/* The blocks of one function as a graph, and who dominates whom. */
#ifndef TENON_BACKENDS_VULKAN_SPIRV_FLOW_H
#define TENON_BACKENDS_VULKAN_SPIRV_FLOW_H

#include "spirv_grammar.h"

#define SPIRV_NO_BLOCK UINT32_MAX

typedef struct spirv_block {
    uint32_t label;
    uint32_t begin;           /* word of the label */
    uint32_t end;             /* word of the terminator */
    uint32_t merge_at;        /* word of the merge instruction; 0: none */
    uint32_t merge;           /* block where the construct ends; SPIRV_NO_BLOCK: none */
    uint32_t continue_target; /* of a loop; SPIRV_NO_BLOCK: none */
    uint32_t successors;      /* begin in spirv_graph.targets; the next block's is the end */
} spirv_block;

/* Dominators by number of block. `order` is 0 for blocks that cannot be reached. */
typedef struct spirv_dominators {
    uint32_t *parent; /* immediate dominator; of the first block itself */
    uint32_t *order;  /* reverse postorder, from 1 */
    uint32_t *sorted; /* reachable blocks in that order */
    uint32_t *size;   /* blocks that it dominates, itself included */
    uint32_t *first;  /* number in the tree: what it dominates is `first` to `first` + `size` */
    uint32_t *next;   /* free number, while the tree is numbered */
    uint32_t reachable;
} spirv_dominators;

typedef struct spirv_graph {
    spirv_verifier *verifier;
    uint32_t count;
    spirv_block *blocks;         /* one more than `count` */
    uint32_t *targets;           /* successors of all blocks */
    uint32_t *parents;           /* by block: how many blocks lead there */
    uint32_t *last_parent;       /* while they are counted, and for each phi */
    spirv_dominators plain;      /* by branches alone: what values need */
    spirv_dominators structural; /* with edges from headers to where their constructs lead */
} spirv_graph;

/* Both by number of block; 0 when a cannot be reached. A block dominates itself. */
int spirv_dominates(const spirv_dominators *dominators, uint32_t a, uint32_t b);

/* The rules of structured control flow. spirv_structure.c. */
int spirv_check_structure(const spirv_graph *graph);

#endif
