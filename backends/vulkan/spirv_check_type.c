/* The verifier's checks of what stands before the functions: entry points, types, constants. */
#include <string.h>

#include "spirv_grammar.h"

int spirv_check_import(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const char *name = (const char *)instruction->operands;
    /* What says nothing to a driver is known to those of Vulkan 1.3. */
    const int may_comment = verifier->environment->max_version >= 0x00010600;
    return strcmp(name, "GLSL.std.450") == 0 ||
           (may_comment && strncmp(name, "NonSemantic.", 12) == 0) ||
           spirv_refuse_module(verifier, TN_UNSUPPORTED, "imports the set '%.60s'", name);
}

int spirv_check_memory_model(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { LOGICAL = 0, PHYSICAL_STORAGE_BUFFER = 5348, GLSL = 1, VULKAN = 3 };
    const uint32_t addressing = instruction->operands[0], model = instruction->operands[1];
    verifier->memory_models++;
    if (!verifier->has_shader ||
        (model == VULKAN) != ((verifier->declared & VULKAN_BIT(MEMORY_MODEL)) != 0)) {
        return spirv_refuse(verifier, instruction, "no capability allows memory model %u",
                            (unsigned)model);
    }
    return ((addressing == LOGICAL || addressing == PHYSICAL_STORAGE_BUFFER) &&
            (model == GLSL || model == VULKAN)) ||
           spirv_refuse_module(verifier, TN_UNSUPPORTED,
                               "is written for addressing model %u and memory model %u, which no "
                               "Vulkan device takes",
                               (unsigned)addressing, (unsigned)model);
}

int spirv_check_entry_point(spirv_verifier *verifier, const spirv_instruction *instruction) {
    verifier->entry_points++;
    return instruction->operands[0] == SPIRV_MODEL_GL_COMPUTE ||
           spirv_refuse_module(verifier, TN_UNSUPPORTED,
                               "entry point '%.60s' is of execution model %u, expected GLCompute",
                               (const char *)(instruction->operands + 2),
                               (unsigned)instruction->operands[0]);
}

int spirv_check_mode(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t mode = instruction->operands[1];
    const uint32_t wanted = instruction->opcode == SPIRV_OP_EXECUTION_MODE_ID
                                ? SPIRV_MODE_LOCAL_SIZE_ID
                                : SPIRV_MODE_LOCAL_SIZE;
    if (mode != wanted) {
        return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                   "execution mode %u is asked for, LocalSize alone is known",
                                   (unsigned)mode);
    }
    if (mode == SPIRV_MODE_LOCAL_SIZE_ID && !verifier->environment->has_local_size_id) {
        return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                   "execution mode LocalSizeId is not enabled: compile for Vulkan "
                                   "1.2 or older, or give the size by numbers");
    }
    return instruction->operand_count == 5 ||
           spirv_refuse(verifier, instruction, "LocalSize has three numbers");
}

/* ---- Types ---- */

static int require_width(spirv_verifier *verifier, const spirv_instruction *instruction,
                         vulkan_features allowed) {
    return (verifier->widths & allowed) != 0 ||
           spirv_refuse(verifier, instruction, "no capability allows %u bits",
                        (unsigned)instruction->operands[0]);
}

int spirv_check_int(spirv_verifier *verifier, const spirv_instruction *instruction) {
    if (instruction->operands[1] > 1) {
        return spirv_refuse(verifier, instruction, "signedness is 0 or 1");
    }
    switch (instruction->operands[0]) {
    case 8: return require_width(verifier, instruction, VULKAN_BIT(INT8) | VULKAN_BIT(STORAGE8));
    case 16: return require_width(verifier, instruction, VULKAN_BIT(INT16) | VULKAN_BIT(STORAGE16));
    case 32: return 1;
    case 64: return require_width(verifier, instruction, VULKAN_BIT(INT64));
    default: return spirv_refuse(verifier, instruction, "expected 8, 16, 32 or 64 bits");
    }
}

