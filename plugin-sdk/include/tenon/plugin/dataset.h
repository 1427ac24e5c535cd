/*
 * Kind "dataset", version 1: samples that can be read by index. The entry's name is what the user
 * writes before the colon: `--data idx:images=a.gz,labels=b.gz`.
 */
#ifndef TENON_PLUGIN_DATASET_H
#define TENON_PLUGIN_DATASET_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

/* One part of every sample: the picture, the label. */
typedef struct tn_component {
    const char *name; /* "data", "label" */
    tn_dtype dtype;
    uint32_t reserved;
    tn_shape shape; /* of one sample */
} tn_component;

typedef struct tn_dataset_info {
    uint32_t struct_size;
    uint32_t component_count;
    const tn_component
        *components; /* component 0 is what goes into a network; lives as the data set */
    uint64_t length; /* samples */
    const char *const *class_names; /* NULL, or one for each value of the label */
    uint32_t class_count;
    uint32_t reserved;
} tn_dataset_info;

#define TN_DATASET_INFO_SIZE TN_STRUCT_END(tn_dataset_info, reserved)

typedef struct tn_dataset {
    uint32_t struct_size;
    uint32_t reserved;
    const char *doc;
    const tn_attribute *options;
    uint32_t option_count;
    uint32_t option_stride;
    uint64_t options_size;

    /* [any] `options` is the parsed struct and lives until close. */
    tn_status (*open)(const tn_host *host, const void *options, void **out_dataset);
    /* [any] `out_info->struct_size` says how much the host knows. */
    tn_status (*info)(const tn_host *host, void *dataset, tn_dataset_info *out_info);
    /* [any], also at the same time on one data set. Writes samples `first` to `first + count` of
     * each component into targets[component]: host memory, shape (count, sample's shape…). */
    tn_status (*read)(const tn_host *host, void *dataset, uint64_t first, uint64_t count,
                      const tn_view *const *targets);
    /* [any] NULL is allowed. */
    void (*close)(const tn_host *host, void *dataset);
} tn_dataset;

#define TN_DATASET_VERSION 1u
#define TN_DATASET_SIZE TN_STRUCT_END(tn_dataset, close)
#define TN_ENTRY_DATASET(NAME, IMPL)                                                               \
    { TN_KIND_DATASET, NAME, TN_DATASET_VERSION, 0, IMPL }

#endif
