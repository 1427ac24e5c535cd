/* A module as its readers see it: instructions taken apart, and what an id stands for. */
#include <stdlib.h>

#include "spirv_grammar.h"

void spirv_module_destroy(spirv_module *module) {
    if (module == NULL) {
        return;
    }
    free(module->words);
    free(module->ids);
    free(module);
}

spirv_instruction spirv_decode(const spirv_module *module, uint32_t at) {
    spirv_instruction instruction = {.words = module->words + at, .at = at};
    instruction.count = instruction.words[0] >> 16;
    instruction.opcode = instruction.words[0] & 0xffff;
    instruction.rule = spirv_rule_find(instruction.opcode);
    /* It may say more words than are there: the verifier asks before it looks at them. */
    const uint32_t left = module->count - at;
    const uint32_t count = instruction.count < left ? instruction.count : left;
    uint32_t used = 1;
    const char *letters = instruction.rule != NULL ? instruction.rule->operands : "";
    if (*letters == 't' && used < count) {
        instruction.type = instruction.words[used++];
        letters++;
    }
    if (*letters == 'r' && used < count) {
        instruction.result = instruction.words[used++];
    }
    instruction.operands = instruction.words + used;
    instruction.operand_count = count > used ? count - used : 0;
    return instruction;
}

int spirv_is_type(uint32_t opcode) {
    return (opcode >= SPIRV_OP_TYPE_VOID && opcode <= SPIRV_OP_TYPE_FUNCTION) ||
           opcode == SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR ||
           opcode == SPIRV_OP_TYPE_COOPERATIVE_MATRIX_NV;
}

int spirv_is_constant(uint32_t opcode) {
    return opcode == SPIRV_OP_UNDEF ||
           (opcode >= SPIRV_OP_CONSTANT_TRUE && opcode <= SPIRV_OP_SPEC_CONSTANT_OP);
}

uint32_t spirv_type_opcode(const spirv_module *module, uint32_t id) {
    const uint32_t opcode = id < module->bound ? module->ids[id].opcode : 0;
    return spirv_is_type(opcode) ? opcode : 0;
}

uint32_t spirv_operand(const spirv_module *module, uint32_t id, uint32_t n) {
    const spirv_instruction instruction = spirv_decode(module, module->ids[id].at);
    return n < instruction.operand_count ? instruction.operands[n] : 0;
}

uint32_t spirv_operand_count(const spirv_module *module, uint32_t id) {
    return spirv_decode(module, module->ids[id].at).operand_count;
}

uint32_t spirv_type_of(const spirv_module *module, uint32_t value) {
    return value < module->bound ? module->ids[value].type : 0;
}

uint32_t spirv_pointee(const spirv_module *module, uint32_t type) {
    if (spirv_type_opcode(module, type) != SPIRV_OP_TYPE_POINTER) {
        return 0;
    }
    return spirv_operand(module, type, 1);
}

static spirv_shape scalar_shape(const spirv_module *module, uint32_t type) {
    switch (spirv_type_opcode(module, type)) {
    case SPIRV_OP_TYPE_BOOL: return (spirv_shape){SPIRV_KIND_BOOL, 1, 1};
    case SPIRV_OP_TYPE_INT: return (spirv_shape){SPIRV_KIND_INT, spirv_operand(module, type, 0), 1};
    case SPIRV_OP_TYPE_FLOAT:
        return (spirv_shape){SPIRV_KIND_FLOAT, spirv_operand(module, type, 0), 1};
    default: return (spirv_shape){SPIRV_KIND_OTHER, 0, 0};
    }
}

spirv_shape spirv_shape_of(const spirv_module *module, uint32_t type) {
    spirv_shape shape;
    switch (spirv_type_opcode(module, type)) {
    case SPIRV_OP_TYPE_VECTOR:
        shape = scalar_shape(module, spirv_operand(module, type, 0));
        shape.count = spirv_operand(module, type, 1);
        return shape;
    case SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR:
    case SPIRV_OP_TYPE_COOPERATIVE_MATRIX_NV:
        shape = scalar_shape(module, spirv_operand(module, type, 0));
        shape.count = SPIRV_COUNT_MATRIX;
        return shape;
    default: return scalar_shape(module, type);
    }
}

int spirv_constant_value(const spirv_module *module, uint32_t id, uint32_t *out_value) {
    if (id >= module->bound || module->ids[id].opcode != SPIRV_OP_CONSTANT ||
        spirv_shape_of(module, module->ids[id].type).kind != SPIRV_KIND_INT ||
        spirv_operand_count(module, id) != 1) {
        return 0;
    }
    *out_value = spirv_operand(module, id, 0);
    return 1;
}

uint32_t spirv_member_type(const spirv_module *module, uint32_t type, uint32_t index) {
    uint32_t limit;
    switch (spirv_type_opcode(module, type)) {
    case SPIRV_OP_TYPE_VECTOR:
    case SPIRV_OP_TYPE_MATRIX:
        return index < spirv_operand(module, type, 1) ? spirv_operand(module, type, 0) : 0;
    case SPIRV_OP_TYPE_ARRAY:
        if (spirv_constant_value(module, spirv_operand(module, type, 1), &limit) &&
            index >= limit) {
            return 0;
        }
        return spirv_operand(module, type, 0);
    case SPIRV_OP_TYPE_RUNTIME_ARRAY:
    case SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR:
    case SPIRV_OP_TYPE_COOPERATIVE_MATRIX_NV: return spirv_operand(module, type, 0);
    case SPIRV_OP_TYPE_STRUCT:
        return index < spirv_operand_count(module, type) ? spirv_operand(module, type, index) : 0;
    default: return 0;
    }
}
