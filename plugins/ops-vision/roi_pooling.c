/* ROIPooling: the largest element in each cell of a grid over each region. */
#include <float.h>
#include <math.h>

#include "operator.h"
#include "operators.h"
#include "regions.h"

/* Cells beyond this are far outside of any picture. */
#define MAX_CELL ((int64_t)1 << 31)

/* Elements of a picture that are worth handing to another thread. */
#define GRAIN_ELEMENTS (32 * 1024)

typedef struct roi_pooling_attributes {
    tn_ints pooled_size;
    double spatial_scale;
} roi_pooling_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(roi_pooling_attributes, pooled_size, INTS, NULL, "[1,65535]",
             "The height and width of the grid that each region is pooled into."),
    TN_FIELD(roi_pooling_attributes, spatial_scale, FLOAT, NULL, "[0,1]",
             "What the coordinates of regions are multiplied by to become cells of data."),
};

static tn_status roi_pooling_arity(tn_arity_call *call) {
    const roi_pooling_attributes *given = call->attributes;
    return regions_check_grid(call->host, &given->pooled_size);
}

static tn_status roi_pooling_infer(tn_infer_call *call) {
    const roi_pooling_attributes *given = call->attributes;
    return regions_infer(call, &given->pooled_size, 1);
}

static int64_t within(int64_t cell, int64_t limit) {
    return cell < 0 ? 0 : cell > limit ? limit : cell;
}

/* How many cells a region has along an axis; one that ends before it begins has one. */
static int64_t extent_of(int64_t first, int64_t last) {
    return last > first ? last - first + 1 : 1;
}

#define ELEMENT float
#define REAL float
#define LOAD(x) (x)
#define STORE(x) (x)
#define LOWEST (-FLT_MAX)
#define NAMED(x) x##_f32
#include "roi_pooling_template.h"

#define ELEMENT double
#define REAL double
#define LOAD(x) (x)
#define STORE(x) (x)
#define LOWEST (-DBL_MAX)
#define NAMED(x) x##_f64
#include "roi_pooling_template.h"

#define ELEMENT uint16_t
#define REAL float
#define LOAD(x) tn_float_from_f16(x)
#define STORE(x) tn_f16_from_float(x)
#define LOWEST (-65504.0f)
#define NAMED(x) x##_f16
#include "roi_pooling_template.h"

tn_status roi_pooling_run(const tn_run_call *call) {
    region_job job = region_job_of(call);
    const int64_t count = job.rois->shape[0] * job.grid_channels;
    const int64_t cost = job.height * job.width + job.grid_height * job.grid_width;
    const int64_t grain = GRAIN_ELEMENTS / cost + 1;
    switch (job.data->dtype) {
    case TN_F16: tn_parallel_for(call->host, count, grain, pool_channels_f16, &job); break;
    case TN_F64: tn_parallel_for(call->host, count, grain, pool_channels_f64, &job); break;
    default: tn_parallel_for(call->host, count, grain, pool_channels_f32, &job); break;
    }
    return TN_OK;
}

static const char *const input_names[] = {"data", "rois"};

const tn_op roi_pooling_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each region the largest elements of the picture in the cells of a grid over it. A "
           "region is (picture, left, top, right, bottom), rounded to whole cells; what lies "
           "outside of the picture is left out, and an empty cell is 0.",
    OP_ATTRIBUTES(attribute_table, roi_pooling_attributes),
    OP_NAMES(input_names),
    .infer = roi_pooling_infer,
    .arity = roi_pooling_arity,
};
