/* The verifier's checks of functions: parameters, calls, returns, and who calls whom. */
#include <stdlib.h>

#include "spirv_grammar.h"

int spirv_check_function(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    enum { CONTROL = 15 }; /* in line or not, pure, constant */
    const uint32_t type = instruction->operands[1];
    if (instruction->operands[0] > CONTROL) {
        return spirv_refuse(verifier, instruction, "control %u is not known",
                            (unsigned)instruction->operands[0]);
    }
    if (spirv_type_opcode(module, type) != SPIRV_OP_TYPE_FUNCTION ||
        spirv_operand(module, type, 0) != instruction->type) {
        return spirv_refuse(verifier, instruction, "the function's type gives another result");
    }
    verifier->function_type = type;
    verifier->parameters = spirv_operand_count(module, type) - 1;
    return 1;
}

int spirv_check_parameter(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t last = spirv_operand_count(module, verifier->function_type) - 1;
    return spirv_operand(module, verifier->function_type, last - verifier->parameters) ==
               instruction->type ||
           spirv_refuse(verifier, instruction, "the function's type has another parameter here");
}

int spirv_check_arguments(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t type = spirv_operand(module, instruction->operands[0], 1);
    if (spirv_operand(module, type, 0) != instruction->type ||
        spirv_operand_count(module, type) != instruction->operand_count) {
        return spirv_refuse(verifier, instruction, "function %u takes %u arguments",
                            (unsigned)instruction->operands[0],
                            (unsigned)spirv_operand_count(module, type) - 1);
    }
    for (uint32_t i = 1; i < instruction->operand_count; i++) {
        if (spirv_type_of(module, instruction->operands[i]) != spirv_operand(module, type, i)) {
            return spirv_refuse(verifier, instruction, "argument %u is of another type",
                                (unsigned)i);
        }
    }
    return 1;
}

int spirv_check_return(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    return spirv_type_opcode(module, spirv_operand(module, verifier->function_type, 0)) ==
               SPIRV_OP_TYPE_VOID ||
           spirv_refuse(verifier, instruction, "the function gives a result");
}

int spirv_check_return_value(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    return spirv_operand(module, verifier->function_type, 0) ==
               spirv_type_of(module, instruction->operands[0]) ||
           spirv_refuse(verifier, instruction, "the value is not of the function's type");
}

int spirv_check_condition(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t type = spirv_type_of(verifier->module, instruction->operands[0]);
    return (spirv_type_opcode(verifier->module, type) == SPIRV_OP_TYPE_BOOL &&
            (instruction->operand_count == 3 || instruction->operand_count == 5)) ||
           spirv_refuse(verifier, instruction,
                        "expected a boolean, two labels, two weights or none");
}

/* Hints for loops carry numbers, one for each bit from 4 on. */
int spirv_check_merge(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { SELECTION_HINTS = 3, LOOP_HINTS = 511, WITH_NUMBER = 0x1f8 };
    const int is_loop = instruction->opcode == SPIRV_OP_LOOP_MERGE;
    const uint32_t hints = instruction->operands[is_loop ? 2 : 1];
    const uint32_t numbers =
        is_loop ? (uint32_t)__builtin_popcount(hints & (uint32_t)WITH_NUMBER) : 0;
    return (hints <= (is_loop ? LOOP_HINTS : SELECTION_HINTS) &&
            instruction->operand_count == (is_loop ? 3 : 2) + numbers) ||
           spirv_refuse(verifier, instruction, "control %u is not known", (unsigned)hints);
}

/* Words of one literal of a switch; labels are checked with the blocks. */
int spirv_check_switch(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t type = spirv_type_of(verifier->module, instruction->operands[0]);
    const spirv_shape shape = spirv_shape_of(verifier->module, type);
    const uint32_t pair = shape.bits > 32 ? 3 : 2;
    return (shape.kind == SPIRV_KIND_INT && shape.count == 1 &&
            (instruction->operand_count - 2) % pair == 0) ||
           spirv_refuse(verifier, instruction, "expected an integer and pairs of number and label");
}

/* ---- Who calls whom ---- */

/* Most words of an entry point's code with every call put in its place. */
enum { MAX_EXPANDED_WORDS = 1 << 27 };
enum { UNSEEN, OPEN, DONE };

typedef struct function_node {
    uint32_t begin, end; /* words */
    uint32_t at;         /* where the search goes on */
    uint32_t state;
    uint32_t caller; /* 1 + its number; 0: none */
    uint64_t expanded;
} function_node;

static void list_functions(const spirv_module *module, function_node *nodes) {
    uint32_t number = 0;
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (instruction.opcode == SPIRV_OP_FUNCTION) {
            nodes[number] = (function_node){.begin = at, .at = at};
            /* A function's number is kept in its own entry, which `block` of a global leaves free.
             */
            module->ids[instruction.result].block = number;
        }
        at += instruction.count;
        if (instruction.opcode == SPIRV_OP_FUNCTION_END) {
            nodes[number].end = at;
            nodes[number].expanded = at - nodes[number].begin;
            number++;
        }
    }
}

/* The next function that this one calls, or 0 and all are seen; numbers from 1. */
static uint32_t next_callee(const spirv_module *module, function_node *node) {
    while (node->at < node->end) {
        const spirv_instruction instruction = spirv_decode(module, node->at);
        node->at += instruction.count;
        if (instruction.opcode == SPIRV_OP_FUNCTION_CALL) {
            return module->ids[instruction.operands[0]].block + 1;
        }
    }
    return 0;
}

/* Depth first from one function, without recursion. */
static int visit(spirv_verifier *verifier, function_node *nodes, uint32_t root) {
    uint32_t current = root + 1;
    nodes[root].state = OPEN;
    while (current != 0) {
        function_node *node = &nodes[current - 1];
        const uint32_t callee = next_callee(verifier->module, node);
        if (callee == 0) {
            node->state = DONE;
            current = node->caller;
            if (current != 0) {
                nodes[current - 1].expanded += node->expanded;
            }
            if (node->expanded > MAX_EXPANDED_WORDS) {
                return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                           "its calls, put in line, make more than %u words",
                                           (unsigned)MAX_EXPANDED_WORDS);
            }
        } else if (nodes[callee - 1].state == OPEN) {
            return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                       "word %u: the function calls itself, if only by others",
                                       (unsigned)nodes[callee - 1].begin);
        } else if (nodes[callee - 1].state == DONE) {
            node->expanded += nodes[callee - 1].expanded;
        } else {
            nodes[callee - 1].state = OPEN;
            nodes[callee - 1].caller = current;
            current = callee;
        }
    }
    return 1;
}

int spirv_check_call_graph(spirv_verifier *verifier) {
    function_node *nodes = calloc(verifier->functions + 1, sizeof *nodes);
    int is_right = 1;
    if (nodes == NULL) {
        return spirv_refuse_module(verifier, TN_OUT_OF_MEMORY, "no memory for %u functions",
                                   (unsigned)verifier->functions);
    }
    list_functions(verifier->module, nodes);
    for (uint32_t i = 0; i < verifier->functions && is_right; i++) {
        is_right = nodes[i].state != UNSEEN || visit(verifier, nodes, i);
    }
    free(nodes);
    return is_right;
}
