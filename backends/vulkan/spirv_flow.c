/* Blocks, branches and dominators of a function; values are used where they are defined. */
#include "spirv_flow.h"

#include <stdlib.h>
#include <string.h>

/* More than any compiler makes of a kernel; the search for dominators may take its square. */
enum { MAX_BLOCKS = 1 << 15 };

/* ---- Blocks and branches ---- */

/* Where a terminator names labels: operands `first`, `first` + `stride`, … below `end`. */
static void label_places(const spirv_module *module, const spirv_instruction *terminator,
                         uint32_t *out_first, uint32_t *out_stride, uint32_t *out_end) {
    *out_first = 0;
    *out_stride = 1;
    *out_end = 0;
    if (terminator->opcode == SPIRV_OP_BRANCH) {
        *out_end = 1;
    } else if (terminator->opcode == SPIRV_OP_BRANCH_CONDITIONAL) {
        *out_first = 1;
        *out_end = 3;
    } else if (terminator->opcode == SPIRV_OP_SWITCH) {
        const uint32_t type = spirv_type_of(module, terminator->operands[0]);
        *out_first = 1;
        *out_stride = spirv_shape_of(module, type).bits > 32 ? 3 : 2;
        *out_end = terminator->operand_count;
    }
}

/* The block of a label of this function. */
static int find_block(const spirv_graph *graph, uint32_t at, uint32_t label, uint32_t *out_block) {
    spirv_verifier *verifier = graph->verifier;
    const spirv_module *module = verifier->module;
    if (label >= module->bound || module->ids[label].opcode != SPIRV_OP_LABEL ||
        module->ids[label].function != verifier->in_function || module->ids[label].block == 0) {
        const spirv_instruction instruction = spirv_decode(module, at);
        return spirv_refuse(verifier, &instruction,
                            "id %u is not a block of this function that can be branched to",
                            (unsigned)label);
    }
    *out_block = module->ids[label].block;
    return 1;
}

static int add_targets(spirv_graph *graph, const spirv_instruction *terminator, uint32_t *used) {
    uint32_t first, stride, end;
    label_places(graph->verifier->module, terminator, &first, &stride, &end);
    for (uint32_t i = first; i < end; i += stride) {
        if (!find_block(graph, terminator->at, terminator->operands[i], &graph->targets[*used])) {
            return 0;
        }
        ++*used;
    }
    return 1;
}

/* A loop's continue target may be the header itself, but never the function's first block. */
static int add_merge(const spirv_graph *graph, spirv_block *block,
                     const spirv_instruction *instruction) {
    block->merge_at = instruction->at;
    return find_block(graph, instruction->at, instruction->operands[0], &block->merge) &&
           (instruction->opcode != SPIRV_OP_LOOP_MERGE ||
            find_block(graph, instruction->at, instruction->operands[1], &block->continue_target));
}

static int list_blocks(spirv_graph *graph, uint32_t end) {
    const spirv_module *module = graph->verifier->module;
    uint32_t number = 0, targets = 0;
    for (uint32_t at = graph->verifier->function_at; at < end;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        spirv_block *block = number > 0 ? &graph->blocks[number - 1] : NULL;
        switch (instruction.opcode) {
        case SPIRV_OP_LABEL:
            graph->blocks[number++] = (spirv_block){.label = instruction.result,
                                                    .begin = at,
                                                    .merge = SPIRV_NO_BLOCK,
                                                    .continue_target = SPIRV_NO_BLOCK,
                                                    .successors = targets};
            break;
        case SPIRV_OP_LOOP_MERGE:
        case SPIRV_OP_SELECTION_MERGE:
            if (!add_merge(graph, block, &instruction)) {
                return 0;
            }
            break;
        case SPIRV_OP_BRANCH:
        case SPIRV_OP_BRANCH_CONDITIONAL:
        case SPIRV_OP_SWITCH:
        case SPIRV_OP_RETURN:
        case SPIRV_OP_RETURN_VALUE:
        case SPIRV_OP_UNREACHABLE:
            block->end = at;
            if (!add_targets(graph, &instruction, &targets)) {
                return 0;
            }
            break;
        default: break;
        }
        at += instruction.count;
    }
    graph->blocks[number].successors = targets;
    return 1;
}

/* Counts the blocks that lead to each: one that does so twice is one. */
static void count_parents(const spirv_graph *graph) {
    for (uint32_t number = 0; number < graph->count; number++) {
        const spirv_block *block = &graph->blocks[number];
        for (uint32_t i = block->successors; i < block[1].successors; i++) {
            const uint32_t target = graph->targets[i];
            if (graph->last_parent[target] != number + 1) {
                graph->last_parent[target] = number + 1;
                graph->parents[target]++;
            }
        }
    }
}

/* ---- Dominators ---- */

