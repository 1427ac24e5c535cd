/* A list of named tensors. */
#ifndef TENON_TENSOR_TENSOR_LIST_H
#define TENON_TENSOR_TENSOR_LIST_H

#include <tenon/plugin/format.h>
#include <tenon/tensor.h>

typedef struct tni_tensor_item {
    char *name; /* NULL: none of the list has one */
    tn_tensor *tensor;
} tni_tensor_item;

struct tn_tensor_list {
    tn_runtime *runtime;
    tni_tensor_item *items;
    uint32_t count, capacity;
};

#endif
