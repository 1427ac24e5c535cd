/* The data set "idx". */
#ifndef DATA_IDX_DATASET_H
#define DATA_IDX_DATASET_H

#include <tenon/plugin.h>

struct idx_dataset_options {
    const char *images;
    const char *labels;      /* NULL: there are none */
    const char *class_names; /* NULL: there are none */
};

extern const tn_dataset idx_dataset;

#endif
