#include "npz_sparse.h"

const char *const npz_part_names[NPZ_PART_COUNT] = {"data", "indices", "indptr", "shape", "format"};

uint32_t npz_part_of(const char *name, size_t length, uint32_t *out_prefix_length) {
    for (uint32_t part = 0; part < NPZ_PART_COUNT; part++) {
        const size_t own = strlen(npz_part_names[part]);
        if (length >= own && memcmp(name + length - own, npz_part_names[part], own) == 0 &&
            (length == own || (length > own + 1 && name[length - own - 1] == '/'))) {
            *out_prefix_length = (uint32_t)(length - own);
            return part;
        }
    }
    return NPZ_PART_COUNT;
}

static const tn_view *part_view(const tn_host *host, const struct npz_group *group, uint32_t part) {
    return TN_SERVICE(host, tensor)->view(host, group->parts[part]);
}

static tn_status check_parts(const tn_host *host, const struct npz_group *group, int is_csr) {
    for (uint32_t part = 0; part < NPZ_FORMAT; part++) {
        if (part == NPZ_ROW_STARTS && !is_csr) {
            continue;
        }
        if (group->parts[part] == NULL) {
            return tn_fail(host, TN_CORRUPT, "the sparse tensor '%.*s' has no array '%s'",
                           (int)group->name_length, group->name, npz_part_names[part]);
        }
        const tn_view *view = part_view(host, group, part);
        if (part != NPZ_DATA &&
            (view->rank != 1 || (view->dtype != TN_I32 && view->dtype != TN_I64))) {
            return tn_fail(host, TN_CORRUPT, "'%.*s%s' must be a list of int32 or int64",
                           (int)group->name_length, group->name, npz_part_names[part]);
        }
    }
    return TN_OK;
}

static int64_t index_at(const tn_view *view, int64_t i) {
    return view->dtype == TN_I32 ? ((const int32_t *)tn_data(view))[i]
                                 : ((const int64_t *)tn_data(view))[i];
}

static void read_indices(const tn_view *view, int64_t *target) {
    for (int64_t i = 0; i < view->shape[0]; i++) {
        target[i] = index_at(view, i);
    }
}

/* The shape, when the other arrays are as many as it makes them. */
static tn_status check_shapes(const tn_host *host, const struct npz_group *group, int is_csr,
                              tn_shape *out_shape) {
    const tn_view *shape = part_view(host, group, NPZ_SHAPE);
    const tn_view *data = part_view(host, group, NPZ_DATA);
    const int64_t rank = shape->shape[0], stored = part_view(host, group, NPZ_INDICES)->shape[0];
    int fits = rank >= 1 && rank <= TN_MAX_RANK && data->rank == (is_csr ? 1 : rank) &&
               data->shape[0] == stored && (!is_csr || rank == 2);
    *out_shape = tn_shape_of_rank(fits ? (int32_t)rank : 0);
    for (int32_t axis = 0; axis < out_shape->rank; axis++) {
        out_shape->extents[axis] = index_at(shape, axis);
        fits = fits && out_shape->extents[axis] >= 0 &&
               (is_csr || axis == 0 || data->shape[axis] == out_shape->extents[axis]);
    }
    if (fits && is_csr) {
        fits = part_view(host, group, NPZ_ROW_STARTS)->shape[0] - 1 == out_shape->extents[0];
    }
    return fits ? TN_OK
                : tn_fail(host, TN_CORRUPT,
                          "the arrays of the sparse tensor '%.*s' do not fit together",
                          (int)group->name_length, group->name);
}

static tn_status fill(const tn_host *host, const struct npz_group *group, const tn_view *view) {
    const tn_sparse *sparse = tn_sparse_of(view);
    const tn_view *data = part_view(host, group, NPZ_DATA);
    if (tn_byte_size(data) > 0) {
        memcpy(sparse->values, tn_data(data), tn_byte_size(data));
    }
    read_indices(part_view(host, group, NPZ_INDICES), sparse->indices);
    if (sparse->row_starts != NULL) {
        read_indices(part_view(host, group, NPZ_ROW_STARTS), sparse->row_starts);
    }
    return TN_SERVICE(host, sparse)->check(host, view);
}

tn_status npz_group_to_tensor(const tn_host *host, const struct npz_group *group,
                              tn_tensor **out_tensor) {
    const int is_csr = strcmp(group->format, "csr") == 0;
    tn_shape shape;
    tn_tensor *tensor;
    if (!is_csr && strcmp(group->format, "row_sparse") != 0) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "the sparse tensor '%.*s' has the format '%s': expected 'csr' (tocsr() of "
                       "SciPy makes it) or 'row_sparse'",
                       (int)group->name_length, group->name, group->format);
    }
    TN_TRY(check_parts(host, group, is_csr));
    TN_TRY(check_shapes(host, group, is_csr, &shape));
    const tn_view *data = part_view(host, group, NPZ_DATA);
    TN_TRY(TN_SERVICE(host, sparse)
               ->create(host, is_csr ? TN_STORAGE_CSR : TN_STORAGE_ROW_SPARSE, data->dtype,
                        shape.rank, shape.extents, data->shape[0], &tensor));
    const tn_status status = fill(host, group, TN_SERVICE(host, tensor)->view(host, tensor));
    if (status != TN_OK) {
        TN_SERVICE(host, tensor)->release(host, tensor);
        return status;
    }
    *out_tensor = tensor;
    return TN_OK;
}
