/* One walk over the decorations, one over types and constants: sizes, values, bindings. */
#include "spirv_layout.h"

#include <stdlib.h>

/* Sizes beyond it are all the same: no device has as much. */
static const uint64_t huge = (uint64_t)1 << 48;

static uint64_t add(uint64_t a, uint64_t b) {
    return a + b < huge ? a + b : huge;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    return a == 0 || b <= huge / a ? a * b : huge;
}

/* ---- Decorations ---- */

static void take_decoration(spirv_facts *facts, const spirv_instruction *instruction) {
    const uint32_t value = instruction->operand_count > 2 ? instruction->operands[2] : 0;
    switch (instruction->operands[1]) {
    case SPIRV_DECORATION_SPEC_ID: facts->spec_id = value; break;
    case SPIRV_DECORATION_BLOCK: facts->is_block = 1; break;
    case SPIRV_DECORATION_BUFFER_BLOCK: facts->is_buffer_block = 1; break;
    case SPIRV_DECORATION_ARRAY_STRIDE: facts->stride = value; break;
    case SPIRV_DECORATION_BUILT_IN: facts->built_in = value; break;
    case SPIRV_DECORATION_BINDING: facts->binding = value; break;
    case SPIRV_DECORATION_DESCRIPTOR_SET: facts->set = value; break;
    default: break;
    }
}

static void take_member(spirv_layout *layout, const spirv_instruction *instruction) {
    const uint32_t type = instruction->operands[0], member = instruction->operands[1];
    if (instruction->operands[2] == SPIRV_DECORATION_OFFSET && instruction->operand_count > 3 &&
        spirv_type_opcode(layout->module, type) == SPIRV_OP_TYPE_STRUCT &&
        member < spirv_operand_count(layout->module, type)) {
        layout->offsets[layout->module->ids[type].at + 2 + member] = instruction->operands[3];
    }
}

static void take_decorations(spirv_layout *layout) {
    const spirv_module *module = layout->module;
    for (uint32_t id = 0; id < module->bound; id++) {
        spirv_facts *facts = &layout->facts[id];
        facts->set = facts->binding = facts->built_in = facts->spec_id = SPIRV_NOT_SAID;
    }
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (instruction.opcode == SPIRV_OP_DECORATE) {
            take_decoration(&layout->facts[instruction.operands[0]], &instruction);
        } else if (instruction.opcode == SPIRV_OP_MEMBER_DECORATE) {
            take_member(layout, &instruction);
        } else if (instruction.opcode == SPIRV_OP_FUNCTION) {
            break;
        }
        at += instruction.count;
    }
}

/* ---- Constants ---- */

