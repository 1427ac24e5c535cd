/*
 * What of a device is used: each feature can be there or not, and TENON_VK_DISABLE or the option
 * `disable` takes it away by its name, so that every fallback can be tested on every machine.
 */
#ifndef TENON_BACKENDS_VULKAN_FEATURE_H
#define TENON_BACKENDS_VULKAN_FEATURE_H

#include <stdint.h>

/* X(NAME, name) */
#define VULKAN_FEATURE_LIST(X)                                                                     \
    X(PUSH_DESCRIPTOR, push_descriptor)                                                            \
    X(SUBGROUP_SIZE_CONTROL, subgroup_size_control) /* required size and full subgroups */         \
    X(FLOAT16, float16)                             /* arithmetic */                               \
    X(FLOAT64, float64)                                                                            \
    X(INT8, int8)                                                                                  \
    X(INT16, int16)                                                                                \
    X(INT64, int64)                                                                                \
    X(STORAGE8, storage8)   /* 8-bit elements in storage buffers */                                \
    X(STORAGE16, storage16) /* 16-bit elements in storage buffers */                               \
    X(MEMORY_MODEL, memory_model)                                                                  \
    X(COOPERATIVE_MATRIX, cooperative_matrix)       /* KHR */                                      \
    X(COOPERATIVE_MATRIX_NV, cooperative_matrix_nv) /* the older one */                            \
    X(DEVICE_ADDRESS, device_address)                                                              \
    X(INTEGER_DOT, integer_dot)                                                                    \
    X(PIPELINE_CACHE, pipeline_cache) /* on disk */                                                \
    X(MEMORY_BUDGET, memory_budget)                                                                \
    X(DEDICATED, dedicated)     /* say which buffer a large allocation is for */                   \
    X(UNIFIED, unified)         /* all memory is the host's too */                                 \
    X(REBAR, rebar)             /* the host writes device memory */                                \
    X(HOST_IMPORT, host_import) /* the device reads the host's own pages */                        \
    X(COHERENT, coherent)       /* mapped memory needs no flushing */                              \
    X(TIMESTAMPS, timestamps)                                                                      \
    X(SEVERAL_QUEUES, several_queues) /* streams run beside one another */                         \
    X(TRANSFER_QUEUE, transfer_queue) /* a family for copies alone */                              \
    X(KERNEL_COPY, kernel_copy)       /* large copies by a compute kernel */                       \
    X(DEVICE_FAULT, device_fault)

enum {
#define VULKAN_FEATURE_NUMBER(NAME, name) VULKAN_FEATURE_##NAME,
    VULKAN_FEATURE_LIST(VULKAN_FEATURE_NUMBER)
#undef VULKAN_FEATURE_NUMBER
        VULKAN_FEATURE_COUNT
};

/* A set of features. */
typedef uint64_t vulkan_features;

enum vulkan_feature_bit {
    VULKAN_FEATURE_BITS_FIT = 1 / (VULKAN_FEATURE_COUNT <= 64),
};

/* VULKAN_HAS(device->features, PUSH_DESCRIPTOR) */
#define VULKAN_BIT(NAME) ((vulkan_features)1 << VULKAN_FEATURE_##NAME)
#define VULKAN_HAS(set, NAME) (((set)&VULKAN_BIT(NAME)) != 0)

#endif
