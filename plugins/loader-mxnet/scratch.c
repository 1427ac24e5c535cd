#include "scratch.h"

#include <tenon/plugin.h>

static int add_block(struct scratch *scratch) {
    if (scratch->count == scratch->capacity) {
        const uint32_t capacity = scratch->capacity * 2 + 4;
        struct scratch_block *blocks =
            TN_SERVICE(scratch->host, memory)->allocate(scratch->host, capacity * sizeof *blocks);
        if (blocks == NULL) {
            return 0;
        }
        if (scratch->count > 0) {
            memcpy(blocks, scratch->blocks, scratch->count * sizeof *blocks);
        }
        TN_SERVICE(scratch->host, memory)->free(scratch->host, scratch->blocks);
        scratch->blocks = blocks;
        scratch->capacity = capacity;
    }
    scratch->blocks[scratch->count++] = (struct scratch_block){NULL, 0};
    return 1;
}

void *scratch_take(struct scratch *scratch, size_t size) {
    const tn_memory_service *memory = TN_SERVICE(scratch->host, memory);
    if (scratch->taken == scratch->count && !add_block(scratch)) {
        return NULL;
    }
    struct scratch_block *block = &scratch->blocks[scratch->taken];
    size = size > 0 ? size : 1;
    if (block->size < size) {
        memory->free(scratch->host, block->memory);
        block->memory = memory->allocate(scratch->host, size);
        block->size = block->memory != NULL ? size : 0;
    }
    scratch->taken += block->memory != NULL;
    return block->memory;
}

void scratch_finish(struct scratch *scratch) {
    for (uint32_t i = 0; i < scratch->count; i++) {
        TN_SERVICE(scratch->host, memory)->free(scratch->host, scratch->blocks[i].memory);
    }
    TN_SERVICE(scratch->host, memory)->free(scratch->host, scratch->blocks);
}
