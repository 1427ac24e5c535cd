/* The verifier's checks of values: the patterns of the table, and what no pattern can say. */
#include <string.h>

#include "spirv_grammar.h"

/* ---- Patterns ---- */

static int is_shape(spirv_shape shape, uint32_t kind, uint32_t count) {
    return shape.kind == kind && shape.count == count;
}

/* Device, workgroup, subgroup, queue family. */
static int is_scope(const spirv_module *module, uint32_t id) {
    uint32_t value;
    return spirv_constant_value(module, id, &value) &&
           (value == 1 || value == 2 || value == 3 || value == 5);
}

/* One order at most, and which memory it is about. */
static int is_semantics(const spirv_module *module, uint32_t id) {
    enum { ORDERS = 0x1e, KNOWN = 0xffde };
    uint32_t value;
    return spirv_constant_value(module, id, &value) && (value & ~(uint32_t)KNOWN) == 0 &&
           __builtin_popcount(value & (uint32_t)ORDERS) <= 1;
}

static int result_fits(char letter, spirv_shape shape) {
    switch (letter) {
    case 'I': return shape.kind == SPIRV_KIND_INT;
    case 'F': return shape.kind == SPIRV_KIND_FLOAT;
    case 'B': return shape.kind == SPIRV_KIND_BOOL;
    case 'N': return shape.kind != SPIRV_KIND_OTHER;
    case 'u': return is_shape(shape, SPIRV_KIND_INT, 1);
    case 'h': return is_shape(shape, SPIRV_KIND_FLOAT, 1);
    case 'b': return is_shape(shape, SPIRV_KIND_BOOL, 1);
    default: return 1; /* '.' and '-' */
    }
}

static int operand_fits(const spirv_module *module, char letter, uint32_t result_type, uint32_t id,
                        uint32_t before) {
    const uint32_t type = spirv_type_of(module, id);
    const spirv_shape result = spirv_shape_of(module, result_type);
    const spirv_shape shape = spirv_shape_of(module, type);
    switch (letter) {
    case 'I': return is_shape(shape, SPIRV_KIND_INT, result.count) && shape.bits == result.bits;
    case 'F': return is_shape(shape, SPIRV_KIND_FLOAT, result.count) && shape.bits == result.bits;
    case 'B': return is_shape(shape, SPIRV_KIND_BOOL, result.count);
    case 'i': return is_shape(shape, SPIRV_KIND_INT, result.count);
    case 'f': return is_shape(shape, SPIRV_KIND_FLOAT, result.count);
    case 'N': return shape.kind != SPIRV_KIND_OTHER;
    case 'u': return is_shape(shape, SPIRV_KIND_INT, 1);
    case 'h': return is_shape(shape, SPIRV_KIND_FLOAT, 1);
    case 'b': return is_shape(shape, SPIRV_KIND_BOOL, 1);
    case 'w': return shape.kind == SPIRV_KIND_BOOL;
    case '2': return is_shape(shape, SPIRV_KIND_FLOAT, 2);
    case '4': return is_shape(shape, SPIRV_KIND_FLOAT, 4);
    case 'S': return type == result_type;
    case 'p': return spirv_pointee(module, type) == result_type;
    case 'k': return is_scope(module, id);
    case 'K': return is_semantics(module, id);
    case '=': {
        const spirv_shape other = spirv_shape_of(module, spirv_type_of(module, before));
        return shape.kind == other.kind && shape.bits == other.bits && shape.count == other.count;
    }
    default: return 1;
    }
}

/* Operands with a letter; the grammar has seen to it that those are values. */
static int is_value_letter(char letter) {
    return letter == 'v' || letter == 'C' || letter == 'i';
}

/* Subgroups exchange words (other sizes are a feature that is not asked for), among themselves. */
static int check_subgroup(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { FIRST = 333, LAST = 366, SUBGROUP = 3 };
    const uint32_t bits = spirv_shape_of(verifier->module, instruction->type).bits;
    uint32_t scope = 0;
    if (instruction->opcode < FIRST || instruction->opcode > LAST) {
        return 1;
    }
    if (!spirv_constant_value(verifier->module, instruction->operands[0], &scope) ||
        scope != SUBGROUP) {
        return spirv_refuse(verifier, instruction, "the scope is not the subgroup");
    }
    return bits == 1 || bits == 32 ||
           spirv_refuse_module(verifier, TN_UNSUPPORTED,
                               "%s is used with %u bits, subgroups exchange 32",
                               instruction->rule->name, (unsigned)bits);
}

