/*
 * The verifier's walk: header, lengths, the order of sections, operands by the grammar, every id
 * defined once and before it is used, functions made of blocks. What an instruction means is
 * checked by the functions that the grammar names.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv_grammar.h"

int spirv_refuse_module(spirv_verifier *verifier, tn_status status, const char *format, ...) {
    va_list arguments;
    int used = snprintf(verifier->error->text, sizeof verifier->error->text, "module: ");
    va_start(arguments, format);
    vsnprintf(verifier->error->text + used, sizeof verifier->error->text - (size_t)used, format,
              arguments);
    va_end(arguments);
    verifier->error->status = status;
    return 0;
}

int spirv_refuse(spirv_verifier *verifier, const spirv_instruction *instruction, const char *format,
                 ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT, "word %u: %s: %s",
                               (unsigned)instruction->at, instruction->rule->name, text);
}

/* ---- Operands ---- */

static int check_defined(spirv_verifier *verifier, const spirv_instruction *instruction,
                         uint32_t id) {
    const spirv_module *module = verifier->module;
    const spirv_id *defined = &module->ids[id < module->bound ? id : 0];
    if (defined->at == 0) {
        return spirv_refuse(verifier, instruction, "id %u is not defined before it is used",
                            (unsigned)id);
    }
    if (defined->function != 0 && defined->function != verifier->in_function) {
        return spirv_refuse(verifier, instruction, "id %u belongs to another function",
                            (unsigned)id);
    }
    return 1;
}

static int check_value(spirv_verifier *verifier, const spirv_instruction *instruction,
                       uint32_t id) {
    if (!check_defined(verifier, instruction, id)) {
        return 0;
    }
    const spirv_id *defined = &verifier->module->ids[id];
    if (defined->type == 0 || defined->opcode == SPIRV_OP_FUNCTION ||
        spirv_type_opcode(verifier->module, defined->type) == SPIRV_OP_TYPE_VOID) {
        return spirv_refuse(verifier, instruction, "id %u is not a value", (unsigned)id);
    }
    return 1;
}

static int check_id(spirv_verifier *verifier, const spirv_instruction *instruction, char letter,
                    uint32_t id) {
    const spirv_module *module = verifier->module;
    if (id == 0 || id >= module->bound) {
        return spirv_refuse(verifier, instruction, "id %u is not within the bound %u", (unsigned)id,
                            (unsigned)module->bound);
    }
    const uint32_t opcode = module->ids[id].opcode;
    switch (letter) {
    case 'v': return check_value(verifier, instruction, id);
    case 'C':
        return check_value(verifier, instruction, id) &&
               (spirv_is_constant(opcode) ||
                spirv_refuse(verifier, instruction, "id %u is not a constant", (unsigned)id));
    case 'T':
        return check_defined(verifier, instruction, id) &&
               (spirv_is_type(opcode) ||
                spirv_refuse(verifier, instruction, "id %u is not a type", (unsigned)id));
    case 'x':
        return opcode == SPIRV_OP_EXT_INST_IMPORT ||
               spirv_refuse(verifier, instruction, "id %u is not an imported set", (unsigned)id);
    default: return 1; /* labels, functions and names may come later */
    }
}

