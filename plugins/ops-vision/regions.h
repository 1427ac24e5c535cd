/*
 * What ROIPooling and ROIAlign share: pictures, a list of regions in them, and a grid that each
 * region is pooled into.
 */
#ifndef OPS_VISION_REGIONS_H
#define OPS_VISION_REGIONS_H

#include <tenon/plugin.h>

/* A region is (number of the picture, left, top, right, bottom). */
#define REGION_FIELDS 5

/* Everything that a kernel needs of its views. */
typedef struct region_job {
    const tn_view *data;
    const tn_view *rois;
    const tn_view *output;
    const void *attributes;
    int64_t batch, channels, height, width;         /* of the data */
    int64_t grid_channels, grid_height, grid_width; /* of the output for one region */
} region_job;

/* The numbers of a region may be anything: nearest integer of at most `limit` either way. */
int64_t bounded_integer(double value, int64_t limit);

/* data (batch, channels, height, width), rois (count, 5) → output (count, channels / divisor,
 * grid), `divisor` being 1 or what position-sensitive pooling divides the channels by. */
tn_status regions_infer(tn_infer_call *call, const tn_ints *pooled_size, int64_t divisor);

/* The grid has two extents. */
tn_status regions_check_grid(const tn_host *host, const tn_ints *pooled_size);

region_job region_job_of(const tn_run_call *call);

#endif
