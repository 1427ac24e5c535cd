/* The verifier's checks of pointers and of what is read and written through them. */
#include "spirv_grammar.h"

static int is_read_only_class(uint32_t storage) {
    return storage == SPIRV_CLASS_INPUT || storage == SPIRV_CLASS_PUSH_CONSTANT;
}

/* Types whose values can be held: no arrays without a length, at any depth the last member is the
 * only place for one. */
static int can_be_held(const spirv_module *module, uint32_t type) {
    if (spirv_type_opcode(module, type) == SPIRV_OP_TYPE_STRUCT) {
        const uint32_t count = spirv_operand_count(module, type);
        return count == 0 || spirv_type_opcode(module, spirv_operand(module, type, count - 1)) !=
                                 SPIRV_OP_TYPE_RUNTIME_ARRAY;
    }
    return spirv_type_opcode(module, type) != SPIRV_OP_TYPE_RUNTIME_ARRAY;
}

int spirv_check_load(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t pointer = spirv_type_of(module, instruction->operands[0]);
    return (spirv_pointee(module, pointer) == instruction->type &&
            can_be_held(module, instruction->type)) ||
           spirv_refuse(verifier, instruction, "the pointer does not point to type %u",
                        (unsigned)instruction->type);
}

static int check_target(spirv_verifier *verifier, const spirv_instruction *instruction,
                        uint32_t pointer_id, uint32_t type) {
    const spirv_module *module = verifier->module;
    const uint32_t pointer = spirv_type_of(module, pointer_id);
    if (type == 0 || spirv_pointee(module, pointer) != type || !can_be_held(module, type)) {
        return spirv_refuse(verifier, instruction, "the pointer does not point to type %u",
                            (unsigned)type);
    }
    return !is_read_only_class(spirv_operand(module, pointer, 0)) ||
           spirv_refuse(verifier, instruction, "writes what is only read");
}

int spirv_check_store(spirv_verifier *verifier, const spirv_instruction *instruction) {
    return check_target(verifier, instruction, instruction->operands[0],
                        spirv_type_of(verifier->module, instruction->operands[1]));
}

int spirv_check_atomic_store(spirv_verifier *verifier, const spirv_instruction *instruction) {
    return check_target(verifier, instruction, instruction->operands[0],
                        spirv_type_of(verifier->module, instruction->operands[3]));
}

int spirv_check_copy_memory(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t source = spirv_type_of(module, instruction->operands[1]);
    return check_target(verifier, instruction, instruction->operands[0],
                        spirv_pointee(module, source));
}

/* One step of a chain; 0 when the index leads nowhere. */
static uint32_t step(const spirv_module *module, uint32_t type, uint32_t index) {
    uint32_t value = 0;
    const spirv_shape shape = spirv_shape_of(module, spirv_type_of(module, index));
    if (shape.kind != SPIRV_KIND_INT || shape.count != 1) {
        return 0;
    }
    if (spirv_type_opcode(module, type) == SPIRV_OP_TYPE_STRUCT &&
        (!spirv_constant_value(module, index, &value) ||
         module->ids[index].opcode != SPIRV_OP_CONSTANT)) {
        return 0;
    }
    spirv_constant_value(module, index, &value);
    return spirv_member_type(module, type, value);
}

int spirv_check_chain(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t base = spirv_type_of(module, instruction->operands[0]);
    const int has_element = instruction->opcode == SPIRV_OP_PTR_ACCESS_CHAIN ||
                            instruction->opcode == SPIRV_OP_IN_BOUNDS_PTR_ACCESS_CHAIN;
    uint32_t type = spirv_pointee(module, base);
    for (uint32_t i = has_element ? 2 : 1; i < instruction->operand_count && type != 0; i++) {
        type = step(module, type, instruction->operands[i]);
    }
    return (type != 0 && spirv_pointee(module, instruction->type) == type &&
            spirv_operand(module, instruction->type, 0) == spirv_operand(module, base, 0) &&
            (!has_element ||
             spirv_operand(module, base, 0) == SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER)) ||
           spirv_refuse(verifier, instruction, "the indices do not lead to type %u",
                        (unsigned)spirv_pointee(module, instruction->type));
}

int spirv_check_array_length(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t block = spirv_pointee(module, spirv_type_of(module, instruction->operands[0]));
    const uint32_t member = instruction->operands[1];
    const spirv_shape result = spirv_shape_of(module, instruction->type);
    return (spirv_type_opcode(module, block) == SPIRV_OP_TYPE_STRUCT &&
            spirv_type_opcode(module, spirv_member_type(module, block, member)) ==
                SPIRV_OP_TYPE_RUNTIME_ARRAY &&
            result.kind == SPIRV_KIND_INT && result.bits == 32 && result.count == 1) ||
           spirv_refuse(verifier, instruction, "member %u is not an array without a length",
                        (unsigned)member);
}

/* ---- Cooperative matrices ---- */

static int is_matrix(const spirv_module *module, uint32_t type) {
    return spirv_shape_of(module, type).count == SPIRV_COUNT_MATRIX;
}

static int is_integer(const spirv_module *module, uint32_t id) {
    const spirv_shape shape = spirv_shape_of(module, spirv_type_of(module, id));
    return shape.kind == SPIRV_KIND_INT && shape.count == 1;
}

/* The row of a matrix in memory: any pointer to numbers will do. */
static int is_memory(const spirv_module *module, uint32_t id) {
    const uint32_t pointee = spirv_pointee(module, spirv_type_of(module, id));
    return spirv_shape_of(module, pointee).kind != SPIRV_KIND_OTHER && !is_matrix(module, pointee);
}

int spirv_check_cooperative_use(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t *operands = instruction->operands;
    int fits;
    switch (instruction->opcode) {
    case SPIRV_OP_COOPERATIVE_MATRIX_LOAD_KHR:
    case SPIRV_OP_COOPERATIVE_MATRIX_LOAD_NV:
        fits = is_matrix(module, instruction->type) && is_memory(module, operands[0]) &&
               (instruction->operand_count < 3 || is_integer(module, operands[2]) ||
                instruction->opcode == SPIRV_OP_COOPERATIVE_MATRIX_LOAD_NV);
        break;
    case SPIRV_OP_COOPERATIVE_MATRIX_STORE_KHR:
    case SPIRV_OP_COOPERATIVE_MATRIX_STORE_NV:
        fits =
            is_memory(module, operands[0]) && is_matrix(module, spirv_type_of(module, operands[1]));
        break;
    default: /* multiply and add */
        fits = is_matrix(module, instruction->type) &&
               is_matrix(module, spirv_type_of(module, operands[0])) &&
               is_matrix(module, spirv_type_of(module, operands[1])) &&
               spirv_type_of(module, operands[2]) == instruction->type;
        break;
    }
    return fits || spirv_refuse(verifier, instruction, "the operands are no cooperative matrices");
}
