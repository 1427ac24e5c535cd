/* What an entry point's code touches: buffers, push constants, workgroup memory, the grid. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "spirv_layout.h"

/* A variable that is spoken of, if only for its length. */
enum { TOUCHED = 4, AXIS_Y = 8 };

typedef struct reader {
    spirv_layout layout;
    const spirv_module *module;
    spirv_interface *interface;
    spirv_error *error;
    uint32_t entry_at; /* word of its OpEntryPoint */
    uint32_t *roots;   /* by id: the variable that a pointer leads into; 0: none */
    uint32_t *uses;    /* by id of a variable: TN_ACCESS_… and the bits above */
    uint32_t *waiting; /* functions to be read */
    uint32_t wait_count;
} reader;

__attribute__((format(printf, 3, 4))) static tn_status fail(reader *r, tn_status status,
                                                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
    va_end(arguments);
    return r->error->status = status;
}

/* ---- The entry point ---- */

static tn_status find_entry(reader *r, const char *name) {
    const spirv_module *module = r->module;
    char others[120] = "";
    size_t used = 0;
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (instruction.opcode == SPIRV_OP_ENTRY_POINT) {
            const char *found = (const char *)(instruction.operands + 2);
            if (strcmp(found, name) == 0) {
                r->entry_at = at;
                return TN_OK;
            }
            if (used < sizeof others) {
                used += (size_t)snprintf(others + used, sizeof others - used, "%s'%.40s'",
                                         used > 0 ? ", " : "", found);
            }
        } else if (instruction.opcode == SPIRV_OP_FUNCTION) {
            break;
        }
        at += instruction.count;
    }
    return fail(r, TN_INVALID_ARGUMENT, "module: has no entry point '%.60s', only %s", name,
                others);
}

/* LocalSize of the entry point, unless a constant decorated WorkgroupSize says otherwise. */
static tn_status take_workgroup_size(reader *r) {
    const spirv_module *module = r->module;
    const spirv_facts *facts = r->layout.facts;
    const uint32_t entry = module->words[r->entry_at + 2];
    uint32_t *size = r->interface->workgroup_size;
    int is_said = 0;
    for (uint32_t at = SPIRV_HEADER_WORDS; at < module->count;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        const uint32_t *operands = instruction.operands;
        const int is_literal = instruction.opcode == SPIRV_OP_EXECUTION_MODE;
        if ((is_literal || instruction.opcode == SPIRV_OP_EXECUTION_MODE_ID) &&
            operands[0] == entry && !is_said) {
            for (uint32_t i = 0; i < 3; i++) {
                const uint32_t operand = operands[2 + i];
                const uint32_t id = is_literal || operand >= module->bound ? 0 : operand;
                size[i] = is_literal ? operand : (uint32_t)facts[id].value;
            }
            is_said = 1;
        } else if (spirv_is_constant(instruction.opcode) && instruction.operand_count == 3 &&
                   facts[instruction.result].built_in == SPIRV_BUILT_IN_WORKGROUP_SIZE &&
                   spirv_shape_of(module, instruction.type).count == 3) {
            for (uint32_t i = 0; i < 3; i++) {
                size[i] = (uint32_t)facts[operands[i]].value;
            }
            return TN_OK;
        }
        at += instruction.count;
    }
    return is_said ? TN_OK
                   : fail(r, TN_INVALID_ARGUMENT, "module: the entry point has no LocalSize");
}

/* ---- The code ---- */

static void use(reader *r, uint32_t id, uint32_t how) {
    r->uses[r->roots[id]] |= how | TOUCHED;
}

static void enter(reader *r, uint32_t function) {
    if ((r->uses[function] & TOUCHED) == 0) {
        r->uses[function] |= TOUCHED;
        r->waiting[r->wait_count++] = function;
    }
}

static void read_chain(reader *r, const spirv_instruction *instruction) {
    const uint32_t *operands = instruction->operands;
    const spirv_facts *facts = r->layout.facts;
    r->roots[instruction->result] = r->roots[operands[0]];
    use(r, operands[0],
        instruction->operand_count > 1 && facts[operands[1]].value == 1 ? AXIS_Y : 0);
}

/* A pointer that is chosen, or handed on: it may be read and written from here. */
static void read_handed(reader *r, const spirv_instruction *instruction, uint32_t first) {
    for (uint32_t i = first; i < instruction->operand_count; i++) {
        if (r->roots[instruction->operands[i]] != 0) {
            use(r, instruction->operands[i], TN_ACCESS_READ | TN_ACCESS_WRITE);
        }
    }
}

