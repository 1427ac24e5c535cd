/* Writes one array record as MXNet 1.5 and later do. */
#include "dtype.h"
#include "ndarray.h"

tn_status ndarray_write(const tn_host *host, const tn_view *view, int32_t numpy_shapes,
                        const tn_byte_sink *sink) {
    const int32_t dtype = dtype_to_mxnet(view->dtype);
    if (dtype < 0) {
        return tn_fail(host, TN_UNSUPPORTED, "MXNet has no element type for %s",
                       tn_dtype_name(view->dtype));
    }
    const uint32_t mark = numpy_shapes ? NDARRAY_V3 : NDARRAY_V2;
    const int32_t storage_and_rank[2] = {NDARRAY_DENSE, view->rank};
    const int32_t device_and_dtype[3] = {TN_DEVICE_TYPE_CPU, 0, dtype};
    TN_TRY(sink->write(sink->context, &mark, sizeof mark));
    TN_TRY(sink->write(sink->context, storage_and_rank, sizeof storage_and_rank));
    if (view->rank > 0) {
        TN_TRY(sink->write(sink->context, view->shape, (uint64_t)view->rank * sizeof(int64_t)));
    }
    TN_TRY(sink->write(sink->context, device_and_dtype, sizeof device_and_dtype));
    const uint64_t bytes = tn_byte_size(view);
    return bytes == 0 ? TN_OK : sink->write(sink->context, tn_data(view), bytes);
}
