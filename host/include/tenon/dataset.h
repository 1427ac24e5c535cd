/*
 * Data sets: samples by index, read in batches into host tensors.
 */
#ifndef TENON_DATASET_H
#define TENON_DATASET_H

#include <tenon/plugin/dataset.h>
#include <tenon/tensor.h>

typedef struct tn_open_dataset tn_open_dataset;

/* `description` is "KIND:option=value,option=value" ("idx:images=a.gz,labels=b.gz"). */
TN_API tn_status tn_dataset_open(tn_runtime *runtime, const char *description,
                                 tn_open_dataset **out_dataset);
TN_API void tn_dataset_close(tn_open_dataset *dataset);

/* Lives as long as the data set is open. */
TN_API const tn_dataset_info *tn_dataset_describe(const tn_open_dataset *dataset);

/* Reads samples `first` to `first + count` of every component into new tensors of shape (count,
 * sample's shape…), or into those in `tensors` that are not NULL. One place a component. */
TN_API tn_status tn_dataset_read(tn_open_dataset *dataset, uint64_t first, uint64_t count,
                                 tn_tensor **tensors);

#endif