/* Successor number n of a block, structural ones after the others; SPIRV_NO_BLOCK: no more. */
static uint32_t successor(const spirv_graph *graph, uint32_t number, uint32_t n,
                          int is_structural) {
    const spirv_block *block = &graph->blocks[number];
    const uint32_t count = block[1].successors - block->successors;
    if (n < count) {
        return graph->targets[block->successors + n];
    }
    if (!is_structural || block->merge == SPIRV_NO_BLOCK) {
        return SPIRV_NO_BLOCK;
    }
    return n == count ? block->merge : n == count + 1 ? block->continue_target : SPIRV_NO_BLOCK;
}

/* Numbers the blocks that can be reached, depth first and without recursion. `parent` holds the
 * way back, `size` the next successor to go to, until both get their own meaning. */
static void number_blocks(const spirv_graph *graph, spirv_dominators *dominators,
                          int is_structural) {
    uint32_t current = 0, finished = 0;
    dominators->parent[0] = SPIRV_NO_BLOCK;
    dominators->order[0] = 1;
    while (current != SPIRV_NO_BLOCK) {
        const uint32_t next = successor(graph, current, dominators->size[current]++, is_structural);
        if (next == SPIRV_NO_BLOCK) {
            dominators->sorted[finished++] = current;
            current = dominators->parent[current];
        } else if (dominators->order[next] == 0) {
            dominators->order[next] = 1;
            dominators->parent[next] = current;
            current = next;
        }
    }
    for (uint32_t i = 0; i < finished / 2; i++) {
        const uint32_t swapped = dominators->sorted[i];
        dominators->sorted[i] = dominators->sorted[finished - 1 - i];
        dominators->sorted[finished - 1 - i] = swapped;
    }
    for (uint32_t i = 0; i < finished; i++) {
        dominators->order[dominators->sorted[i]] = i + 1;
    }
    dominators->reachable = finished;
}

static uint32_t common(const spirv_dominators *dominators, uint32_t a, uint32_t b) {
    while (a != b) {
        if (dominators->order[a] > dominators->order[b]) {
            a = dominators->parent[a];
        } else {
            b = dominators->parent[b];
        }
    }
    return a;
}

/* Cooper, Harvey and Kennedy's way: until nothing changes, a block's dominator is what its
 * predecessors have in common. It goes along successors, so that no list of predecessors is kept.
 */
static void find_dominators(const spirv_graph *graph, spirv_dominators *dominators,
                            int is_structural) {
    for (uint32_t i = 0; i < graph->count; i++) {
        dominators->parent[i] = SPIRV_NO_BLOCK;
    }
    dominators->parent[0] = 0;
    for (int changes = 1; changes;) {
        changes = 0;
        for (uint32_t i = 0; i < dominators->reachable; i++) {
            const uint32_t block = dominators->sorted[i];
            uint32_t next;
            for (uint32_t n = 0;
                 (next = successor(graph, block, n, is_structural)) != SPIRV_NO_BLOCK; n++) {
                const uint32_t old = dominators->parent[next];
                const uint32_t found = next == 0               ? 0
                                       : old == SPIRV_NO_BLOCK ? block
                                                               : common(dominators, old, block);
                changes |= found != old;
                dominators->parent[next] = found;
            }
        }
    }
}

/* Numbers the tree of dominators so that what a block dominates is one range of numbers. */
static void number_tree(spirv_dominators *dominators) {
    for (uint32_t i = 0; i < dominators->reachable; i++) {
        dominators->size[dominators->sorted[i]] = 1;
    }
    for (uint32_t i = dominators->reachable; i-- > 1;) {
        const uint32_t block = dominators->sorted[i];
        dominators->size[dominators->parent[block]] += dominators->size[block];
    }
    for (uint32_t i = 0; i < dominators->reachable; i++) {
        const uint32_t block = dominators->sorted[i];
        uint32_t *free_number = &dominators->next[dominators->parent[block]];
        dominators->first[block] = i == 0 ? 0 : *free_number;
        *free_number += i == 0 ? 0 : dominators->size[block];
        dominators->next[block] = dominators->first[block] + 1;
    }
}

int spirv_dominates(const spirv_dominators *dominators, uint32_t a, uint32_t b) {
    return dominators->order[a] != 0 && dominators->order[b] != 0 &&
           dominators->first[b] - dominators->first[a] < dominators->size[a];
}

/* ---- Values ---- */

/* Whether a value's definition is on every way to `block`. */
static int reaches(const spirv_graph *graph, uint32_t id, uint32_t block) {
    const spirv_id *defined = &graph->verifier->module->ids[id];
    return defined->function == 0 || defined->type == 0 ||
           spirv_dominates(&graph->plain, defined->block, block);
}