/* Words that a text takes; 0 when it does not end. */
static uint32_t text_words(const uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = words[i];
        if ((word & 0xff000000u) == 0 || (word & 0xff0000u) == 0 || (word & 0xff00u) == 0 ||
            (word & 0xffu) == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Memory operands: a mask, then what its bits ask for. 0 when they do not fit. */
static uint32_t memory_words(spirv_verifier *verifier, const spirv_instruction *instruction,
                             const uint32_t *words, uint32_t count) {
    enum { ALIGNED = 2, MAKE_AVAILABLE = 8, MAKE_VISIBLE = 16, KNOWN = 63 };
    const uint32_t mask = words[0];
    uint32_t used = 1;
    if ((mask & ~(uint32_t)KNOWN) != 0) {
        return 0;
    }
    if ((mask & ALIGNED) != 0) {
        if (used >= count || words[used] == 0 || (words[used] & (words[used] - 1)) != 0) {
            return 0;
        }
        used++;
    }
    for (uint32_t bit = MAKE_AVAILABLE; bit <= MAKE_VISIBLE; bit *= 2) {
        if ((mask & bit) != 0) {
            if (used >= count || !check_id(verifier, instruction, 'C', words[used])) {
                return 0;
            }
            used++;
        }
    }
    return used;
}

/* Words that one operand takes; 0 when it is wrong. */
static uint32_t operand_words(spirv_verifier *verifier, const spirv_instruction *instruction,
                              char letter, const uint32_t *words, uint32_t count) {
    switch (letter) {
    case 'n': return 1;
    case 's': return text_words(words, count);
    case 'm': return memory_words(verifier, instruction, words, count);
    default: return check_id(verifier, instruction, letter, words[0]) ? 1 : 0;
    }
}

static int check_operands(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const char *letter = instruction->rule->operands;
    const char *repeat = NULL;
    uint32_t used = 1;
    int may_end = 0;
    letter += *letter == 't';
    letter += *letter == 'r';
    used = (uint32_t)(instruction->operands - instruction->words);
    for (; *letter != '\0' || repeat != NULL; letter++) {
        if (*letter == '$') {
            return 1;
        }
        if (*letter == '?') {
            may_end = 1;
            continue;
        }
        if (*letter == '*') {
            repeat = letter + 1;
            continue;
        }
        const int at_repeat = repeat != NULL && (*letter == '\0' || letter == repeat);
        if (used >= instruction->count && (may_end || at_repeat)) {
            return 1;
        }
        if (*letter == '\0') {
            letter = repeat;
        }
        const uint32_t words =
            used < instruction->count
                ? operand_words(verifier, instruction, *letter, instruction->words + used,
                                instruction->count - used)
                : 0;
        if (words == 0) {
            return verifier->error->status == TN_OK
                       ? spirv_refuse(verifier, instruction,
                                      "operand at word %u is wrong or missing", (unsigned)used)
                       : 0;
        }
        used += words;
    }
    return used == instruction->count || spirv_refuse(verifier, instruction, "%u words too many",
                                                      (unsigned)(instruction->count - used));
}

/* ---- Results ---- */

static int check_result_type(spirv_verifier *verifier, const spirv_instruction *instruction) {
    return instruction->rule->operands[0] != 't' ||
           check_id(verifier, instruction, 'T', instruction->type);
}

static int define(spirv_verifier *verifier, const spirv_instruction *instruction) {
    spirv_module *module = verifier->module;
    const uint32_t id = instruction->result;
    if (strchr(instruction->rule->operands, 'r') == NULL) {
        return 1;
    }
    if (id == 0 || id >= module->bound) {
        return spirv_refuse(verifier, instruction, "result id %u is not within the bound %u",
                            (unsigned)id, (unsigned)module->bound);
    }
    if (module->ids[id].at != 0) {
        return spirv_refuse(verifier, instruction, "id %u is defined twice", (unsigned)id);
    }
    module->ids[id] = (spirv_id){
        .at = instruction->at,
        .type = instruction->type,
        .function = instruction->opcode == SPIRV_OP_FUNCTION ? 0 : verifier->in_function,
        .block = verifier->blocks > 0 ? verifier->blocks - 1 : 0,
        .opcode = instruction->opcode,
    };
    return 1;
}

/* ---- Sections, functions and blocks ---- */

static int check_section(spirv_verifier *verifier, const spirv_instruction *instruction) {
    uint32_t section = instruction->rule->section;
    if (section == SPIRV_SECTION_ANY) {
        if (instruction->opcode == SPIRV_OP_NOP || instruction->opcode == SPIRV_OP_LINE ||
            instruction->opcode == SPIRV_OP_NO_LINE) {
            return 1;
        }
        section = verifier->in_function != 0 ? SPIRV_SECTION_FUNCTION : SPIRV_SECTION_TYPE;
    }
    if (section < verifier->section) {
        return spirv_refuse(verifier, instruction, "stands after the section it belongs to");
    }
    verifier->section = section;
    return 1;
}

static int is_terminator(uint32_t opcode) {
    return opcode >= SPIRV_OP_BRANCH && opcode <= SPIRV_OP_UNREACHABLE;
}

static int enter_function(spirv_verifier *verifier, const spirv_instruction *instruction) {
    if (verifier->in_function != 0) {
        return spirv_refuse(verifier, instruction, "stands inside a function");
    }
    verifier->in_function = ++verifier->functions;
    verifier->function_at = instruction->at;
    verifier->blocks = 0;
    return 1;
}

static int leave_function(spirv_verifier *verifier, const spirv_instruction *instruction) {
    if (verifier->in_function == 0 || verifier->in_block != 0 || verifier->parameters != 0 ||
        verifier->blocks == 0) {
        return spirv_refuse(verifier, instruction, "stands where no function can end");
    }
    if (!spirv_check_flow(verifier, instruction->at)) {
        return 0;
    }
    verifier->in_function = 0;
    return 1;
}

static int enter_block(spirv_verifier *verifier, const spirv_instruction *instruction) {
    if (verifier->in_function == 0 || verifier->in_block != 0 || verifier->parameters != 0) {
        return spirv_refuse(verifier, instruction, "a block begins before the last one ended");
    }
    verifier->in_block = instruction->result;
    verifier->blocks++;
    verifier->phi_allowed = 1;
    return 1;
}

static int check_in_block(spirv_verifier *verifier, const spirv_instruction *instruction) {
    if (verifier->in_block == 0) {
        return spirv_refuse(verifier, instruction, "stands outside a block");
    }
    const uint32_t opcode = instruction->opcode;
    if (verifier->merge_before && opcode != SPIRV_OP_BRANCH &&
        opcode != SPIRV_OP_BRANCH_CONDITIONAL && opcode != SPIRV_OP_SWITCH) {
        return spirv_refuse(verifier, instruction, "follows a merge instruction");
    }
    verifier->merge_before = opcode == SPIRV_OP_LOOP_MERGE || opcode == SPIRV_OP_SELECTION_MERGE;
    verifier->phi_allowed = verifier->phi_allowed && opcode == SPIRV_OP_PHI;
    if (opcode == SPIRV_OP_PHI && !verifier->phi_allowed) {
        return spirv_refuse(verifier, instruction, "does not stand at the beginning of its block");
    }
    if (is_terminator(opcode)) {
        verifier->in_block = 0;
    }
    return 1;
}

static int check_place(spirv_verifier *verifier, const spirv_instruction *instruction) {
    switch (instruction->opcode) {
    case SPIRV_OP_NOP:
    case SPIRV_OP_LINE:
    case SPIRV_OP_NO_LINE: return 1;
    case SPIRV_OP_FUNCTION: return enter_function(verifier, instruction);
    case SPIRV_OP_FUNCTION_END: return leave_function(verifier, instruction);
    case SPIRV_OP_LABEL: return enter_block(verifier, instruction);
    case SPIRV_OP_FUNCTION_PARAMETER:
        return (verifier->parameters-- > 0 && verifier->in_function != 0) ||
               spirv_refuse(verifier, instruction, "the function's type has no such parameter");
    default:
        return verifier->section != SPIRV_SECTION_FUNCTION || check_in_block(verifier, instruction);
    }
}

/* ---- The walk ---- */

static int check_instruction(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const spirv_rule *rule = instruction->rule;
    if (!check_section(verifier, instruction) || !check_result_type(verifier, instruction) ||
        !check_place(verifier, instruction) || !spirv_check_declared(verifier, instruction) ||
        !check_operands(verifier, instruction) ||
        (rule->types != NULL && !spirv_check_types(verifier, instruction, rule->types)) ||
        (rule->check != NULL && !rule->check(verifier, instruction)) ||
        !define(verifier, instruction)) {
        return 0;
    }
    return 1;
}

static int check_body(spirv_verifier *verifier) {
    const spirv_module *module = verifier->module;
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (instruction.rule == NULL) {
            return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                       "word %u: instruction %u is not one that compute kernels "
                                       "over buffers need",
                                       (unsigned)at, (unsigned)instruction.opcode);
        }
        if (instruction.count == 0 || instruction.count > module->count - at) {
            return spirv_refuse(verifier, &instruction, "has %u words, %u are left",
                                (unsigned)instruction.count, (unsigned)(module->count - at));
        }
        if (!check_instruction(verifier, &instruction)) {
            return 0;
        }
        at += instruction.count;
    }
    if (verifier->in_function != 0) {
        return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT, "ends inside a function");
    }
    if (verifier->memory_models != 1 || verifier->entry_points == 0) {
        return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                   "has %u memory models and %u entry points, expected one and at "
                                   "least one",
                                   (unsigned)verifier->memory_models,
                                   (unsigned)verifier->entry_points);
    }
    return 1;
}