/* Reduce, inclusive and exclusive scan; the fourth takes the size of a cluster. */
int spirv_check_group(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { CLUSTERED = 3 };
    const uint32_t operation = instruction->operands[1];
    return (operation <= CLUSTERED &&
            instruction->operand_count == (operation == CLUSTERED ? 4 : 3)) ||
           spirv_refuse(verifier, instruction, "operation %u is not known", (unsigned)operation);
}

int spirv_check_types(spirv_verifier *verifier, const spirv_instruction *instruction,
                      const char *types) {
    const spirv_module *module = verifier->module;
    const char *letters = instruction->rule->operands;
    uint32_t before = 0;
    if (!check_subgroup(verifier, instruction)) {
        return 0;
    }
    if (!result_fits(*types, spirv_shape_of(module, instruction->type))) {
        return spirv_refuse(verifier, instruction, "cannot give a value of type %u",
                            (unsigned)instruction->type);
    }
    letters += *letters == 't';
    letters += *letters == 'r';
    types++;
    for (uint32_t i = 0; i < instruction->operand_count && *letters != '\0'; letters++) {
        if (*letters == '?') {
            continue;
        }
        const uint32_t id = instruction->operands[i];
        if (is_value_letter(*letters) && *types != '\0') {
            if (!operand_fits(module, *types, instruction->type, id, before)) {
                return spirv_refuse(verifier, instruction, "operand %u (id %u) is of a wrong type",
                                    (unsigned)i, (unsigned)id);
            }
            before = id;
            types++;
        }
        i++;
    }
    return 1;
}

/* ---- Imported sets ---- */

static int check_glsl(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t number = instruction->operands[1];
    const char *types = spirv_glsl_types(number);
    const uint32_t count = instruction->operand_count - 2;
    uint32_t before = 0;
    if (types == NULL || strlen(types) != (size_t)count + 1) {
        return spirv_refuse(verifier, instruction, "GLSL.std.450 has no number %u with %u operands",
                            (unsigned)number, (unsigned)count);
    }
    if (!result_fits(types[0], spirv_shape_of(verifier->module, instruction->type))) {
        return spirv_refuse(verifier, instruction, "number %u cannot give a value of type %u",
                            (unsigned)number, (unsigned)instruction->type);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t id = instruction->operands[2 + i];
        if (spirv_type_of(verifier->module, id) == 0 ||
            !operand_fits(verifier->module, types[1 + i], instruction->type, id, before)) {
            return spirv_refuse(verifier, instruction, "operand %u of number %u is of a wrong type",
                                (unsigned)i, (unsigned)number);
        }
        before = id;
    }
    return 1;
}

int spirv_check_ext_inst(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const char *set = (const char *)(module->words + module->ids[instruction->operands[0]].at + 2);
    if (strcmp(set, "GLSL.std.450") != 0) {
        return 1; /* says nothing to a driver */
    }
    if (verifier->in_function == 0) {
        return spirv_refuse(verifier, instruction, "stands outside a function");
    }
    for (uint32_t i = 2; i < instruction->operand_count; i++) {
        const spirv_id *operand = &module->ids[instruction->operands[i]];
        if (operand->at == 0 ||
            (operand->function != 0 && operand->function != verifier->in_function)) {
            return spirv_refuse(verifier, instruction, "id %u is not defined before it is used",
                                (unsigned)instruction->operands[i]);
        }
    }
    return check_glsl(verifier, instruction);
}

/* ---- Composites ---- */

/* The type that literal indices from `first` on lead to; 0 when one leads nowhere. */
static uint32_t follow(const spirv_module *module, uint32_t type,
                       const spirv_instruction *instruction, uint32_t first) {
    for (uint32_t i = first; i < instruction->operand_count && type != 0; i++) {
        type = spirv_member_type(module, type, instruction->operands[i]);
    }
    return type;
}