int spirv_check_float(spirv_verifier *verifier, const spirv_instruction *instruction) {
    switch (instruction->operands[0]) {
    case 16:
        return require_width(verifier, instruction, VULKAN_BIT(FLOAT16) | VULKAN_BIT(STORAGE16));
    case 32: return 1;
    case 64: return require_width(verifier, instruction, VULKAN_BIT(FLOAT64));
    default: return spirv_refuse(verifier, instruction, "expected 16, 32 or 64 bits");
    }
}

int spirv_check_vector(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t count = instruction->operands[1];
    return (spirv_shape_of(verifier->module, instruction->operands[0]).count == 1 && count >= 2 &&
            count <= 4) ||
           spirv_refuse(verifier, instruction, "expected 2 to 4 scalars");
}

int spirv_check_matrix(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t count = instruction->operands[1];
    const spirv_shape column = spirv_shape_of(verifier->module, instruction->operands[0]);
    return (column.kind == SPIRV_KIND_FLOAT && column.count >= 2 && column.count <= 4 &&
            count >= 2 && count <= 4) ||
           spirv_refuse(verifier, instruction, "expected 2 to 4 vectors of floats");
}

static int may_be_element(const spirv_module *module, uint32_t type) {
    const uint32_t opcode = spirv_type_opcode(module, type);
    return opcode != SPIRV_OP_TYPE_VOID && opcode != SPIRV_OP_TYPE_FUNCTION &&
           opcode != SPIRV_OP_TYPE_RUNTIME_ARRAY;
}

int spirv_check_array(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    uint32_t length = 1;
    if (!may_be_element(module, instruction->operands[0])) {
        return spirv_refuse(verifier, instruction, "id %u cannot be an element",
                            (unsigned)instruction->operands[0]);
    }
    if (instruction->opcode == SPIRV_OP_TYPE_RUNTIME_ARRAY) {
        return 1;
    }
    const uint32_t length_type = spirv_type_of(module, instruction->operands[1]);
    const spirv_shape shape = spirv_shape_of(module, length_type);
    spirv_constant_value(module, instruction->operands[1], &length);
    return (shape.kind == SPIRV_KIND_INT && shape.count == 1 && length >= 1) ||
           spirv_refuse(verifier, instruction, "the length is not a positive integer");
}

int spirv_check_struct(spirv_verifier *verifier, const spirv_instruction *instruction) {
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const uint32_t member = instruction->operands[i];
        const int is_last = i + 1 == instruction->operand_count;
        if (!may_be_element(verifier->module, member) &&
            !(is_last &&
              spirv_type_opcode(verifier->module, member) == SPIRV_OP_TYPE_RUNTIME_ARRAY)) {
            return spirv_refuse(verifier, instruction, "member %u cannot be one", (unsigned)i);
        }
    }
    return 1;
}

static int is_known_class(uint32_t storage) {
    switch (storage) {
    case SPIRV_CLASS_INPUT:
    case SPIRV_CLASS_UNIFORM:
    case SPIRV_CLASS_WORKGROUP:
    case SPIRV_CLASS_PRIVATE:
    case SPIRV_CLASS_FUNCTION:
    case SPIRV_CLASS_PUSH_CONSTANT:
    case SPIRV_CLASS_STORAGE_BUFFER:
    case SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER: return 1;
    default: return 0;
    }
}

int spirv_check_pointer(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t pointee = spirv_type_opcode(verifier->module, instruction->operands[1]);
    if (!is_known_class(instruction->operands[0])) {
        return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                   "storage class %u is used: kernels have buffers, push "
                                   "constants and workgroup memory",
                                   (unsigned)instruction->operands[0]);
    }
    if (instruction->operands[0] == SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER &&
        (verifier->declared & VULKAN_BIT(DEVICE_ADDRESS)) == 0) {
        return spirv_refuse(verifier, instruction, "no capability allows addresses");
    }
    return (pointee != SPIRV_OP_TYPE_VOID && pointee != SPIRV_OP_TYPE_FUNCTION) ||
           spirv_refuse(verifier, instruction, "points to what has no value");
}

