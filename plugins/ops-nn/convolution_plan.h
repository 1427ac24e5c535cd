/*
 * What a convolution's runs share: the layout of its data and of the workspace, where the elements
 * under the kernel are, and the weights, packed when they never change.
 */
#ifndef OPS_NN_CONVOLUTION_PLAN_H
#define OPS_NN_CONVOLUTION_PLAN_H

#include "convolution.h"
#include "image.h"
#include "panels.h"

typedef struct convolution_plan {
    tn_dtype dtype;
    int32_t is_direct; /* each output channel for itself, without a matrix product */
    image_layout image;
    int64_t sample_count;
    int64_t group_count;
    int64_t group_channels; /* of data, in one group */
    int64_t group_filters;  /* channels of output in one group */
    int64_t places[WINDOW_MAX_RANK];
    int64_t strides[WINDOW_MAX_RANK];
    int64_t place_count;  /* elements in a channel of output */
    int64_t depth;        /* weights of one filter */
    int64_t weight_width; /* filters in a panel of weights */
    int64_t panel_count;  /* panels of places in a group of a sample */
    int64_t wave;         /* panels of places that are packed and multiplied at once */
    void *weights;        /* packed, or NULL: they are packed in each run */
    uint64_t image_place; /* in the workspace */
    uint64_t weight_place;
    uint64_t column_place;
    int64_t offsets[]; /* of the elements under the kernel, in the order of the weights, from the
                          first channel's element under the kernel's first place */
} convolution_plan;

/* The functions of the kernel: its state is the plan, one allocation. */
tn_status convolution_prepare(tn_prepare_call *call);
tn_status convolution_compute(const tn_run_call *call);

/* Packs panels `begin` to `end` of all groups' weights. */
void convolution_pack_weights(const convolution_plan *plan, const void *weights, void *packed,
                              int64_t begin, int64_t end);

static inline int64_t convolution_weight_panels(const convolution_plan *plan) {
    return plan->group_count * divide_up(plan->group_filters, plan->weight_width);
}

static inline int64_t convolution_filters(const convolution_plan *plan) {
    return plan->group_count * plan->group_filters;
}

#endif