int spirv_check_extract(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t whole = spirv_type_of(verifier->module, instruction->operands[0]);
    return follow(verifier->module, whole, instruction, 1) == instruction->type ||
           spirv_refuse(verifier, instruction, "the indices do not lead to type %u",
                        (unsigned)instruction->type);
}

int spirv_check_insert(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    return (spirv_type_of(module, instruction->operands[1]) == instruction->type &&
            follow(module, instruction->type, instruction, 2) ==
                spirv_type_of(module, instruction->operands[0])) ||
           spirv_refuse(verifier, instruction, "the indices do not lead to the part's type");
}

int spirv_check_shuffle(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const spirv_shape result = spirv_shape_of(module, instruction->type);
    const uint32_t types[] = {spirv_type_of(module, instruction->operands[0]),
                              spirv_type_of(module, instruction->operands[1])};
    uint32_t total = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const spirv_shape part = spirv_shape_of(module, types[i]);
        if (spirv_type_opcode(module, types[i]) != SPIRV_OP_TYPE_VECTOR ||
            part.kind != result.kind || part.bits != result.bits) {
            return spirv_refuse(verifier, instruction, "vector %u is of another type", (unsigned)i);
        }
        total += part.count;
    }
    if (instruction->operand_count - 2 != result.count || result.count < 2) {
        return spirv_refuse(verifier, instruction, "expected an index for each component");
    }
    for (uint32_t i = 2; i < instruction->operand_count; i++) {
        if (instruction->operands[i] >= total && instruction->operands[i] != UINT32_MAX) {
            return spirv_refuse(verifier, instruction, "there is no component %u",
                                (unsigned)instruction->operands[i]);
        }
    }
    return 1;
}

int spirv_check_vector_element(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { EXTRACT = 77 };
    const spirv_module *module = verifier->module;
    const uint32_t *operands = instruction->operands;
    const int is_extract = instruction->opcode == EXTRACT;
    const uint32_t vector = spirv_type_of(module, operands[0]);
    const uint32_t index = operands[is_extract ? 1 : 2];
    const uint32_t element = is_extract ? instruction->type : spirv_type_of(module, operands[1]);
    return (spirv_type_opcode(module, vector) == SPIRV_OP_TYPE_VECTOR &&
            spirv_operand(module, vector, 0) == element &&
            (is_extract || vector == instruction->type) &&
            is_shape(spirv_shape_of(module, spirv_type_of(module, index)), SPIRV_KIND_INT, 1)) ||
           spirv_refuse(verifier, instruction, "vector, element and index do not fit");
}

/* ---- Others ---- */

int spirv_check_select(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t *operands = instruction->operands;
    const spirv_shape condition = spirv_shape_of(module, spirv_type_of(module, operands[0]));
    const spirv_shape result = spirv_shape_of(module, instruction->type);
    const int is_whole = condition.count == 1 && module->version >= 0x00010400;
    return (condition.kind == SPIRV_KIND_BOOL && (is_whole || condition.count == result.count) &&
            spirv_type_of(module, operands[1]) == instruction->type &&
            spirv_type_of(module, operands[2]) == instruction->type) ||
           spirv_refuse(verifier, instruction, "condition and values do not fit");
}

/* Bits of a scalar, a vector or a pointer that can be computed with; 0: of nothing such. */
static uint32_t bits_of(const spirv_module *module, uint32_t type) {
    if (spirv_type_opcode(module, type) == SPIRV_OP_TYPE_POINTER) {
        return spirv_operand(module, type, 0) == SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER ? 64 : 0;
    }
    const spirv_shape shape = spirv_shape_of(module, type);
    return shape.kind == SPIRV_KIND_BOOL ? 0 : shape.bits * shape.count;
}

int spirv_check_bitcast(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t bits = bits_of(verifier->module, instruction->type);
    const uint32_t type = spirv_type_of(verifier->module, instruction->operands[0]);
    return (bits != 0 && bits == bits_of(verifier->module, type)) ||
           spirv_refuse(verifier, instruction, "the two types differ in size");
}

/* Rows and columns: a scalar is 1 x 1, a vector a column. */
static int extent_of(const spirv_module *module, uint32_t type, uint32_t *out_rows,
                     uint32_t *out_columns) {
    const int is_matrix = spirv_type_opcode(module, type) == SPIRV_OP_TYPE_MATRIX;
    const spirv_shape column =
        spirv_shape_of(module, is_matrix ? spirv_operand(module, type, 0) : type);
    *out_rows = column.count;
    *out_columns = is_matrix ? spirv_operand(module, type, 1) : 1;
    return column.kind == SPIRV_KIND_FLOAT;
}

