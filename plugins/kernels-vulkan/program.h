/*
 * What a node becomes: a program, a fixed list of launches. All that a launch needs but for the
 * memory is known once the types are, so prepare writes the program down and one run function
 * serves all kernels:
 *
 *     static tn_status prepare(tn_prepare_call *call) {
 *         device_program *program;
 *         TN_TRY(program_create(call, &program));
 *         const struct { uint32_t count; float slope; } push = {…};
 *         program_add(program, &(program_launch){
 *             .shader = SHADER_OF(leaky, dtype), .invocations = count,
 *             .bindings = {bind_input(call, 0), bind_output(call, 0)}, PROGRAM_PUSH(push)});
 *         return program_finish(program, call);
 *     }
 *
 * A failure is kept in the program and told by program_finish, which then frees it.
 *
 * Launches run in the order they were added, and each sees what those before it wrote.
 */
#ifndef KERNELS_VULKAN_PROGRAM_H
#define KERNELS_VULKAN_PROGRAM_H

#include <tenon/plugin.h>

#define SHADER_MAX_BINDINGS 8
#define SHADER_MAX_PUSH 128

/* A module of shader_code.c, which the build makes of the shaders. The entry point is "main". */
typedef struct shader_code {
    const char *name;
    const uint32_t *words;
    uint64_t size; /* bytes */
    uint32_t binding_count;
    uint32_t access[SHADER_MAX_BINDINGS]; /* TN_ACCESS_… */
    uint32_t push_size;
    uint32_t workgroup_size[3];
} shader_code;

enum { BOUND_INPUT, BOUND_OUTPUT, BOUND_WORKSPACE };

/* Part of an input, an output or the workspace. */
typedef struct program_binding {
    uint32_t kind; /* BOUND_… */
    uint32_t index;
    uint64_t offset; /* bytes, a multiple of the device's binding_alignment; 256 always is */
    uint64_t size;
} program_binding;

/* A whole input, output; some of the workspace. What is bound must have a size: an operator with
 * an empty input binds something else in its place, see bind_input_or. */
program_binding bind_input(const tn_prepare_call *call, uint32_t input);
program_binding bind_output(const tn_prepare_call *call, uint32_t output);
program_binding bind_workspace(uint64_t offset, uint64_t size);
/* The input, or `otherwise` when the input is absent, not given or empty. */
program_binding bind_input_or(const tn_prepare_call *call, uint32_t input,
                              program_binding otherwise);

typedef struct device_program device_program;

typedef struct program_launch {
    const shader_code *shader;
    /* How many invocations, or how many workgroups, counted in one number: the grid is folded where
     * it passes the device's limits, so that the shader finds its number with flat_invocation() or
     * flat_group() of common.glsl and returns when that is beyond the end. 0 of both: `groups`. */
    uint64_t invocations;
    uint64_t workgroups;
    uint32_t groups[3];
    program_binding bindings[SHADER_MAX_BINDINGS]; /* as many as the shader has */
    const void *push;
    uint32_t push_size; /* must be the shader's */
    uint32_t specialization_count;
    const tn_specialization *specializations;
    uint32_t subgroup_size; /* 0: any */
} program_launch;

/* Fields of program_launch. */
#define PROGRAM_PUSH(OBJECT) .push = &(OBJECT), .push_size = (uint32_t)sizeof(OBJECT)
#define PROGRAM_CONSTANTS(ARRAY)                                                                   \
    .specializations = (ARRAY),                                                                    \
    .specialization_count = (uint32_t)(sizeof(ARRAY) / sizeof((ARRAY)[0]))

tn_status program_create(const tn_prepare_call *call, device_program **out_program);

/* What the device can do. */
const tn_device_limits *program_limits(const device_program *program);

/* A part of the workspace, which begins at a multiple of 256. */
program_binding program_reserve(device_program *program, uint64_t size);

void program_add(device_program *program, const program_launch *launch);

/* Keeps a failure that prepare found itself. */
void program_fail(device_program *program, tn_status status);

/* Sets the call's state and workspace_size, or frees the program and returns what went wrong. */
tn_status program_finish(device_program *program, tn_prepare_call *call);

/* The functions of every kernel. */
tn_status program_run(const tn_run_call *call);
void program_release(const tn_host *host, void *state);

/* The loops that an invocation may do when the device names no limit of its own: long reductions
 * are shared out so that they stay below it on any device. */
#define PROGRAM_MAX_LOOPS 60000u

#endif
