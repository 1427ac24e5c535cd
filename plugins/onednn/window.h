/* What the attributes of a convolution or pooling say of its window. */
#ifndef ONEDNN_WINDOW_H
#define ONEDNN_WINDOW_H

#include "split.h"

/* The attribute layout: the operators' own axes, not how a tensor lies in memory. */
#define WINDOW_LAYOUTS "NCW|NCHW|NCDHW|NWC|NHWC|NDHWC"
enum { WINDOW_FIRST_CHANNELS_LAST = 3 };

static inline int64_t window_item(const tn_ints *list, int32_t axis, int64_t absent) {
    return list->count > axis ? list->values[axis] : absent;
}

/* Whether an input and an output are such as the kernels take: float32 or float16, batch, channels
 * and one to three spatial axes, and nothing is empty. */
int window_takes(const tn_tensor_type *input, const tn_tensor_type *output);

/* Whether the shape is such. */
int window_has_shape(const tn_tensor_type *type);

/* Multiplications of a convolution, and whether they are enough for a call of the library. */
double window_cost(const int64_t *output, int32_t rank, const int64_t *weight);
int window_is_worth(const tn_shape *output, const int64_t *weight);

/* How far the last place of the window reaches beyond the data. */
static inline int64_t window_pad_behind(const window_side *side, int64_t places, int64_t extent) {
    const int64_t spanned = (places - 1) * side->stride + (side->kernel - 1) * side->dilate + 1;
    const int64_t behind = spanned - side->pad - extent;
    return behind > 0 ? behind : 0;
}

/* The padding in front where the window has a place for each stride; `places` are those. */
static inline void window_pad_same(window_side *side, int64_t places, int64_t extent,
                                   int is_longer_behind) {
    side->pad = 0;
    const int64_t padding = window_pad_behind(side, places, extent);
    side->pad = is_longer_behind ? padding / 2 : padding - padding / 2;
}

#endif
