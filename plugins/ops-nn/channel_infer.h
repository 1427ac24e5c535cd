/* Inference of vectors with one value for each channel of a tensor: gamma, beta, statistics. */
#ifndef OPS_NN_CHANNEL_INFER_H
#define OPS_NN_CHANNEL_INFER_H

#include <tenon/plugin.h>

/* Sets `*out_extent` to the place of the axis' extent, or to NULL when data's rank is unknown. */
static inline tn_status channel_extent(const tn_host *host, tn_shape *data, int64_t axis,
                                       int64_t **out_extent) {
    int32_t resolved = 0;
    *out_extent = NULL;
    if (data->rank >= 0) {
        TN_TRY(tn_resolve_axis(host, axis, data->rank, &resolved));
        *out_extent = &data->extents[resolved];
    }
    return TN_OK;
}

/* The vector has `*channels` elements; what is unknown of either follows from the other. */
static inline tn_status infer_channel_vector(const tn_host *host, const char *what,
                                             tn_shape *vector, int64_t *channels) {
    int64_t extent = channels != NULL ? *channels : TN_UNKNOWN;
    const tn_shape fact = tn_shape_of(1, &extent);
    TN_TRY(tn_infer_shape(host, what, vector, &fact));
    if (channels != NULL) {
        *channels = vector->extents[0];
    }
    return TN_OK;
}

#endif
