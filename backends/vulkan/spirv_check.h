/* The verifier from inside: one instruction taken apart, and the checks of the grammar's table. */
#ifndef TENON_BACKENDS_VULKAN_SPIRV_CHECK_H
#define TENON_BACKENDS_VULKAN_SPIRV_CHECK_H

#include "spirv.h"
#include "spirv_numbers.h"

struct spirv_rule;

typedef struct spirv_instruction {
    const struct spirv_rule *rule;
    const uint32_t *words; /* the first is opcode and count */
    uint32_t at;           /* word of the module */
    uint32_t count;
    uint32_t opcode;
    uint32_t type;            /* 0: none */
    uint32_t result;          /* 0: none */
    const uint32_t *operands; /* after type and result */
    uint32_t operand_count;
} spirv_instruction;

typedef struct spirv_verifier {
    const spirv_environment *environment;
    spirv_module *module;
    spirv_error *error;
    uint32_t section;
    uint32_t memory_models;
    uint32_t has_shader;          /* capability */
    uint32_t subgroup_operations; /* of capabilities: bits as in spirv_environment */
    vulkan_features declared;     /* what capabilities need */
    uint32_t entry_points;
    uint32_t functions;   /* seen */
    uint32_t in_function; /* number, 0: between functions */
    uint32_t in_block;    /* its label's id, 0: between blocks */
    uint32_t blocks;      /* of the function, seen */
    uint32_t function_at; /* word of its OpFunction */
    uint32_t function_type;
    uint32_t parameters;    /* of the function that are still to come */
    uint32_t merge_before;  /* the instruction before was a merge */
    uint32_t phi_allowed;   /* nothing but phis so far in the block */
    vulkan_features widths; /* types that capabilities allow: FLOAT16, INT8, … */
} spirv_verifier;

/* True when it is right; otherwise the error is worded. */
typedef int spirv_check_call(spirv_verifier *verifier, const spirv_instruction *instruction);

/* Words the error "module: word 12: OpIAdd: …" and is 0. */
__attribute__((format(printf, 3, 4))) int spirv_refuse(spirv_verifier *verifier,
                                                       const spirv_instruction *instruction,
                                                       const char *format, ...);
/* Words "module: …" with a status and is 0. */
__attribute__((format(printf, 3, 4))) int spirv_refuse_module(spirv_verifier *verifier,
                                                              tn_status status, const char *format,
                                                              ...);

/* The instruction at a word of a module, which lies in bounds. */
spirv_instruction spirv_decode(const spirv_module *module, uint32_t at);

/* A scalar or vector type: its component and how many. */
enum spirv_kind { SPIRV_KIND_OTHER, SPIRV_KIND_BOOL, SPIRV_KIND_INT, SPIRV_KIND_FLOAT };

typedef struct spirv_shape {
    uint32_t kind;
    uint32_t bits;
    uint32_t count; /* 1: a scalar */
} spirv_shape;

enum { SPIRV_COUNT_MATRIX = 1 << 16 }; /* `count` of a cooperative matrix */

/* The type's opcode; 0 when `id` is not a type. */
uint32_t spirv_type_opcode(const spirv_module *module, uint32_t id);
/* The n-th operand of the instruction that defines `id`, after type and result. */
uint32_t spirv_operand(const spirv_module *module, uint32_t id, uint32_t n);
uint32_t spirv_operand_count(const spirv_module *module, uint32_t id);
spirv_shape spirv_shape_of(const spirv_module *module, uint32_t type);
uint32_t spirv_type_of(const spirv_module *module, uint32_t value);
/* The type that a pointer type points to; 0 when it is none. */
uint32_t spirv_pointee(const spirv_module *module, uint32_t type);
int spirv_is_type(uint32_t opcode);
int spirv_is_constant(uint32_t opcode);
/* A constant that is not specialised, of at most 32 bits. */
int spirv_constant_value(const spirv_module *module, uint32_t id, uint32_t *out_value);
/* The type of a part of a composite type; 0 when there is none. `index` counts. */
uint32_t spirv_member_type(const spirv_module *module, uint32_t type, uint32_t index);

/* By the table's `types`. */
int spirv_check_types(spirv_verifier *verifier, const spirv_instruction *instruction,
                      const char *types);

/* Of the table; in the files spirv_check_….c. */
spirv_check_call spirv_check_capability, spirv_check_extension, spirv_check_import,
    spirv_check_memory_model, spirv_check_entry_point, spirv_check_mode;
spirv_check_call spirv_check_int, spirv_check_float, spirv_check_vector, spirv_check_matrix,
    spirv_check_array, spirv_check_struct, spirv_check_pointer, spirv_check_function_type,
    spirv_check_cooperative;
spirv_check_call spirv_check_bool_constant, spirv_check_constant, spirv_check_composite,
    spirv_check_constant_op, spirv_check_variable;
spirv_check_call spirv_check_load, spirv_check_store, spirv_check_copy_memory, spirv_check_chain,
    spirv_check_array_length;
spirv_check_call spirv_check_extract, spirv_check_insert, spirv_check_shuffle,
    spirv_check_vector_element, spirv_check_select, spirv_check_bitcast, spirv_check_product,
    spirv_check_dot, spirv_check_carry, spirv_check_transpose, spirv_check_ext_inst,
    spirv_check_atomic_store, spirv_check_integer_dot, spirv_check_cooperative_use,
    spirv_check_pointer_result;
spirv_check_call spirv_check_group, spirv_check_merge, spirv_check_function, spirv_check_parameter,
    spirv_check_condition, spirv_check_switch, spirv_check_return, spirv_check_return_value;

/* What is said of ids that are defined later, once all are. spirv_check_annotation.c. */
spirv_check_call spirv_check_annotation;

/* The arguments of an OpFunctionCall, once all functions are known. */
spirv_check_call spirv_check_arguments;

/* A finished function: values are used where they are defined on every path, and branches go where
 * the structure allows. spirv_flow.c. */
int spirv_check_flow(spirv_verifier *verifier, uint32_t end);

/* Functions call one another in no circle, and not so often that a driver which puts them in line
 * would never end. spirv_function.c. */
int spirv_check_call_graph(spirv_verifier *verifier);

/* What a capability needs of a device. spirv_capability.c. */
int spirv_capability_allowed(spirv_verifier *verifier, uint32_t capability);
int spirv_extension_allowed(const char *name);
/* That a capability was declared which allows the instruction. */
spirv_check_call spirv_check_declared;

#endif
