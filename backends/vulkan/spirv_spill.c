/*
 * Push constants that do not fit are read from a storage buffer instead. Both kinds of block follow
 * the same rules of layout, so that nothing but the storage class changes: in the variable and in
 * every type of pointer to the block or a part of it.
 */
#include <stdlib.h>
#include <string.h>

#include "spirv_check.h"

/* "SPV_KHR_storage_buffer_storage_class" as an instruction, for SPIR-V before 1.3. */
static const char extension[] = "SPV_KHR_storage_buffer_storage_class";
enum { EXTENSION_WORDS = 1 + sizeof extension / 4 + 1 };
enum { DECORATION_WORDS = 4 + 4 + 3 };

static uint32_t *put(uint32_t *to, const uint32_t *words, uint32_t count) {
    memcpy(to, words, count * sizeof *words);
    return to + count;
}

static uint32_t *put_extension(uint32_t *to) {
    memset(to, 0, EXTENSION_WORDS * sizeof *to);
    to[0] = (uint32_t)EXTENSION_WORDS << 16 | SPIRV_OP_EXTENSION;
    memcpy(to + 1, extension, sizeof extension);
    return to + EXTENSION_WORDS;
}

static uint32_t *put_decorations(uint32_t *to, uint32_t variable, uint32_t binding) {
    const uint32_t words[DECORATION_WORDS] = {
        4u << 16 | SPIRV_OP_DECORATE, variable, SPIRV_DECORATION_DESCRIPTOR_SET, 0,
        4u << 16 | SPIRV_OP_DECORATE, variable, SPIRV_DECORATION_BINDING,        binding,
        3u << 16 | SPIRV_OP_DECORATE, variable, SPIRV_DECORATION_NON_WRITABLE,
    };
    return put(to, words, DECORATION_WORDS);
}

static int is_push_variable(const spirv_module *module, uint32_t id) {
    return module->ids[id].opcode == SPIRV_OP_VARIABLE &&
           spirv_operand(module, id, 0) == SPIRV_CLASS_PUSH_CONSTANT;
}

static uint32_t *put_all_decorations(uint32_t *to, const spirv_module *module, uint32_t binding) {
    for (uint32_t id = 0; id < module->bound; id++) {
        if (is_push_variable(module, id)) {
            to = put_decorations(to, id, binding);
        }
    }
    return to;
}

static uint32_t variable_count(const spirv_module *module) {
    uint32_t count = 0;
    for (uint32_t id = 0; id < module->bound; id++) {
        count += is_push_variable(module, id) ? 1 : 0;
    }
    return count;
}

/* Copies an instruction, with the storage class changed where it is said. */
static uint32_t *put_instruction(uint32_t *to, const spirv_instruction *instruction) {
    uint32_t *end = put(to, instruction->words, instruction->count);
    uint32_t *storage = NULL;
    if (instruction->opcode == SPIRV_OP_TYPE_POINTER) {
        storage = to + 2;
    } else if (instruction->opcode == SPIRV_OP_VARIABLE) {
        storage = to + 3;
    }
    if (storage != NULL && *storage == SPIRV_CLASS_PUSH_CONSTANT) {
        *storage = SPIRV_CLASS_STORAGE_BUFFER;
    }
    return end;
}

uint32_t *spirv_spill_push(const spirv_module *module, uint32_t binding, uint32_t *out_count) {
    const size_t variables = variable_count(module);
    uint32_t *words =
        malloc((module->count + EXTENSION_WORDS + variables * DECORATION_WORDS) * sizeof *words);
    int is_annotated = 0, is_extended = module->version >= 0x00010300;
    if (words == NULL) {
        return NULL;
    }
    uint32_t *to = put(words, module->words, SPIRV_HEADER_WORDS);
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (!is_extended && instruction.opcode != SPIRV_OP_CAPABILITY) {
            to = put_extension(to);
            is_extended = 1;
        }
        if (!is_annotated && spirv_is_type(instruction.opcode)) {
            to = put_all_decorations(to, module, binding);
            is_annotated = 1;
        }
        to = put_instruction(to, &instruction);
        at += instruction.count;
    }
    *out_count = (uint32_t)(to - words);
    return words;
}
