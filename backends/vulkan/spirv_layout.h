/* What decorations and constants say of a verified module, once its specialisation is known. */
#ifndef TENON_BACKENDS_VULKAN_SPIRV_LAYOUT_H
#define TENON_BACKENDS_VULKAN_SPIRV_LAYOUT_H

#include "spirv_check.h"

#define SPIRV_NOT_SAID UINT32_MAX

/* By id. */
typedef struct spirv_facts {
    uint64_t value;   /* of an integer or boolean constant */
    uint64_t size;    /* of a type as it is laid out by Offset and ArrayStride */
    uint64_t natural; /* of a type packed as its elements allow */
    uint32_t align;   /* for `natural` */
    uint32_t set;     /* SPIRV_NOT_SAID: no such decoration; the same below */
    uint32_t binding;
    uint32_t built_in;
    uint32_t spec_id;
    uint32_t stride;
    uint32_t is_block;        /* Block */
    uint32_t is_buffer_block; /* BufferBlock, the way of SPIR-V before 1.3 */
    uint32_t is_laid_out;     /* of a type: offsets and strides say where all of it is */
} spirv_facts;

typedef struct spirv_layout {
    const spirv_module *module;
    spirv_facts *facts; /* of all ids */
    uint32_t *offsets;  /* by word: what Offset says at a struct's member; SPIRV_NOT_SAID */
} spirv_layout;

/* False when memory is out. Finish it in any case. */
int spirv_layout_init(spirv_layout *layout, const spirv_module *module,
                      const tn_specialization *specializations, uint32_t count);
void spirv_layout_finish(spirv_layout *layout);

#endif
