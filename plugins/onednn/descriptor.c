#include "descriptor.h"

/* Float16 is converted before the library sees it. */
static dnnl_data_type_t type_of(tn_dtype dtype) {
    return dtype == TN_U8    ? dnnl_u8
           : dtype == TN_I8  ? dnnl_s8
           : dtype == TN_I32 ? dnnl_s32
                             : dnnl_f32;
}

view_part view_part_of(const tn_view *view) {
    view_part part = {.rank = view->rank, .type = type_of(view->dtype)};
    int64_t stride = 1;
    for (int32_t axis = view->rank - 1; axis >= 0; axis--) {
        part.extents[axis] = view->shape[axis];
        part.strides[axis] = view->strides != NULL ? view->strides[axis] : stride;
        stride *= view->shape[axis];
    }
    return part;
}

void narrow_view(const tn_view *view, const int *is_left_out, narrowed_view *out) {
    const view_part whole = view_part_of(view);
    int32_t rank = 0;
    for (int32_t axis = 0; axis < view->rank; axis++) {
        if (!is_left_out[axis]) {
            out->extents[rank] = whole.extents[axis];
            out->strides[rank++] = whole.strides[axis];
        }
    }
    out->view = *view;
    out->view.rank = rank;
    out->view.shape = out->extents;
    out->view.strides = out->strides;
}

/* An axis of one element may have any stride; the library recognises its layouts only by those that
 * a channels-last tensor would have. */
static void normalise(const view_part *part, int64_t *strides) {
    const int64_t channels = part->extents[1];
    int64_t stride = channels;
    for (int32_t axis = part->rank - 1; axis >= 2; axis--) {
        if (part->extents[axis] == 1) {
            strides[axis] = stride;
        }
        stride = strides[axis] * part->extents[axis];
    }
    if (part->extents[0] == 1) {
        strides[0] = stride;
    }
}

tn_status view_part_descriptor(const tn_host *host, const view_part *part,
                               dnnl_memory_desc_t *out_descriptor) {
    dnnl_dims_t strides;
    memcpy(strides, part->strides, sizeof strides);
    if (part->rank > 2 && (part->strides[1] == 1 || part->extents[1] == 1)) {
        strides[1] = 1;
        normalise(part, strides);
    }
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_strides(out_descriptor, part->rank, part->extents,
                                                      part->type, strides));
    return TN_OK;
}

static const dnnl_format_tag_t plain_tags[] = {
    dnnl_format_tag_undef, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef};

tn_status any_descriptor(const tn_host *host, const int64_t *extents, int32_t rank,
                         dnnl_memory_desc_t *out_descriptor) {
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_tag(out_descriptor, rank, extents, dnnl_f32,
                                                  dnnl_format_tag_any));
    return TN_OK;
}

tn_status plain_descriptor(const tn_host *host, const int64_t *extents, int32_t rank,
                           dnnl_memory_desc_t *out_descriptor) {
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_tag(out_descriptor, rank, extents, dnnl_f32,
                                                  plain_tags[rank]));
    return TN_OK;
}
