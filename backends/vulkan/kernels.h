/*
 * The kernels' side of a device: modules, kernels and their layouts, descriptor pools, push data
 * that does not fit, the cache of pipelines. What the rest of the backend sees of it is in
 * backend.h.
 *
 * One lock guards the lists; nothing is compiled and no other lock is taken while it is held, and
 * it may be taken with a stream's retire lock held.
 */
#ifndef TENON_BACKENDS_VULKAN_KERNELS_H
#define TENON_BACKENDS_VULKAN_KERNELS_H

#include "backend.h"
#include "spirv.h"

/* Push data of a kernel, however little of it the device takes as push constants. */
enum { VULKAN_MAX_PUSH_SIZE = 4096 };

typedef struct vulkan_module {
    vulkan_device *device;
    spirv_module *code;
    atomic_uint references; /* the host's one and each kernel's */
} vulkan_module;

void vulkan_module_release(vulkan_module *module);

/* ---- Layouts: pipeline_layout.c ---- */

/* What kernels with as many bindings and as much push data share. Lives as long as the device. */
typedef struct vulkan_layout {
    struct vulkan_layout *next;
    uint32_t binding_count; /* in set 0, storage buffers all */
    uint32_t push_size;     /* bytes of push constants */
    uint32_t is_pushed;     /* by push descriptors; else by sets from pools */
    uint32_t reserved;
    VkDescriptorSetLayout set; /* VK_NULL_HANDLE: no bindings */
    VkPipelineLayout handle;
} vulkan_layout;

tn_status vulkan_layout_find(vulkan_device *device, uint32_t binding_count, uint32_t push_size,
                             const vulkan_layout **out_layout);

/* ---- Kernels: kernel.c, pipeline.c ---- */

enum vulkan_kernel_state { VULKAN_KERNEL_MADE, VULKAN_KERNEL_READY };

typedef struct vulkan_kernel {
    struct vulkan_kernel *next;
    vulkan_device *device;
    uint32_t references; /* under the lock: the host's, and command buffers' */
    uint32_t state;      /* under the lock */

    /* The key. */
    vulkan_module *module;
    char *entry_point;
    tn_specialization *specializations;
    uint32_t specialization_count;
    uint32_t subgroup_size; /* required; 0: any */
    uint32_t binding_count; /* of the caller's */
    uint32_t push_size;     /* of the caller's */
    uint32_t workgroup_size[3];
    uint32_t access[SPIRV_MAX_BINDINGS]; /* as declared */

    uint32_t pushed_size; /* of push_size: what goes into push constants */
    uint32_t is_spilled;  /* push data lies in a buffer at binding `binding_count` */
    uint32_t folds;       /* a grid may be folded into more axes */
    const vulkan_layout *layout;
    VkPipeline pipeline;
    atomic_ullong commands; /* the last command buffer that took a reference */
} vulkan_kernel;

/* Bindings that a kernel may have. */
uint32_t vulkan_max_bindings(const vulkan_device *device);

/* Makes kernel->pipeline. */
tn_status vulkan_pipeline_create(vulkan_kernel *kernel);

void vulkan_kernel_retain(vulkan_kernel *kernel);
void vulkan_kernel_release(vulkan_kernel *kernel);

/* Groups that are too many for axis x spread over y and z: exactly as many. 0: it cannot be. */
int vulkan_fold_groups(uint32_t groups[3], const uint32_t limits[3]);

/* ---- Descriptor sets: descriptor.c; push data in a buffer: push_ring.c ---- */

typedef struct vulkan_descriptor_pool {
    struct vulkan_descriptor_pool *next;
    VkDescriptorPool handle;
    uint32_t sets_left;
    uint32_t descriptors_left;
} vulkan_descriptor_pool;

typedef struct vulkan_push_chunk {
    struct vulkan_push_chunk *next;
    vulkan_buffer *buffer;
    uint64_t used;
} vulkan_push_chunk;

/* What is current in a stream's command buffer: all of it is forgotten with the next one. */
typedef struct vulkan_stream_kernels {
    uint64_t commands; /* number of that command buffer */
    VkPipeline pipeline;
    vulkan_descriptor_pool *pool;
    vulkan_push_chunk *chunk;
} vulkan_stream_state;

/* Binds buffers for the next dispatch. Between vulkan_stream_begin and _end. */
tn_status vulkan_bind_buffers(vulkan_stream *stream, vulkan_stream_state *state,
                              VkCommandBuffer commands, const vulkan_layout *layout,
                              const VkDescriptorBufferInfo *buffers);

/* Puts push data into memory that stays as it is while the command buffer may run, and says where
 * it is. Between vulkan_stream_begin and _end. */
tn_status vulkan_push_ring_write(vulkan_stream *stream, vulkan_stream_state *state,
                                 const void *data, uint32_t size,
                                 VkDescriptorBufferInfo *out_place);

/* Of the stream's command buffer as it is now. */
tn_status vulkan_stream_state_of(vulkan_stream *stream, vulkan_stream_state **out_state);

/* Destroys what is not in use. */
void vulkan_descriptor_pools_close(vulkan_device *device);
void vulkan_push_chunks_close(vulkan_device *device);

/* ---- The pipeline cache on disk: pipeline_cache.c ---- */

/* Starts from the file if it is this driver's, else empty. Never fails for the file's sake. */
tn_status vulkan_pipeline_cache_open(vulkan_device *device, VkPipelineCache *out_cache);
void vulkan_pipeline_cache_close(vulkan_device *device, VkPipelineCache cache);

/* ---- What the device can do: limits.c, matrix_shapes.c ---- */

/* Texts and lists that vulkan_limits gives. */
typedef struct vulkan_limit_lists {
    char features[512];
    tn_matrix_shape *matrix_shapes;
    uint32_t matrix_shape_count;
} vulkan_limit_lists;

tn_status vulkan_limits_open(vulkan_device *device);
void vulkan_limits_close(vulkan_device *device);

/* What the device's features have of cooperative matrices; NULL when there is none. The caller
 * frees it. */
tn_status vulkan_matrix_shapes_read(vulkan_device *device, tn_matrix_shape **out_shapes,
                                    uint32_t *out_count);

/* ---- All of it ---- */

typedef struct vulkan_kernels {
    spirv_environment environment;
    uint64_t max_binding_size;
    uint32_t max_push_constants;
    VkPipelineCache cache;
    uint64_t cache_loaded; /* checksum of what the file gave; 0: nothing */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* a kernel is ready, or given up */
    vulkan_layout *layouts;
    vulkan_kernel *kernels;
    vulkan_descriptor_pool *pools; /* not in use */
    vulkan_push_chunk *chunks;     /* not in use */
    void *copier;                  /* kernel_copy.c */
    uint64_t copy_rates[2];        /* bytes a second: by command, by kernel; 0: not measured */
    vulkan_limit_lists limits;
} vulkan_kernels;

/* Large copies within the device by a kernel, where that is faster; `create` does not ask. */
tn_status vulkan_kernel_copy_create(vulkan_device *device);
tn_status vulkan_kernel_copy_open(vulkan_device *device);
void vulkan_kernel_copy_close(vulkan_device *device);

#endif