static void read_instruction(reader *r, const spirv_instruction *instruction) {
    const uint32_t *operands = instruction->operands;
    const spirv_module *module = r->module;
    switch (instruction->opcode) {
    case SPIRV_OP_ACCESS_CHAIN:
    case SPIRV_OP_IN_BOUNDS_ACCESS_CHAIN:
    case SPIRV_OP_PTR_ACCESS_CHAIN:
    case SPIRV_OP_IN_BOUNDS_PTR_ACCESS_CHAIN: read_chain(r, instruction); break;
    case SPIRV_OP_COPY_OBJECT: r->roots[instruction->result] = r->roots[operands[0]]; break;
    case SPIRV_OP_ARRAY_LENGTH: use(r, operands[0], 0); break;
    case SPIRV_OP_LOAD:
        /* The whole of a vector, its y as well. */
        use(r, operands[0],
            TN_ACCESS_READ |
                (spirv_shape_of(module, instruction->type).count > 1 ? (uint32_t)AXIS_Y : 0));
        break;
    case SPIRV_OP_ATOMIC_LOAD:
    case SPIRV_OP_COOPERATIVE_MATRIX_LOAD_KHR:
    case SPIRV_OP_COOPERATIVE_MATRIX_LOAD_NV: use(r, operands[0], TN_ACCESS_READ); break;
    case SPIRV_OP_STORE:
    case SPIRV_OP_ATOMIC_STORE:
    case SPIRV_OP_COOPERATIVE_MATRIX_STORE_KHR:
    case SPIRV_OP_COOPERATIVE_MATRIX_STORE_NV: use(r, operands[0], TN_ACCESS_WRITE); break;
    case SPIRV_OP_COPY_MEMORY:
        use(r, operands[0], TN_ACCESS_WRITE);
        use(r, operands[1], TN_ACCESS_READ);
        break;
    case SPIRV_OP_FUNCTION_CALL:
        enter(r, operands[0]);
        read_handed(r, instruction, 1);
        break;
    case SPIRV_OP_EXT_INST: read_handed(r, instruction, 2); break;
    case SPIRV_OP_PHI:
    case SPIRV_OP_SELECT: read_handed(r, instruction, 0); break;
    default:
        if (instruction->opcode > SPIRV_OP_ATOMIC_STORE &&
            instruction->opcode <= SPIRV_OP_ATOMIC_XOR) {
            use(r, operands[0], TN_ACCESS_READ | TN_ACCESS_WRITE);
        }
        break;
    }
}

static void read_function(reader *r, uint32_t function) {
    const spirv_module *module = r->module;
    for (uint32_t at = module->ids[function].at;;) {
        const spirv_instruction instruction = spirv_decode(module, at);
        if (instruction.opcode == SPIRV_OP_FUNCTION_END) {
            return;
        }
        if (instruction.opcode != SPIRV_OP_FUNCTION && instruction.opcode != SPIRV_OP_LABEL) {
            read_instruction(r, &instruction);
        }
        at += instruction.count;
    }
}

static void read_code(reader *r) {
    const spirv_module *module = r->module;
    for (uint32_t id = 0; id < module->bound; id++) {
        if (module->ids[id].opcode == SPIRV_OP_VARIABLE && module->ids[id].function == 0) {
            r->roots[id] = id;
        }
    }
    enter(r, module->words[r->entry_at + 2]);
    while (r->wait_count > 0) {
        read_function(r, r->waiting[--r->wait_count]);
    }
}

/* ---- Variables ---- */

static tn_status take_buffer(reader *r, uint32_t id) {
    const spirv_facts *facts = &r->layout.facts[id];
    spirv_interface *interface = r->interface;
    if (facts->set != 0 || facts->binding >= SPIRV_MAX_BINDINGS) {
        return fail(r, TN_INVALID_ARGUMENT,
                    "module: a buffer is in set %d at binding %d, expected set 0 and a binding "
                    "below %d",
                    (int)facts->set, (int)facts->binding, (int)SPIRV_MAX_BINDINGS);
    }
    if (facts->binding >= interface->binding_end) {
        interface->binding_end = facts->binding + 1;
    }
    interface->access[facts->binding] |= r->uses[id] & (TN_ACCESS_READ | TN_ACCESS_WRITE);
    return TN_OK;
}

static tn_status take_block(reader *r, uint32_t id, uint32_t storage, uint32_t block) {
    const spirv_facts *facts = &r->layout.facts[block];
    if (spirv_type_opcode(r->module, block) != SPIRV_OP_TYPE_STRUCT) {
        return fail(r, TN_UNSUPPORTED,
                    "module: variable %u is an array of buffers, bindings are single ones",
                    (unsigned)id);
    }
    if (storage == SPIRV_CLASS_UNIFORM && !facts->is_buffer_block) {
        return fail(r, TN_UNSUPPORTED,
                    "module: variable %u is a uniform block: kernels take storage buffers and "
                    "push constants",
                    (unsigned)id);
    }
    if (storage != SPIRV_CLASS_UNIFORM && !facts->is_block) {
        return fail(r, TN_INVALID_ARGUMENT, "module: the type of variable %u is no Block",
                    (unsigned)id);
    }
    if (!facts->is_laid_out) {
        return fail(r, TN_INVALID_ARGUMENT,
                    "module: the block of variable %u has members or arrays without a place",
                    (unsigned)id);
    }
    return TN_OK;
}

