/* Memory descriptors of the library, made from shapes and from views with their layouts. */
#ifndef ONEDNN_DESCRIPTOR_H
#define ONEDNN_DESCRIPTOR_H

#include "onednn.h"

#define DESCRIPTOR_MAX_RANK 5 /* batch, channels and up to three spatial axes */

/* A part of a view: its first element and its extents. The strides are the view's. */
typedef struct view_part {
    dnnl_dims_t extents;
    dnnl_dims_t strides;
    int32_t rank;
    dnnl_data_type_t type;
} view_part;

/* The whole of a view. */
view_part view_part_of(const tn_view *view);

/* A view without some of its axes, which have one element each. */
typedef struct narrowed_view {
    tn_view view;
    int64_t extents[DESCRIPTOR_MAX_RANK];
    int64_t strides[DESCRIPTOR_MAX_RANK];
} narrowed_view;

/* `is_left_out` has a flag for each axis. The result points into itself. */
void narrow_view(const tn_view *view, const int *is_left_out, narrowed_view *out);

tn_status view_part_descriptor(const tn_host *host, const view_part *part,
                               dnnl_memory_desc_t *out_descriptor);

/* A compact descriptor in whatever layout the primitive likes best. */
tn_status any_descriptor(const tn_host *host, const int64_t *extents, int32_t rank,
                         dnnl_memory_desc_t *out_descriptor);

/* A compact row-major descriptor. */
tn_status plain_descriptor(const tn_host *host, const int64_t *extents, int32_t rank,
                           dnnl_memory_desc_t *out_descriptor);

#endif
