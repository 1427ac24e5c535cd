/*
 * Fuzz target: the verifier of SPIR-V, and what reads verified modules. A module that is taken must
 * be reflected and rewritten without harm, whatever it holds; the result is a module again.
 */
#include <stdlib.h>

#include "spirv.h"
#include "spirv_numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#pragma weak LLVMFuzzerMutate /* the driver's; a replay has none, and calls no mutator */

static const spirv_environment environment = {
    .max_version = 0x00010600,
    .subgroup_operations = 0xff,
    .has_local_size_id = 1,
    .features = ~(vulkan_features)0,
};

static void spill(const spirv_module *module, const spirv_interface *interface) {
    uint32_t count = 0;
    spirv_error error;
    if (interface->push_size == 0 || interface->binding_end >= SPIRV_MAX_BINDINGS) {
        return;
    }
    uint32_t *words = spirv_spill_push(module, interface->binding_end, &count);
    spirv_module *spilled =
        words != NULL ? spirv_verify(words, (uint64_t)count * 4, &environment, &error) : NULL;
    if (words != NULL && spilled == NULL && error.status != TN_OUT_OF_MEMORY) {
        abort(); /* what was right is so no more */
    }
    spirv_module_destroy(spilled);
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    spirv_error error;
    spirv_module *module = spirv_verify(data, size, &environment, &error);
    if ((module != NULL) != (error.status == TN_OK)) {
        abort();
    }
    if (module != NULL) {
        const tn_specialization constants[] = {{0, 8}, {1, UINT32_MAX}, {2, 0}};
        spirv_interface interface;
        if (spirv_reflect(module, "main", constants, 3, &interface, &error) == TN_OK) {
            spill(module, &interface);
        }
    }
    spirv_module_destroy(module);
    return 0;
}

/* Changes a word into another of the module or an id, or leaves an instruction out: changes of
 * single bytes seldom make anything that gets past the first checks. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    uint32_t *words = (uint32_t *)(void *)data;
    const size_t count = size / 4;
    if (seed % 4 == 0 || count <= SPIRV_HEADER_WORDS || ((uintptr_t)data & 3) != 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    const size_t body = count - SPIRV_HEADER_WORDS;
    uint32_t *word = words + SPIRV_HEADER_WORDS + seed / 4 % body;
    const uint32_t random = seed * 2654435761u >> 7;
    switch (seed / 3 % 4) {
    case 0: *word = words[random % count]; break;
    case 1: *word = words[3] > 0 ? random % words[3] : random; break;
    case 2: *word += random % 2 == 0 ? 1 : (uint32_t)-1; break;
    default: *word ^= 1u << random % 32; break;
    }
    return size;
}