/* What may be named before it is defined: functions and what decorations speak of. */
static int check_late_ids(spirv_verifier *verifier) {
    const spirv_module *module = verifier->module;
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        uint32_t function = 0;
        switch (instruction.opcode) {
        case SPIRV_OP_ENTRY_POINT: function = instruction.operands[1]; break;
        case SPIRV_OP_EXECUTION_MODE:
        case SPIRV_OP_EXECUTION_MODE_ID:
        case SPIRV_OP_FUNCTION_CALL: function = instruction.operands[0]; break;
        default: break;
        }
        if (function != 0 && module->ids[function].opcode != SPIRV_OP_FUNCTION) {
            return spirv_refuse(verifier, &instruction, "id %u is not a function",
                                (unsigned)function);
        }
        if (!spirv_check_annotation(verifier, &instruction)) {
            return 0;
        }
        if (instruction.opcode == SPIRV_OP_FUNCTION_CALL &&
            !spirv_check_arguments(verifier, &instruction)) {
            return 0;
        }
        if (instruction.opcode == SPIRV_OP_ENTRY_POINT &&
            spirv_operand_count(module, spirv_operand(module, function, 1)) != 1) {
            return spirv_refuse(verifier, &instruction, "function %u has parameters",
                                (unsigned)function);
        }
        at += instruction.count;
    }
    return 1;
}

