#include "random_numbers.h"

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"

random_numbers random_begin(uint32_t seed) {
    random_numbers numbers = {(uint64_t)seed * 2654435761u + 362436069u};
    for (int i = 0; i < 16; i++) { /* until near seeds are far apart */
        draw(&numbers, 2);
    }
    return numbers;
}

/* xorshift */
uint32_t draw(random_numbers *numbers, uint32_t below) {
    numbers->state ^= numbers->state << 13;
    numbers->state ^= numbers->state >> 7;
    numbers->state ^= numbers->state << 17;
    return (uint32_t)(numbers->state >> 16) % below;
}

static int is_real(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F64 || dtype == TN_F16 || dtype == TN_BF16;
}

tn_tensor *draw_tensor(random_numbers *numbers, tn_runtime *runtime, tn_dtype dtype,
                       const tn_shape *shape) {
    tn_tensor *tensor;
    if (tn_tensor_create(runtime, dtype, shape->rank, shape->extents, &tensor) != TN_OK) {
        return NULL;
    }
    const tn_view *view = tn_tensor_view(tensor);
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        const double real = ((double)draw(numbers, 20000) - 10000) / 10007;
        const double whole = draw(numbers, dtype == TN_BOOL ? 2 : 4);
        test_set_element(view, i, is_real(dtype) ? real : whole);
    }
    return tensor;
}

tn_shape draw_shape(random_numbers *numbers) {
    const int32_t rank = 1 + (int32_t)draw(numbers, 4);
    int64_t extents[4];
    for (int32_t axis = 0; axis < rank; axis++) {
        extents[axis] = 1 + draw(numbers, 6);
    }
    return tn_shape_of(rank, extents);
}
