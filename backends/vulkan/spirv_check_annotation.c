/*
 * The verifier's checks of what is said about ids before they are defined: decorations, members,
 * the variables of an entry point. Made when the whole module has been read.
 */
#include "spirv_grammar.h"

/* What a decoration may be put on. */
enum {
    ON_MEMBER = 1,
    ON_STRUCT = 2,
    ON_ARRAY = 4, /* or a pointer */
    ON_VARIABLE = 8,
    ON_CONSTANT = 16, /* that is specialised */
    ON_VALUE = 32,    /* any other */
};

typedef struct decoration_row {
    uint32_t decoration;
    uint32_t words; /* that follow */
    uint32_t targets;
} decoration_row;

static const decoration_row rows[] = {
    {0, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE | ON_CONSTANT}, /* RelaxedPrecision */
    {1, 1, ON_CONSTANT},                                      /* SpecId */
    {2, 0, ON_STRUCT},                                        /* Block */
    {3, 0, ON_STRUCT},                                        /* BufferBlock */
    {4, 0, ON_MEMBER},                                        /* RowMajor */
    {5, 0, ON_MEMBER},                                        /* ColMajor */
    {6, 1, ON_ARRAY},                                         /* ArrayStride */
    {7, 1, ON_MEMBER},                                        /* MatrixStride */
    {11, 1, ON_VARIABLE | ON_VALUE | ON_CONSTANT},            /* BuiltIn */
    {19, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE},              /* Restrict */
    {20, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE},              /* Aliased */
    {21, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE},              /* Volatile */
    {23, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE},              /* Coherent */
    {24, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE},              /* NonWritable */
    {25, 0, ON_MEMBER | ON_VARIABLE | ON_VALUE},              /* NonReadable */
    {33, 1, ON_VARIABLE},                                     /* Binding */
    {34, 1, ON_VARIABLE},                                     /* DescriptorSet */
    {35, 1, ON_MEMBER},                                       /* Offset */
    {42, 0, ON_VALUE},                                        /* NoContraction */
    {4469, 0, ON_VALUE},                                      /* NoSignedWrap */
    {4470, 0, ON_VALUE},                                      /* NoUnsignedWrap */
    {5355, 0, ON_VARIABLE | ON_VALUE},                        /* RestrictPointer */
    {5356, 0, ON_VARIABLE | ON_VALUE},                        /* AliasedPointer */
};

static const decoration_row *find_row(uint32_t decoration) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].decoration == decoration) {
            return &rows[i];
        }
    }
    return NULL;
}

static uint32_t target_kind(const spirv_id *target) {
    switch (target->opcode) {
    case SPIRV_OP_TYPE_STRUCT: return ON_STRUCT;
    case SPIRV_OP_TYPE_ARRAY:
    case SPIRV_OP_TYPE_RUNTIME_ARRAY:
    case SPIRV_OP_TYPE_POINTER: return ON_ARRAY;
    case SPIRV_OP_VARIABLE: return ON_VARIABLE;
    case SPIRV_OP_SPEC_CONSTANT_TRUE:
    case SPIRV_OP_SPEC_CONSTANT_FALSE:
    case SPIRV_OP_SPEC_CONSTANT: return ON_CONSTANT;
    default: return target->type != 0 ? (uint32_t)ON_VALUE : 0;
    }
}

