/* Writes a list of arrays: the container around the records, and the names after them. */
#include "ndarray.h"
#include "numpy_shape.h"
#include "params.h"

static tn_status write_u64(const tn_byte_sink *sink, uint64_t value) {
    return sink->write(sink->context, &value, sizeof value);
}

static uint32_t count_names(const tn_named_tensor *tensors, uint32_t count) {
    uint32_t names = 0;
    for (uint32_t i = 0; i < count; i++) {
        names += tensors[i].name != NULL;
    }
    return names;
}

/* MXNet reads classic shapes in one mode and numpy shapes in the other: a list is all of a kind. */
static int needs_numpy_shapes(const tn_host *host, const tn_named_tensor *tensors, uint32_t count) {
    int needs_numpy = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tn_view *view = TN_SERVICE(host, tensor)->view(host, tensors[i].tensor);
        needs_numpy |= shape_needs_numpy(view->rank, view->shape);
    }
    return needs_numpy;
}

tn_status params_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                       const tn_byte_sink *sink) {
    const uint32_t name_count = count_names(tensors, count);
    if (name_count != 0 && name_count != count) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "%u of %u arrays have names: an array list names all of them or none",
                       (unsigned)name_count, (unsigned)count);
    }
    const int numpy_shapes = needs_numpy_shapes(host, tensors, count);
    TN_TRY(write_u64(sink, PARAMS_MAGIC));
    TN_TRY(write_u64(sink, 0));
    TN_TRY(write_u64(sink, count));
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(ndarray_write(host, tensors[i].tensor, numpy_shapes, sink));
    }
    TN_TRY(write_u64(sink, name_count));
    for (uint32_t i = 0; i < name_count; i++) {
        const uint64_t length = strlen(tensors[i].name);
        TN_TRY(write_u64(sink, length));
        TN_TRY(sink->write(sink->context, tensors[i].name, length));
    }
    return TN_OK;
}