static uint64_t narrow(uint64_t value, uint32_t bits) {
    return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static int64_t with_sign(uint64_t value, uint32_t bits) {
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((narrow(value, bits) ^ sign) - sign);
}

/* Division by zero is undefined in SPIR-V; here it gives 0. INT64_MIN / -1 overflows as it does on
 * a device. */
static uint64_t divide(uint32_t opcode, uint64_t a, uint64_t b, uint32_t bits) {
    const int64_t x = with_sign(a, bits), y = with_sign(b, bits);
    if (b == 0) {
        return 0;
    }
    switch (opcode) {
    case SPIRV_OP_UDIV: return a / b;
    case SPIRV_OP_UMOD: return a % b;
    case SPIRV_OP_SDIV: return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
    case SPIRV_OP_SREM: return y == -1 ? 0 : (uint64_t)(x % y);
    default: { /* SMod: the sign of the divisor */
        const int64_t rest = y == -1 ? 0 : x % y;
        return (uint64_t)(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
    }
}

static uint64_t compare(uint32_t opcode, uint64_t a, uint64_t b, uint32_t bits) {
    const int64_t x = with_sign(a, bits), y = with_sign(b, bits);
    switch (opcode) {
    case SPIRV_OP_LOGICAL_EQUAL:
    case SPIRV_OP_IEQUAL: return a == b;
    case SPIRV_OP_LOGICAL_NOT_EQUAL:
    case SPIRV_OP_INOT_EQUAL: return a != b;
    case SPIRV_OP_LOGICAL_OR: return a != 0 || b != 0;
    case SPIRV_OP_LOGICAL_AND: return a != 0 && b != 0;
    case SPIRV_OP_UGREATER_THAN: return a > b;
    case SPIRV_OP_SGREATER_THAN: return x > y;
    case SPIRV_OP_UGREATER_THAN_EQUAL: return a >= b;
    case SPIRV_OP_SGREATER_THAN_EQUAL: return x >= y;
    case SPIRV_OP_ULESS_THAN: return a < b;
    case SPIRV_OP_SLESS_THAN: return x < y;
    case SPIRV_OP_ULESS_THAN_EQUAL: return a <= b;
    default: return x <= y;
    }
}

static uint64_t shift(uint32_t opcode, uint64_t a, uint64_t by, uint32_t bits) {
    if (by >= bits) {
        return 0;
    }
    switch (opcode) {
    case SPIRV_OP_SHIFT_RIGHT_LOGICAL: return a >> by;
    case SPIRV_OP_SHIFT_RIGHT_ARITHMETIC: return (uint64_t)(with_sign(a, bits) >> by);
    default: return a << by;
    }
}

static uint64_t compute(uint32_t opcode, const uint64_t *v, uint32_t bits) {
    switch (opcode) {
    case SPIRV_OP_UCONVERT: return v[0];
    case SPIRV_OP_SCONVERT: return (uint64_t)with_sign(v[0], bits);
    case SPIRV_OP_SNEGATE: return 0 - v[0];
    case SPIRV_OP_IADD: return v[0] + v[1];
    case SPIRV_OP_ISUB: return v[0] - v[1];
    case SPIRV_OP_IMUL: return v[0] * v[1];
    case SPIRV_OP_LOGICAL_NOT: return v[0] == 0;
    case SPIRV_OP_SELECT: return v[0] != 0 ? v[1] : v[2];
    case SPIRV_OP_BITWISE_OR: return v[0] | v[1];
    case SPIRV_OP_BITWISE_XOR: return v[0] ^ v[1];
    case SPIRV_OP_BITWISE_AND: return v[0] & v[1];
    case SPIRV_OP_NOT: return ~v[0];
    default: break;
    }
    if (opcode >= SPIRV_OP_UDIV && opcode <= SPIRV_OP_SMOD) {
        return divide(opcode, v[0], v[1], bits);
    }
    if (opcode >= SPIRV_OP_SHIFT_RIGHT_LOGICAL && opcode <= SPIRV_OP_SHIFT_LEFT_LOGICAL) {
        return shift(opcode, v[0], v[1], bits);
    }
    return compare(opcode, v[0], v[1], bits);
}

/* Bits of an integer type; 1 of a boolean and of what has no value here. */
static uint32_t bits_of(const spirv_module *module, uint32_t type) {
    const spirv_shape shape = spirv_shape_of(module, type);
    return shape.bits > 0 ? shape.bits : 1;
}

/* A part of a composite constant; parts of what is all zeros, or not said, are 0. */
static uint64_t part_value(const spirv_layout *layout, const spirv_instruction *instruction) {
    const spirv_module *module = layout->module;
    uint32_t id = instruction->operands[1];
    for (uint32_t i = 2; i < instruction->operand_count; i++) {
        const uint32_t opcode = module->ids[id].opcode;
        if (opcode != SPIRV_OP_CONSTANT_COMPOSITE && opcode != SPIRV_OP_SPEC_CONSTANT_COMPOSITE) {
            return 0;
        }
        id = spirv_operand(module, id, instruction->operands[i]);
    }
    return layout->facts[id].value;
}

static uint64_t compute_op(const spirv_layout *layout, const spirv_instruction *instruction) {
    uint64_t values[3] = {0, 0, 0};
    if (instruction->operands[0] == SPIRV_OP_COMPOSITE_EXTRACT) {
        return part_value(layout, instruction);
    }
    uint32_t bits = bits_of(layout->module, instruction->type);
    for (uint32_t i = 1; i < instruction->operand_count && i <= 3; i++) {
        values[i - 1] = layout->facts[instruction->operands[i]].value;
    }
    /* Comparisons and conversions go by the size of what they take. */
    const uint32_t opcode = instruction->operands[0];
    if (opcode == SPIRV_OP_SCONVERT ||
        (opcode >= SPIRV_OP_IEQUAL && opcode <= SPIRV_OP_SLESS_THAN_EQUAL)) {
        bits = bits_of(layout->module, spirv_type_of(layout->module, instruction->operands[1]));
    }
    return compute(opcode, values, bits);
}

static uint64_t value_of(const spirv_layout *layout, const spirv_instruction *instruction,
                         const tn_specialization *specializations, uint32_t count) {
    const uint32_t spec_id = layout->facts[instruction->result].spec_id;
    uint64_t value = 0;
    switch (instruction->opcode) {
    case SPIRV_OP_CONSTANT_TRUE:
    case SPIRV_OP_SPEC_CONSTANT_TRUE: value = 1; break;
    case SPIRV_OP_CONSTANT:
    case SPIRV_OP_SPEC_CONSTANT:
        value = instruction->operands[0];
        value |= instruction->operand_count > 1 ? (uint64_t)instruction->operands[1] << 32 : 0;
        break;
    case SPIRV_OP_SPEC_CONSTANT_OP: value = compute_op(layout, instruction); break;
    default: break;
    }
    for (uint32_t i = 0; i < count && spec_id != SPIRV_NOT_SAID; i++) {
        if (specializations[i].id == spec_id) {
            value = specializations[i].value;
        }
    }
    return narrow(value, bits_of(layout->module, instruction->type));
}

/* ---- Types ---- */

static void lay_out_struct(const spirv_layout *layout, const spirv_instruction *instruction,
                           spirv_facts *facts) {
    facts->align = 1;
    facts->is_laid_out = 1;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const spirv_facts *member = &layout->facts[instruction->operands[i]];
        const uint32_t offset = layout->offsets[instruction->at + 2 + i];
        const uint64_t end = add(offset == SPIRV_NOT_SAID ? 0 : offset, member->size);
        const uint64_t align = member->align > 0 ? member->align : 1;
        facts->is_laid_out &=
            member->is_laid_out && offset != SPIRV_NOT_SAID && offset % align == 0;
        facts->size = end > facts->size ? end : facts->size;
        facts->natural = add((facts->natural + align - 1) / align * align, member->natural);
        facts->align = member->align > facts->align ? member->align : facts->align;
    }
}

/* Elements lie beside one another, each where it can be read. Arrays without a length end where
 * the buffer does, and have no size. */
static uint32_t has_stride(const spirv_facts *array, const spirv_facts *element) {
    return element->is_laid_out && array->stride >= element->size && array->stride > 0 &&
           element->align > 0 && array->stride % element->align == 0;
}

static void lay_out(const spirv_layout *layout, const spirv_instruction *instruction,
                    spirv_facts *facts) {
    const spirv_facts *element = instruction->operand_count > 0 &&
                                         instruction->opcode != SPIRV_OP_TYPE_INT &&
                                         instruction->opcode != SPIRV_OP_TYPE_FLOAT &&
                                         instruction->opcode != SPIRV_OP_TYPE_POINTER
                                     ? &layout->facts[instruction->operands[0]]
                                     : facts;
    uint64_t length;
    facts->align = element->align;
    facts->is_laid_out = 1;
    switch (instruction->opcode) {
    case SPIRV_OP_TYPE_BOOL: facts->size = facts->natural = facts->align = 4; break;
    case SPIRV_OP_TYPE_INT:
    case SPIRV_OP_TYPE_FLOAT:
        facts->align = instruction->operands[0] / 8;
        facts->size = facts->natural = facts->align;
        break;
    case SPIRV_OP_TYPE_VECTOR:
    case SPIRV_OP_TYPE_MATRIX:
        facts->size = multiply(element->size, instruction->operands[1]);
        facts->natural = facts->size;
        break;
    case SPIRV_OP_TYPE_ARRAY:
        length = layout->facts[instruction->operands[1]].value;
        facts->size = multiply(facts->stride > 0 ? facts->stride : element->size, length);
        facts->natural = multiply(element->natural, length);
        facts->is_laid_out = has_stride(facts, element);
        break;
    case SPIRV_OP_TYPE_RUNTIME_ARRAY: facts->is_laid_out = has_stride(facts, element); break;
    case SPIRV_OP_TYPE_STRUCT: lay_out_struct(layout, instruction, facts); break;
    case SPIRV_OP_TYPE_POINTER: facts->size = facts->natural = facts->align = 8; break;
    default: break;
    }
}

/* ---- The whole ---- */

int spirv_layout_init(spirv_layout *layout, const spirv_module *module,
                      const tn_specialization *specializations, uint32_t count) {
    *layout = (spirv_layout){.module = module};
    layout->facts = calloc(module->bound, sizeof *layout->facts);
    layout->offsets = malloc(module->count * sizeof *layout->offsets);
    if (layout->facts == NULL || layout->offsets == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < module->count; i++) {
        layout->offsets[i] = SPIRV_NOT_SAID;
    }
    take_decorations(layout);
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (instruction.opcode == SPIRV_OP_FUNCTION) {
            break;
        }
        spirv_facts *facts = &layout->facts[instruction.result];
        if (spirv_is_type(instruction.opcode)) {
            lay_out(layout, &instruction, facts);
        } else if (spirv_is_constant(instruction.opcode)) {
            facts->value = value_of(layout, &instruction, specializations, count);
        }
        at += instruction.count;
    }
    return 1;
}

void spirv_layout_finish(spirv_layout *layout) {
    free(layout->facts);
    free(layout->offsets);
}
