/*
 * SPIR-V as the backend needs it: code is verified before a driver sees it, and its interface is
 * read for what it is, not for what its author says. Pure: no Vulkan call, no global, any thread.
 *
 * A driver takes what it is given: a module that is cut short makes some hang and others crash. The
 * verifier admits only instructions that it knows, and knows those that compilers write for compute
 * shaders over storage buffers; everything else is refused by name.
 */
#ifndef TENON_BACKENDS_VULKAN_SPIRV_H
#define TENON_BACKENDS_VULKAN_SPIRV_H

#include <stddef.h>
#include <stdint.h>

#include <tenon/plugin/host.h>

#include "feature.h"

enum { SPIRV_MAX_BINDINGS = 64, SPIRV_MAX_BYTES = 64 << 20 };

/* What a device takes. */
typedef struct spirv_environment {
    uint32_t max_version;         /* 0x00010300 is SPIR-V 1.3 */
    uint32_t subgroup_operations; /* VkSubgroupFeatureFlags */
    uint32_t has_local_size_id;   /* the mode LocalSizeId: maintenance4 is on */
    uint32_t reserved;
    vulkan_features features;
} spirv_environment;

/* What is wrong with a module, or what the device lacks for it. */
typedef struct spirv_error {
    tn_status status; /* INVALID_ARGUMENT, UNSUPPORTED, OUT_OF_MEMORY; OK: nothing is wrong */
    char text[240];   /* "module: word 123: OpIAdd: …" */
} spirv_error;

/* Where an id is defined, and as what. */
typedef struct spirv_id {
    uint32_t at;       /* word of the instruction; 0: not defined */
    uint32_t type;     /* id of a value's type; 0: not a value */
    uint32_t function; /* number of the function it is in, from 1; 0: global */
    uint32_t block;    /* number of the block it is in, from 0 in each function */
    uint32_t opcode;
} spirv_id;

/* Verified code: everything that reads it may trust it. */
typedef struct spirv_module {
    uint32_t *words; /* its own copy */
    uint32_t count;
    uint32_t bound;   /* ids are smaller */
    uint32_t version; /* as in spirv_environment */
    spirv_id *ids;    /* `bound` of them */
} spirv_module;

/* Verifies `size` bytes against what the device takes and copies them. NULL: `out_error` says why
 * not. Release with spirv_module_destroy. */
spirv_module *spirv_verify(const void *code, uint64_t size, const spirv_environment *environment,
                           spirv_error *out_error);
/* NULL is allowed. */
void spirv_module_destroy(spirv_module *module);

/* What an entry point's code touches, with the specialisation constants given. */
typedef struct spirv_interface {
    uint32_t binding_end;                /* one more than the highest binding of set 0 */
    uint32_t access[SPIRV_MAX_BINDINGS]; /* what the code does to it: TN_ACCESS_…; 0: nothing */
    uint32_t push_size;                  /* bytes of the push constant block; 0: none */
    uint32_t workgroup_size[3];
    uint64_t shared_bytes; /* at least this much workgroup memory */
    uint32_t reads_grid;   /* asks how many workgroups there are, and where it is on axis y */
} spirv_interface;

/* Reads the interface of an entry point. INVALID_ARGUMENT names what is there instead; UNSUPPORTED
 * says which kind of resource is not bound by this backend. */
tn_status spirv_reflect(const spirv_module *module, const char *entry_point,
                        const tn_specialization *specializations, uint32_t count,
                        spirv_interface *out_interface, spirv_error *out_error);

/* Push constants that are too large for the device become a storage buffer at `binding` of set 0:
 * the same code with another storage class. Gives new words (to be freed with free) or NULL when
 * memory is out. The module has a push constant block. */
uint32_t *spirv_spill_push(const spirv_module *module, uint32_t binding, uint32_t *out_count);

#endif
