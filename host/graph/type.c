/* Partial types of tensors: merging, printing, sizes. */
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/sparse.h>

#include "graph/graph.h"

tn_tensor_type tni_type_unknown(void) {
    tn_tensor_type type;
    memset(&type, 0, sizeof type);
    type.shape.rank = TN_UNKNOWN;
    return type;
}

bool tni_type_is_known(const tn_tensor_type *type) {
    return type->dtype != 0 && tn_shape_is_known(&type->shape);
}

static bool merge_shape(tn_shape *known, const tn_shape *fact, bool *out_changed) {
    if (fact->rank < 0) {
        return true;
    }
    if (known->rank < 0) {
        *known = tn_shape_of(fact->rank, fact->extents);
        *out_changed = true;
        return true;
    }
    if (known->rank != fact->rank) {
        return false;
    }
    for (int32_t axis = 0; axis < fact->rank; axis++) {
        const int64_t extent = fact->extents[axis];
        if (extent < 0 || extent == known->extents[axis]) {
            continue;
        }
        if (known->extents[axis] >= 0) {
            return false;
        }
        known->extents[axis] = extent;
        *out_changed = true;
    }
    return true;
}

bool tni_type_merge(tn_tensor_type *known, const tn_tensor_type *fact, bool *out_changed) {
    if (fact->dtype != 0 && known->dtype != fact->dtype) {
        if (known->dtype != 0) {
            return false;
        }
        known->dtype = fact->dtype;
        *out_changed = true;
    }
    if (fact->storage != TN_STORAGE_UNKNOWN && known->storage != fact->storage) {
        if (known->storage != TN_STORAGE_UNKNOWN) {
            return false;
        }
        known->storage = fact->storage;
        *out_changed = true;
    }
    return merge_shape(&known->shape, &fact->shape, out_changed);
}

const char *tni_type_text(const tn_tensor_type *type, char *buffer, size_t size) {
    char shape[512];
    const bool is_sparse = tn_storage_is_sparse(type->storage);
    snprintf(buffer, size, "%s%s%s %s", is_sparse ? tn_storage_name(type->storage) : "",
             is_sparse ? " " : "", type->dtype == 0 ? "?" : tn_dtype_text(type->dtype),
             tn_shape_text(&type->shape, shape, sizeof shape));
    return buffer;
}

bool tni_type_byte_size(const tn_tensor_type *type, uint64_t *out_size) {
    if (!tni_type_is_known(type)) {
        return false;
    }
    uint64_t size = TN_DTYPE_SIZE(type->dtype);
    bool empty = false;
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        const uint64_t extent = (uint64_t)type->shape.extents[axis];
        empty = empty || extent == 0;
        if (extent != 0 && !tni_multiply(size, extent, &size)) {
            return false;
        }
    }
    if (size > INT64_MAX) {
        return false;
    }
    *out_size = empty ? 0 : size;
    return true;
}