int spirv_check_function_type(spirv_verifier *verifier, const spirv_instruction *instruction) {
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const uint32_t opcode = spirv_type_opcode(verifier->module, instruction->operands[i]);
        if (opcode == SPIRV_OP_TYPE_FUNCTION || (i > 0 && opcode == SPIRV_OP_TYPE_VOID)) {
            return spirv_refuse(verifier, instruction, "operand %u cannot be a value", (unsigned)i);
        }
    }
    return 1;
}

int spirv_check_cooperative(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_shape shape = spirv_shape_of(verifier->module, instruction->operands[0]);
    if (shape.count != 1 || (shape.kind != SPIRV_KIND_INT && shape.kind != SPIRV_KIND_FLOAT)) {
        return spirv_refuse(verifier, instruction, "the components are not numbers");
    }
    for (uint32_t i = 1; i < instruction->operand_count; i++) {
        const uint32_t type = spirv_type_of(verifier->module, instruction->operands[i]);
        if (spirv_shape_of(verifier->module, type).kind != SPIRV_KIND_INT) {
            return spirv_refuse(verifier, instruction, "operand %u is not an integer", (unsigned)i);
        }
    }
    return 1;
}

/* ---- Constants ---- */

int spirv_check_bool_constant(spirv_verifier *verifier, const spirv_instruction *instruction) {
    return spirv_type_opcode(verifier->module, instruction->type) == SPIRV_OP_TYPE_BOOL ||
           spirv_refuse(verifier, instruction, "the type is not a boolean");
}

int spirv_check_constant(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_shape shape = spirv_shape_of(verifier->module, instruction->type);
    const int is_number = shape.kind == SPIRV_KIND_INT || shape.kind == SPIRV_KIND_FLOAT;
    return (is_number && shape.count == 1 &&
            instruction->operand_count == (shape.bits + 31) / 32) ||
           spirv_refuse(verifier, instruction, "%u words are not a number of its type",
                        (unsigned)instruction->operand_count);
}

/* A vector may be put together from vectors, by OpCompositeConstruct. */
static int check_vector_parts(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_shape whole = spirv_shape_of(verifier->module, instruction->type);
    uint64_t count = 0;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const uint32_t type = spirv_type_of(verifier->module, instruction->operands[i]);
        const spirv_shape part = spirv_shape_of(verifier->module, type);
        if (part.kind != whole.kind || part.bits != whole.bits) {
            return spirv_refuse(verifier, instruction, "part %u is of another type", (unsigned)i);
        }
        count += part.count;
    }
    return count == whole.count ||
           spirv_refuse(verifier, instruction, "%llu components make no vector of %u",
                        (unsigned long long)count, (unsigned)whole.count);
}

static uint32_t parts_wanted(const spirv_module *module, uint32_t type) {
    uint32_t count = 0;
    switch (spirv_type_opcode(module, type)) {
    case SPIRV_OP_TYPE_STRUCT: return spirv_operand_count(module, type);
    case SPIRV_OP_TYPE_MATRIX: return spirv_operand(module, type, 1);
    case SPIRV_OP_TYPE_ARRAY:
        return spirv_constant_value(module, spirv_operand(module, type, 1), &count) ? count
                                                                                    : UINT32_MAX;
    default: return 1; /* a cooperative matrix is filled with one value */
    }
}