static int check_phi(const spirv_graph *graph, const spirv_instruction *phi, uint32_t block) {
    spirv_verifier *verifier = graph->verifier;
    const spirv_module *module = verifier->module;
    if (phi->operand_count / 2 != graph->parents[block]) {
        return spirv_refuse(verifier, phi, "%u values, %u blocks lead here",
                            (unsigned)phi->operand_count / 2, (unsigned)graph->parents[block]);
    }
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2) {
        const uint32_t value = phi->operands[i];
        const spirv_id *defined = &module->ids[value];
        uint32_t parent = 0, next, n = 0;
        if (phi->operands[i + 1] != graph->blocks[0].label &&
            !find_block(graph, phi->at, phi->operands[i + 1], &parent)) {
            return 0;
        }
        while ((next = successor(graph, parent, n, 0)) != SPIRV_NO_BLOCK && next != block) {
            n++;
        }
        if (next != block || graph->last_parent[parent] == UINT32_MAX - phi->at) {
            return spirv_refuse(verifier, phi, "block %u does not lead here, or was named before",
                                (unsigned)phi->operands[i + 1]);
        }
        graph->last_parent[parent] = UINT32_MAX - phi->at;
        if (defined->at == 0 || defined->type != phi->type ||
            (defined->function != 0 && defined->function != verifier->in_function) ||
            (graph->plain.order[parent] != 0 && !reaches(graph, value, parent))) {
            return spirv_refuse(verifier, phi, "id %u is not a value of its type in block %u",
                                (unsigned)value, (unsigned)phi->operands[i + 1]);
        }
    }
    return 1;
}

static int check_uses(const spirv_graph *graph, const spirv_instruction *instruction,
                      uint32_t block) {
    const char *letter = instruction->rule->operands, *repeat = NULL;
    letter += *letter == 't';
    letter += *letter == 'r';
    for (uint32_t i = 0; i < instruction->operand_count; letter++) {
        if (*letter == '?' || *letter == '*') {
            repeat = *letter == '*' ? letter + 1 : repeat;
            continue;
        }
        if (*letter == '\0' && repeat != NULL) {
            letter = repeat;
        }
        if (strchr("sm$", *letter) != NULL) { /* the end as well */
            break;
        }
        if ((*letter == 'v' || *letter == 'i') &&
            !reaches(graph, instruction->operands[i], block)) {
            return spirv_refuse(graph->verifier, instruction,
                                "id %u is not defined on every way here",
                                (unsigned)instruction->operands[i]);
        }
        i++;
    }
    return 1;
}

static int check_values(const spirv_graph *graph) {
    for (uint32_t number = 0; number < graph->count; number++) {
        const spirv_block *block = &graph->blocks[number];
        const int is_reachable = graph->plain.order[number] != 0;
        for (uint32_t at = block->begin; at <= block->end;) {
            const spirv_instruction instruction = spirv_decode(graph->verifier->module, at);
            if (instruction.opcode == SPIRV_OP_PHI
                    ? !check_phi(graph, &instruction, number)
                    : is_reachable && instruction.opcode != SPIRV_OP_LINE &&
                          !check_uses(graph, &instruction, number)) {
                return 0;
            }
            at += instruction.count;
        }
    }
    return 1;
}

/* ---- The whole ---- */

static int give_dominators(const spirv_graph *graph, spirv_dominators *dominators,
                           int is_structural) {
    dominators->parent = calloc(graph->count, 6 * sizeof(uint32_t));
    if (dominators->parent == NULL) {
        return spirv_refuse_module(graph->verifier, TN_OUT_OF_MEMORY, "no memory for %u blocks",
                                   (unsigned)graph->count);
    }
    dominators->order = dominators->parent + graph->count;
    dominators->sorted = dominators->order + graph->count;
    dominators->size = dominators->sorted + graph->count;
    dominators->first = dominators->size + graph->count;
    dominators->next = dominators->first + graph->count;
    number_blocks(graph, dominators, is_structural);
    find_dominators(graph, dominators, is_structural);
    number_tree(dominators);
    return 1;
}

int spirv_check_flow(spirv_verifier *verifier, uint32_t end) {
    if (verifier->blocks > MAX_BLOCKS) {
        return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                   "a function has %u blocks, more than %u",
                                   (unsigned)verifier->blocks, (unsigned)MAX_BLOCKS);
    }
    /* A label that is branched to takes a word of its branch. */
    const size_t words = end - verifier->function_at;
    spirv_graph graph = {
        .verifier = verifier,
        .count = verifier->blocks,
        .blocks = calloc((size_t)verifier->blocks + 1, sizeof(spirv_block)),
        .targets = calloc(words, sizeof(uint32_t)),
        .parents = calloc((size_t)verifier->blocks + 1, 2 * sizeof(uint32_t)),
    };
    int is_right = graph.blocks != NULL && graph.targets != NULL && graph.parents != NULL;
    graph.last_parent = is_right ? graph.parents + graph.count : NULL;
    if (!is_right) {
        spirv_refuse_module(verifier, TN_OUT_OF_MEMORY, "no memory for %u blocks",
                            (unsigned)graph.count);
    }
    is_right = is_right && list_blocks(&graph, end);
    if (is_right) {
        count_parents(&graph);
    }
    is_right = is_right && give_dominators(&graph, &graph.plain, 0) &&
               give_dominators(&graph, &graph.structural, 1) && check_values(&graph) &&
               spirv_check_structure(&graph);
    free(graph.plain.parent);
    free(graph.structural.parent);
    free(graph.parents);
    free(graph.targets);
    free(graph.blocks);
    return is_right;
}
