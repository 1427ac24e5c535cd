/*
 * Convolutions of single channels of 8-bit integers: each filter weighs the elements under the
 * window of one channel. They are computed as floats, which hold such sums exactly.
 */
#ifndef OPS_ONNX_INTEGER_DEPTHWISE_H
#define OPS_ONNX_INTEGER_DEPTHWISE_H

#include "integer_product.h"
#include "window.h"

typedef struct integer_depthwise {
    sliding_window window;
    int64_t planes;     /* of data: images times channels */
    int64_t groups;     /* channels of an image */
    int64_t filters;    /* of a channel */
    byte_matrix data;   /* a plane a row, one zero point */
    byte_matrix weight; /* a filter a row */
    store_sums *store;  /* number: of the plane; row: of the filter in its group */
    const void *context;
    /* The plan. The places of a channel are computed in bands of rows, for which the data under
     * them is widened and padded; along a row the elements that a stride apart lie together. */
    int64_t band_rows, bands;
    int64_t run_length; /* elements of a row that are a stride apart */
    int64_t lanes;
    uint64_t widened_place, sums_place, lane_size; /* in bytes */
    char *workspace;                               /* lanes * lane_size bytes */
} integer_depthwise;

/* Whether it can be computed here. */
int integer_depthwise_fits(const sliding_window *window, int64_t group_channels);

/* Plans with window, planes, groups and filters set. */
void integer_depthwise_plan(const tn_host *host, integer_depthwise *job);

void integer_depthwise_run(const tn_host *host, const integer_depthwise *job);

#endif