int spirv_check_product(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { VECTOR_SCALAR = 142, MATRIX_SCALAR, VECTOR_MATRIX, MATRIX_VECTOR, MATRIX_MATRIX };
    const spirv_module *module = verifier->module;
    uint32_t rows[3], columns[3];
    if (!extent_of(module, instruction->type, &rows[0], &columns[0]) ||
        !extent_of(module, spirv_type_of(module, instruction->operands[0]), &rows[1],
                   &columns[1]) ||
        !extent_of(module, spirv_type_of(module, instruction->operands[1]), &rows[2],
                   &columns[2])) {
        return spirv_refuse(verifier, instruction, "an operand is not of floats");
    }
    int fits;
    switch (instruction->opcode) {
    case VECTOR_SCALAR:
    case MATRIX_SCALAR:
        fits = rows[0] == rows[1] && columns[0] == columns[1] && rows[2] * columns[2] == 1;
        break;
    case VECTOR_MATRIX:
        fits = columns[1] == 1 && rows[1] == rows[2] && rows[0] == columns[2] && columns[0] == 1;
        break;
    case MATRIX_VECTOR:
    case MATRIX_MATRIX:
        fits = columns[1] == rows[2] && rows[0] == rows[1] && columns[0] == columns[2];
        break;
    default: /* outer product */
        fits = columns[1] == 1 && columns[2] == 1 && rows[0] == rows[1] && columns[0] == rows[2];
        break;
    }
    return fits || spirv_refuse(verifier, instruction, "the extents do not fit");
}

int spirv_check_dot(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t type = spirv_type_of(module, instruction->operands[0]);
    return (spirv_type_opcode(module, type) == SPIRV_OP_TYPE_VECTOR &&
            spirv_operand(module, type, 0) == instruction->type &&
            spirv_shape_of(module, type).kind == SPIRV_KIND_FLOAT &&
            type == spirv_type_of(module, instruction->operands[1])) ||
           spirv_refuse(verifier, instruction, "expected two vectors of the result's type");
}

/* The result is a struct of two: low and high part. */
int spirv_check_carry(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t type = spirv_type_of(module, instruction->operands[0]);
    return (spirv_type_opcode(module, instruction->type) == SPIRV_OP_TYPE_STRUCT &&
            spirv_operand_count(module, instruction->type) == 2 &&
            spirv_operand(module, instruction->type, 0) == type &&
            spirv_operand(module, instruction->type, 1) == type &&
            spirv_type_of(module, instruction->operands[1]) == type &&
            spirv_shape_of(module, type).kind == SPIRV_KIND_INT) ||
           spirv_refuse(verifier, instruction, "expected two integers and a pair of their type");
}

int spirv_check_transpose(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const uint32_t type = spirv_type_of(module, instruction->operands[0]);
    uint32_t rows[2], columns[2];
    return (spirv_type_opcode(module, type) == SPIRV_OP_TYPE_MATRIX &&
            spirv_type_opcode(module, instruction->type) == SPIRV_OP_TYPE_MATRIX &&
            extent_of(module, type, &rows[0], &columns[0]) &&
            extent_of(module, instruction->type, &rows[1], &columns[1]) && rows[0] == columns[1] &&
            columns[0] == rows[1]) ||
           spirv_refuse(verifier, instruction, "expected a matrix and its transpose");
}

int spirv_check_integer_dot(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_module *module = verifier->module;
    const spirv_shape result = spirv_shape_of(module, instruction->type);
    const spirv_shape first =
        spirv_shape_of(module, spirv_type_of(module, instruction->operands[0]));
    const spirv_shape second =
        spirv_shape_of(module, spirv_type_of(module, instruction->operands[1]));
    return (is_shape(result, SPIRV_KIND_INT, 1) && first.kind == SPIRV_KIND_INT &&
            second.kind == SPIRV_KIND_INT && first.count == second.count &&
            first.bits == second.bits) ||
           spirv_refuse(verifier, instruction, "expected two vectors of integers");
}