static int check_header(spirv_verifier *verifier) {
    spirv_module *module = verifier->module;
    const uint32_t most = verifier->environment->max_version;
    module->version = module->words[1];
    module->bound = module->words[3];
    if ((module->version & 0xff0000ffu) != 0 || module->version < 0x00010000 ||
        module->version > most) {
        return spirv_refuse_module(
            verifier, TN_UNSUPPORTED, "is SPIR-V %u.%u, the device takes 1.0 to %u.%u",
            (unsigned)(module->version >> 16 & 0xffff), (unsigned)(module->version >> 8 & 0xff),
            (unsigned)(most >> 16), (unsigned)(most >> 8 & 0xff));
    }
    /* Ids may have gaps, but a table of them is not to dwarf the module. */
    if (module->bound == 0 || module->bound > SPIRV_MAX_BOUND ||
        module->bound / 16 > module->count + 64) {
        return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                   "the bound of its ids is %u, which its %u words cannot need",
                                   (unsigned)module->bound, (unsigned)module->count);
    }
    if (module->words[4] != 0) {
        return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                   "the header's reserved word is not 0");
    }
    module->ids = calloc(module->bound, sizeof *module->ids);
    return module->ids != NULL ||
           spirv_refuse_module(verifier, TN_OUT_OF_MEMORY, "no memory for a table of %u ids",
                               (unsigned)module->bound);
}

/* Before any memory is taken. */
static int check_size(spirv_verifier *verifier, const void *code, uint64_t size) {
    uint32_t magic = 0;
    if (code == NULL || size % 4 != 0 || size < SPIRV_HEADER_WORDS * 4 || size > SPIRV_MAX_BYTES) {
        return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                   "%llu bytes are not SPIR-V: expected words, a header of 20 "
                                   "bytes, at most %u MiB",
                                   (unsigned long long)size, (unsigned)SPIRV_MAX_BYTES >> 20);
    }
    memcpy(&magic, code, sizeof magic);
    if (magic == 0x03022307) {
        return spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                   "its words are big-endian, expected little-endian");
    }
    return magic == SPIRV_MAGIC || spirv_refuse_module(verifier, TN_INVALID_ARGUMENT,
                                                       "begins with 0x%08x, SPIR-V with 0x%08x",
                                                       (unsigned)magic, (unsigned)SPIRV_MAGIC);
}

static int take_copy(spirv_verifier *verifier, const void *code, uint64_t size) {
    spirv_module *module = calloc(1, sizeof *module);
    uint32_t *words = malloc(size);
    verifier->module = module;
    if (module == NULL || words == NULL) {
        free(words);
        return spirv_refuse_module(verifier, TN_OUT_OF_MEMORY, "no memory for its %llu bytes",
                                   (unsigned long long)size);
    }
    memcpy(words, code, size);
    module->words = words;
    module->count = (uint32_t)(size / 4);
    return 1;
}

spirv_module *spirv_verify(const void *code, uint64_t size, const spirv_environment *environment,
                           spirv_error *out_error) {
    spirv_verifier verifier = {.environment = environment, .error = out_error};
    *out_error = (spirv_error){.status = TN_OK};
    if (!check_size(&verifier, code, size)) {
        return NULL;
    }
    if (!take_copy(&verifier, code, size) || !check_header(&verifier) || !check_body(&verifier) ||
        !check_late_ids(&verifier) || !spirv_check_call_graph(&verifier)) {
        spirv_module_destroy(verifier.module);
        return NULL;
    }
    return verifier.module;
}
