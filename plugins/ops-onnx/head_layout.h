/* Where the vectors of attention heads lie: (batch, heads, steps, size), or (batch, steps, heads
 * and size in one). */
#ifndef OPS_ONNX_HEAD_LAYOUT_H
#define OPS_ONNX_HEAD_LAYOUT_H

#include <tenon/plugin.h>

typedef struct head_layout {
    int64_t batch, heads, steps, size;
    int32_t is_flat; /* three axes */
} head_layout;

/* The layout of a shape of rank 3, with the number of heads given, or 4. Extents that are not
 * known stay so. */
tn_status head_layout_of(const tn_host *host, int32_t rank, const int64_t *extents, int64_t heads,
                         head_layout *out_layout);

/* The element that the vector of a step begins at. */
TN_INLINE_ int64_t head_offset(const head_layout *layout, int64_t batch, int64_t head,
                               int64_t step) {
    const int64_t vector = layout->is_flat ? (batch * layout->steps + step) * layout->heads + head
                                           : (batch * layout->heads + head) * layout->steps + step;
    return vector * layout->size;
}

#endif
