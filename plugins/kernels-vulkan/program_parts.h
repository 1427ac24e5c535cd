/* The insides of a program. */
#ifndef KERNELS_VULKAN_PROGRAM_PARTS_H
#define KERNELS_VULKAN_PROGRAM_PARTS_H

#include "program.h"

#define PROGRAM_MAX_CONSTANTS 24

/* A device kernel that launches of one shader with the same constants share. */
typedef struct program_kernel {
    const shader_code *shader;
    tn_device_kernel *kernel;
    uint32_t constant_count;
    tn_specialization constants[PROGRAM_MAX_CONSTANTS];
} program_kernel;

typedef struct program_step {
    tn_device_kernel *kernel;
    uint32_t groups[3];
    uint32_t binding_count;
    uint32_t push_size;
    program_binding bindings[SHADER_MAX_BINDINGS];
    uint32_t push[SHADER_MAX_PUSH / 4];
} program_step;

/* An array that grows. */
typedef struct program_array {
    void *items;
    uint32_t count;
    uint32_t capacity;
} program_array;

struct device_program {
    const tn_host *host;
    const tn_memory_service *memory;
    const tn_dispatch_service *dispatch;
    tn_device *device;
    tn_device_limits limits;
    tn_status status; /* the first failure */
    uint64_t workspace_size;
    program_array kernels; /* of program_kernel */
    program_array steps;   /* of program_step */
};

#endif
