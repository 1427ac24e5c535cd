/*
 * The instructions that the verifier knows, as a table: what their operands are and how the types
 * of their values hang together. An opcode that is not in it is refused.
 */
#ifndef TENON_BACKENDS_VULKAN_SPIRV_GRAMMAR_H
#define TENON_BACKENDS_VULKAN_SPIRV_GRAMMAR_H

#include <stdint.h>

#include "spirv_check.h"

/* Parts of a module, in the order the specification lays down. */
enum spirv_section {
    SPIRV_SECTION_CAPABILITY,
    SPIRV_SECTION_EXTENSION,
    SPIRV_SECTION_IMPORT,
    SPIRV_SECTION_MEMORY_MODEL,
    SPIRV_SECTION_ENTRY,
    SPIRV_SECTION_MODE,
    SPIRV_SECTION_SOURCE,
    SPIRV_SECTION_NAME,
    SPIRV_SECTION_PROCESSED,
    SPIRV_SECTION_ANNOTATION,
    SPIRV_SECTION_TYPE,
    SPIRV_SECTION_FUNCTION,
    SPIRV_SECTION_ANY, /* of types or functions; the table alone uses it */
};

/*
 * `operands`, a letter for each:
 *   t  the result's type         r  the result
 *   v  a value                   C  a constant
 *   T  a type                    F  a function         L  a label
 *   i  any id                    x  an imported set of instructions
 *   n  a literal word            s  a literal text     m  memory operands
 *   ?  what follows may be absent, all or from any letter on
 *   *  what follows is repeated until the end
 *   $  `check` looks at the rest itself
 *
 * `types`, one letter for the result ('-': none) and one for each v, read by spirv_check_types:
 *   I F B  integers, floats, booleans with as many components (and, for I and F, bits) as the
 *          result has; as the result itself: a scalar or vector of those
 *   i f    the same with other bits
 *   N      a scalar or vector of any of the three
 *   u h b  a scalar integer, float, boolean
 *   w      a scalar or vector of booleans of its own size
 *   S      of the result's very type
 *   =      of the same shape as the operand before
 *   p      a pointer to the result's type
 *   k K    a constant: a scope, memory semantics
 *   2 4    a vector of as many floats
 *   .      anything
 */
typedef struct spirv_rule {
    uint32_t opcode;
    uint32_t section;
    const char *name;
    const char *operands;
    const char *types;       /* NULL: `check` alone */
    spirv_check_call *check; /* NULL: `types` alone */
} spirv_rule;

/* NULL when it is not known. */
const spirv_rule *spirv_rule_find(uint32_t opcode);

/* The `types` of an instruction of the set GLSL.std.450; NULL when it is not known. */
const char *spirv_glsl_types(uint32_t instruction);

#endif
