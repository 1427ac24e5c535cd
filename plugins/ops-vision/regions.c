#include "regions.h"

#include "operator.h"

int64_t bounded_integer(double value, int64_t limit) {
    if (value >= (double)limit) {
        return limit;
    }
    return value > (double)-limit ? (int64_t)value : -limit;
}

tn_status regions_check_grid(const tn_host *host, const tn_ints *pooled_size) {
    if (pooled_size->count != 2) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "pooled_size has %lld extents: expected 2, height and width",
                       (long long)pooled_size->count);
    }
    return TN_OK;
}

tn_status regions_infer(tn_infer_call *call, const tn_ints *pooled_size, int64_t divisor) {
    const tn_host *host = call->host;
    tn_shape *data = &call->inputs[0].shape, *rois = &call->inputs[1].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(infer_rank(host, "data", data, 4));
    TN_TRY(infer_rank(host, "rois", rois, 2));
    TN_TRY(infer_extent(host, "rois", rois, 1, REGION_FIELDS));
    tn_shape fact = tn_shape_of_rank(4);
    fact.extents[0] = rois->extents[0];
    fact.extents[2] = pooled_size->values[0];
    fact.extents[3] = pooled_size->values[1];
    if (data->extents[1] >= 0) {
        if (data->extents[1] % divisor != 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "data has %lld channels, which the %lld cells of the grid do not divide",
                           (long long)data->extents[1], (long long)divisor);
        }
        fact.extents[1] = data->extents[1] / divisor;
    }
    TN_TRY(tn_infer_shape(host, "output", output, &fact));
    return infer_extent(host, "rois", rois, 0, output->extents[0]);
}

region_job region_job_of(const tn_run_call *call) {
    const int64_t *data = call->inputs[0]->shape, *output = call->outputs[0]->shape;
    return (region_job){
        .data = call->inputs[0],
        .rois = call->inputs[1],
        .output = call->outputs[0],
        .attributes = call->attributes,
        .batch = data[0],
        .channels = data[1],
        .height = data[2],
        .width = data[3],
        .grid_channels = output[1],
        .grid_height = output[2],
        .grid_width = output[3],
    };
}
