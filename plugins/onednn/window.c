#include "window.h"

int window_has_shape(const tn_tensor_type *type) {
    if (type->storage != TN_STORAGE_DENSE || type->shape.rank < 3 ||
        type->shape.rank > DESCRIPTOR_MAX_RANK) {
        return 0;
    }
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        if (type->shape.extents[axis] <= 0) {
            return 0;
        }
    }
    return 1;
}

static int takes(const tn_tensor_type *type) {
    return (type->dtype == TN_F32 || type->dtype == TN_F16) && window_has_shape(type);
}

int window_takes(const tn_tensor_type *input, const tn_tensor_type *output) {
    return takes(input) && takes(output);
}

/* Below this many multiplications a call of the library costs more than the work. */
#define SMALLEST_COST 20000.0

double window_cost(const int64_t *output, int32_t rank, const int64_t *weight) {
    double cost = 1;
    for (int32_t axis = 0; axis < rank; axis++) {
        cost *= (double)output[axis];
    }
    for (int32_t axis = 1; axis < rank; axis++) {
        cost *= (double)weight[axis];
    }
    return cost;
}

int window_is_worth(const tn_shape *output, const int64_t *weight) {
    return window_cost(output->extents, output->rank, weight) >= SMALLEST_COST;
}