int spirv_check_composite(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    if (spirv_type_opcode(module, instruction->type) == SPIRV_OP_TYPE_VECTOR) {
        return check_vector_parts(verifier, instruction);
    }
    const uint32_t wanted = parts_wanted(module, instruction->type);
    if (wanted != UINT32_MAX && wanted != instruction->operand_count) {
        return spirv_refuse(verifier, instruction, "%u parts, the type has %u",
                            (unsigned)instruction->operand_count, (unsigned)wanted);
    }
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const uint32_t member = spirv_member_type(module, instruction->type, i);
        if (member == 0 || member != spirv_type_of(module, instruction->operands[i])) {
            return spirv_refuse(verifier, instruction, "part %u is of another type", (unsigned)i);
        }
    }
    return 1;
}

/* What OpSpecConstantOp may stand for. */
static int is_foldable(uint32_t opcode) {
    switch (opcode) {
    case SPIRV_OP_COMPOSITE_EXTRACT:
    case SPIRV_OP_UCONVERT:
    case SPIRV_OP_SCONVERT:
    case SPIRV_OP_SNEGATE:
    case SPIRV_OP_IADD:
    case SPIRV_OP_ISUB:
    case SPIRV_OP_IMUL:
    case SPIRV_OP_UDIV:
    case SPIRV_OP_SDIV:
    case SPIRV_OP_UMOD:
    case SPIRV_OP_SREM:
    case SPIRV_OP_SMOD: return 1;
    default:
        return (opcode >= SPIRV_OP_LOGICAL_EQUAL && opcode <= SPIRV_OP_SLESS_THAN_EQUAL) ||
               (opcode >= SPIRV_OP_SHIFT_RIGHT_LOGICAL && opcode <= SPIRV_OP_NOT);
    }
}

int spirv_check_constant_op(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t opcode = instruction->operands[0];
    spirv_instruction meant = *instruction;
    meant.rule = is_foldable(opcode) ? spirv_rule_find(opcode) : NULL;
    if (meant.rule == NULL) {
        return spirv_refuse(verifier, instruction, "instruction %u is not for constants",
                            (unsigned)opcode);
    }
    meant.opcode = opcode;
    meant.operands++;
    meant.operand_count--;
    const int is_extract = opcode == SPIRV_OP_COMPOSITE_EXTRACT;
    const uint32_t ids = is_extract ? 1 : (uint32_t)strlen(meant.rule->operands) - 2;
    if (is_extract ? meant.operand_count < 1 : meant.operand_count != ids) {
        return spirv_refuse(verifier, &meant, "has %u operands", (unsigned)meant.operand_count);
    }
    for (uint32_t i = 0; i < ids; i++) {
        const uint32_t id = meant.operands[i];
        if (id >= verifier->module->bound || !spirv_is_constant(verifier->module->ids[id].opcode)) {
            return spirv_refuse(verifier, &meant, "id %u is not a constant", (unsigned)id);
        }
    }
    return meant.rule->types != NULL ? spirv_check_types(verifier, &meant, meant.rule->types)
                                     : meant.rule->check(verifier, &meant);
}

/* ---- Variables ---- */

static int is_global_class(uint32_t storage) {
    return storage != SPIRV_CLASS_FUNCTION && storage != SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER;
}

int spirv_check_variable(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t storage = instruction->operands[0];
    const uint32_t pointee = spirv_pointee(module, instruction->type);
    if (pointee == 0 || spirv_operand(module, instruction->type, 0) != storage) {
        return spirv_refuse(verifier, instruction, "the type is not a pointer of class %u",
                            (unsigned)storage);
    }
    if (verifier->in_function != 0 ? storage != SPIRV_CLASS_FUNCTION : !is_global_class(storage)) {
        return spirv_refuse(verifier, instruction, "class %u does not belong here",
                            (unsigned)storage);
    }
    if (instruction->operand_count > 1 &&
        spirv_type_of(module, instruction->operands[1]) != pointee) {
        return spirv_refuse(verifier, instruction, "the first value is of another type");
    }
    return spirv_type_opcode(module, pointee) != SPIRV_OP_TYPE_RUNTIME_ARRAY ||
           spirv_refuse(verifier, instruction, "an array without a length is in no block");
}
