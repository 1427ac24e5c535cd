/* One thread copies some 10 GB/s, a bus takes five times that: large copies are cut up. */
#include "memcopy.h"

/* Below this a second thread is not worth waking. */
enum { PIECE = 1 << 20 };

typedef struct piece_copy {
    char *target;
    const char *source;
    uint64_t size;
} piece_copy;

static void copy_pieces(void *context, int64_t begin, int64_t end) {
    const piece_copy *copy = context;
    const uint64_t from = (uint64_t)begin * PIECE;
    const uint64_t to = (uint64_t)end * PIECE < copy->size ? (uint64_t)end * PIECE : copy->size;
    memcpy(copy->target + from, copy->source + from, to - from);
}

void vulkan_memcopy(vulkan_device *device, void *target, const void *source, uint64_t size) {
    if (size < 4 * (uint64_t)PIECE) {
        memcpy(target, source, size);
        return;
    }
    piece_copy copy = {target, source, size};
    tn_parallel_for(device->host, (int64_t)((size + PIECE - 1) / PIECE), 1, copy_pieces, &copy);
}
