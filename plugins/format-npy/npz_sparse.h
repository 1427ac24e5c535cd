/*
 * Sparse tensors in .npz files, in the form of SciPy: arrays "data", "indices", "indptr", "shape"
 * and a text "format". A file holds one in these names, or several as "NAME/data" and so on. A
 * row-sparse tensor has the format "row_sparse" and no "indptr".
 */
#ifndef FORMAT_NPY_NPZ_SPARSE_H
#define FORMAT_NPY_NPZ_SPARSE_H

#include <tenon/plugin.h>

enum npz_part { NPZ_DATA, NPZ_INDICES, NPZ_ROW_STARTS, NPZ_SHAPE, NPZ_FORMAT, NPZ_PART_COUNT };

extern const char *const npz_part_names[NPZ_PART_COUNT];

/* What has been found of one tensor. */
struct npz_group {
    const char *name; /* its first name_length bytes are the prefix with its '/'; not terminated */
    uint32_t name_length;
    char format[16];
    tn_tensor *parts[NPZ_PART_COUNT]; /* NULL: not found, or the text */
};

/* The part that an array is by its name, of which `out_prefix_length` bytes come before it;
 * NPZ_PART_COUNT for none. */
uint32_t npz_part_of(const char *name, size_t length, uint32_t *out_prefix_length);

/* Makes the tensor; says what is missing or does not fit. */
tn_status npz_group_to_tensor(const tn_host *host, const struct npz_group *group,
                              tn_tensor **out_tensor);

#endif