static tn_status take_push(reader *r, uint32_t id, uint32_t block) {
    const uint64_t size = (r->layout.facts[block].size + 3) / 4 * 4;
    spirv_interface *interface = r->interface;
    if (size == 0 || size > UINT32_MAX || interface->push_size != 0) {
        return fail(r, TN_INVALID_ARGUMENT,
                    "module: variable %u is a second or an empty push constant block",
                    (unsigned)id);
    }
    interface->push_size = (uint32_t)size;
    return TN_OK;
}

static tn_status take_variable(reader *r, uint32_t id) {
    const spirv_module *module = r->module;
    const uint32_t storage = spirv_operand(module, id, 0);
    const uint32_t type = spirv_pointee(module, module->ids[id].type);
    const spirv_facts *facts = &r->layout.facts[type];
    switch (storage) {
    case SPIRV_CLASS_WORKGROUP: r->interface->shared_bytes += facts->natural; return TN_OK;
    case SPIRV_CLASS_INPUT:
        return r->layout.facts[id].built_in != SPIRV_NOT_SAID
                   ? TN_OK
                   : fail(r, TN_INVALID_ARGUMENT,
                          "module: variable %u is an input that nothing gives", (unsigned)id);
    case SPIRV_CLASS_UNIFORM:
    case SPIRV_CLASS_STORAGE_BUFFER:
        TN_TRY(take_block(r, id, storage, type));
        return take_buffer(r, id);
    case SPIRV_CLASS_PUSH_CONSTANT:
        TN_TRY(take_block(r, id, storage, type));
        return take_push(r, id, type);
    default: return TN_OK;
    }
}

/* A grid that is folded into more axes is counted right by a kernel that looks at all of it. */
static void take_grid(reader *r, uint32_t id, uint32_t *reads) {
    const uint32_t uses = r->uses[id];
    switch (r->layout.facts[id].built_in) {
    case SPIRV_BUILT_IN_NUM_WORKGROUPS: *reads |= 1; break;
    case SPIRV_BUILT_IN_WORKGROUP_ID:
    case SPIRV_BUILT_IN_GLOBAL_INVOCATION_ID: *reads |= (uses & AXIS_Y) != 0 ? 2u : 0; break;
    default: break;
    }
}

static tn_status take_variables(reader *r) {
    const spirv_module *module = r->module;
    uint32_t reads = 0;
    for (uint32_t id = 0; id < module->bound; id++) {
        if (r->roots[id] == id && id != 0 && (r->uses[id] & TOUCHED) != 0) {
            TN_TRY(take_variable(r, id));
            take_grid(r, id, &reads);
        }
    }
    r->interface->reads_grid = reads == 3;
    return TN_OK;
}

/* A constant is given as 32 bits: one of another size would take its neighbours for a part. */
static tn_status check_specializations(reader *r, const tn_specialization *given, uint32_t count) {
    const spirv_module *module = r->module;
    for (uint32_t id = 0; id < module->bound; id++) {
        const uint32_t bits = spirv_shape_of(module, module->ids[id].type).bits;
        for (uint32_t i = 0; i < count; i++) {
            if (r->layout.facts[id].spec_id == given[i].id && bits != 1 && bits != 32) {
                return fail(r, TN_UNSUPPORTED,
                            "module: specialization constant %u has %u bits, expected 32",
                            (unsigned)given[i].id, (unsigned)bits);
            }
        }
    }
    return TN_OK;
}

tn_status spirv_reflect(const spirv_module *module, const char *entry_point,
                        const tn_specialization *specializations, uint32_t count,
                        spirv_interface *out_interface, spirv_error *out_error) {
    reader r = {.module = module, .interface = out_interface, .error = out_error};
    *out_interface = (spirv_interface){0};
    *out_error = (spirv_error){.status = TN_OK};
    uint32_t *numbers = calloc(module->bound, 3 * sizeof *numbers);
    tn_status status = TN_OK;
    if (!spirv_layout_init(&r.layout, module, specializations, count) || numbers == NULL) {
        status =
            fail(&r, TN_OUT_OF_MEMORY, "module: no memory for its %u ids", (unsigned)module->bound);
    } else {
        r.roots = numbers;
        r.uses = numbers + module->bound;
        r.waiting = numbers + (size_t)module->bound * 2;
        status = find_entry(&r, entry_point);
    }
    if (status == TN_OK) {
        status = check_specializations(&r, specializations, count);
    }
    if (status == TN_OK) {
        status = take_workgroup_size(&r);
    }
    if (status == TN_OK) {
        read_code(&r);
        status = take_variables(&r);
    }
    spirv_layout_finish(&r.layout);
    free(numbers);
    return status;
}
