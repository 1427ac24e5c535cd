/* ROIAlign: the mean of interpolated samples in each cell of a grid over each region. */
#include <math.h>

#include "operator.h"
#include "operators.h"
#include "regions.h"

/* More samples than this along an axis are not told apart from infinitely many. */
#define MAX_SAMPLES ((int64_t)1 << 40)

/* Samples that are placed before the channels are walked. */
#define SAMPLES_AT_ONCE 64

/* Elements read that are worth handing to another thread. */
#define GRAIN_ELEMENTS (16 * 1024)

typedef struct roi_align_attributes {
    tn_ints pooled_size;
    double spatial_scale;
    int64_t sample_ratio;
    int32_t position_sensitive;
    int32_t aligned;
} roi_align_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(roi_align_attributes, pooled_size, INTS, NULL, "[1,65535]",
             "The height and width of the grid that each region is pooled into."),
    TN_FIELD(roi_align_attributes, spatial_scale, FLOAT, NULL, "[0,1]",
             "What the coordinates of regions are multiplied by to become those of data."),
    TN_FIELD(roi_align_attributes, sample_ratio, INT, "-1", "[-1,1024]",
             "How many samples a cell of the grid takes along each axis; below 1: one for each "
             "element that it covers."),
    TN_FIELD(roi_align_attributes, position_sensitive, BOOL, "False", NULL,
             "Whether each cell of the grid reads channels of its own."),
    TN_FIELD(roi_align_attributes, aligned, BOOL, "False", NULL,
             "Whether elements lie in the middle of their cells, half a cell off."),
};

static tn_status roi_align_arity(tn_arity_call *call) {
    const roi_align_attributes *given = call->attributes;
    return regions_check_grid(call->host, &given->pooled_size);
}

static tn_status roi_align_infer(tn_infer_call *call) {
    const roi_align_attributes *given = call->attributes;
    const int64_t cells = given->pooled_size.values[0] * given->pooled_size.values[1];
    return regions_infer(call, &given->pooled_size, given->position_sensitive ? cells : 1);
}

/* Which of `count` samples from `start` on can lie in the picture. A huge region has huge numbers
 * of them, of which all others need no look. */
static void sample_range(double start, double step, int64_t count, int64_t extent,
                         int64_t *out_begin, int64_t *out_end) {
    const int64_t begin = bounded_integer((-1.0 - start) / step - 2.0, MAX_SAMPLES);
    const int64_t end = bounded_integer(((double)extent - start) / step + 2.0, MAX_SAMPLES);
    *out_begin = begin > 0 ? begin : 0;
    *out_end = end < count ? end : count;
}

#define ELEMENT float
#define REAL float
#define LOAD(x) (x)
#define STORE(x) (x)
#define NAMED(x) x##_f32
#include "roi_align_template.h"

#define ELEMENT double
#define REAL double
#define LOAD(x) (x)
#define STORE(x) (x)
#define NAMED(x) x##_f64
#include "roi_align_template.h"

#define ELEMENT uint16_t
#define REAL float
#define LOAD(x) tn_float_from_f16(x)
#define STORE(x) tn_f16_from_float(x)
#define NAMED(x) x##_f16
#include "roi_align_template.h"

tn_status roi_align_run(const tn_run_call *call) {
    region_job job = region_job_of(call);
    const int64_t count = job.rois->shape[0] * job.grid_height * job.grid_width;
    const int64_t grain = GRAIN_ELEMENTS / (16 * job.grid_channels + 1) + 1;
    switch (job.data->dtype) {
    case TN_F16: tn_parallel_for(call->host, count, grain, align_cells_f16, &job); break;
    case TN_F64: tn_parallel_for(call->host, count, grain, align_cells_f64, &job); break;
    default: tn_parallel_for(call->host, count, grain, align_cells_f32, &job); break;
    }
    return TN_OK;
}

static const char *const input_names[] = {"data", "rois"};

const tn_op roi_align_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each region a grid of means of samples, each interpolated between the four "
           "elements around it. A region is (picture, left, top, right, bottom) and is not "
           "rounded; a sample outside of the picture counts as 0, and so does a region of a "
           "picture that is not there.",
    OP_ATTRIBUTES(attribute_table, roi_align_attributes),
    OP_NAMES(input_names),
    .arity = roi_align_arity,
    .infer = roi_align_infer,
};