/* Numbers that a compute shader is given, and what they look like: words in a vector of `count`. */
static int is_built_in(const spirv_module *module, const spirv_id *target, uint32_t number) {
    const uint32_t pointee = spirv_pointee(module, target->type);
    const spirv_shape shape = spirv_shape_of(module, pointee != 0 ? pointee : target->type);
    uint32_t count;
    switch (number) {
    case 24: /* NumWorkgroups */
    case SPIRV_BUILT_IN_WORKGROUP_SIZE:
    case 26:                   /* WorkgroupId */
    case 27:                   /* LocalInvocationId */
    case 28: count = 3; break; /* GlobalInvocationId */
    case 29:                   /* LocalInvocationIndex */
    case 36:                   /* SubgroupSize */
    case 38:                   /* NumSubgroups */
    case 40:                   /* SubgroupId */
    case 41: count = 1; break; /* SubgroupLocalInvocationId */
    case 4416:                 /* SubgroupEqMask, …GeMask, …GtMask, …LeMask, …LtMask */
    case 4417:
    case 4418:
    case 4419:
    case 4420: count = 4; break;
    default: return 0;
    }
    const int is_constant = number == SPIRV_BUILT_IN_WORKGROUP_SIZE;
    return shape.kind == SPIRV_KIND_INT && shape.bits == 32 && shape.count == count &&
           (is_constant ? spirv_is_constant(target->opcode) : target->opcode == SPIRV_OP_VARIABLE);
}

static int check_decorate(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const spirv_id *target = &module->ids[instruction->operands[0]];
    const uint32_t decoration = instruction->operands[1];
    const decoration_row *row = find_row(decoration);
    if (row == NULL || instruction->operand_count != 2 + row->words) {
        return spirv_refuse(verifier, instruction, "decoration %u with %u words is not known",
                            (unsigned)decoration, (unsigned)instruction->operand_count - 2);
    }
    if (target->at == 0 || (row->targets & target_kind(target)) == 0) {
        return spirv_refuse(verifier, instruction, "decoration %u does not belong on id %u",
                            (unsigned)decoration, (unsigned)instruction->operands[0]);
    }
    return decoration != SPIRV_DECORATION_BUILT_IN ||
           is_built_in(module, target, instruction->operands[2]) ||
           spirv_refuse(verifier, instruction, "id %u is not what built-in %u is",
                        (unsigned)instruction->operands[0], (unsigned)instruction->operands[2]);
}

static int check_member(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t type = instruction->operands[0];
    return (spirv_type_opcode(module, type) == SPIRV_OP_TYPE_STRUCT &&
            instruction->operands[1] < spirv_operand_count(module, type)) ||
           spirv_refuse(verifier, instruction, "id %u has no member %u", (unsigned)type,
                        (unsigned)instruction->operands[1]);
}

static int check_member_decorate(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const decoration_row *row = find_row(instruction->operands[2]);
    if (row == NULL || (row->targets & ON_MEMBER) == 0 ||
        instruction->operand_count != 3 + row->words) {
        return spirv_refuse(verifier, instruction, "decoration %u with %u words is not a member's",
                            (unsigned)instruction->operands[2],
                            (unsigned)instruction->operand_count - 3);
    }
    return check_member(verifier, instruction);
}

static int check_entry_variables(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    uint32_t i = 2;
    while ((instruction->operands[i] & 0xff000000u) != 0) { /* the name ends in a zero byte */
        i++;
    }
    for (i++; i < instruction->operand_count; i++) {
        const uint32_t id = instruction->operands[i];
        if (module->ids[id].opcode != SPIRV_OP_VARIABLE || module->ids[id].function != 0) {
            return spirv_refuse(verifier, instruction, "id %u is not a variable of the module",
                                (unsigned)id);
        }
    }
    return 1;
}

int spirv_check_annotation(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { STRING = 7 };
    switch (instruction->opcode) {
    case SPIRV_OP_DECORATE: return check_decorate(verifier, instruction);
    case SPIRV_OP_MEMBER_DECORATE: return check_member_decorate(verifier, instruction);
    case SPIRV_OP_MEMBER_NAME: return check_member(verifier, instruction);
    case SPIRV_OP_ENTRY_POINT: return check_entry_variables(verifier, instruction);
    case SPIRV_OP_LINE:
        return verifier->module->ids[instruction->operands[0]].opcode == STRING ||
               spirv_refuse(verifier, instruction, "id %u is not a text",
                            (unsigned)instruction->operands[0]);
    default: return 1;
    }
}
