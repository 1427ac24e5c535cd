#include "window.h"

static int takes(const tn_tensor_type *type) {
    if ((type->dtype != TN_F32 && type->dtype != TN_F16) || type->storage != TN_STORAGE_DENSE ||
        type->shape.rank < 3 || type->shape.rank > DESCRIPTOR_MAX_RANK) {
        return 0;
    }
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        if (type->shape.extents[axis] <= 0) {
            return 0;
        }
    }
    return 1;
}

int window_takes(const tn_tensor_type *input, const tn_tensor_type *output) {
    return takes(input) && takes(output);
}
