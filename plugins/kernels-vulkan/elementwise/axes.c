#include "axes.h"

static int continues(const joined_axes *axes, uint32_t operand, int64_t extent, int64_t stride) {
    int64_t whole;
    return !__builtin_mul_overflow(extent, stride, &whole) &&
           axes->strides[operand][axes->rank - 1] == whole;
}

void axes_add(joined_axes *axes, int64_t extent, int64_t first_stride, int64_t second_stride) {
    if (extent == 1) {
        return;
    }
    const int joins = axes->rank > 0 && continues(axes, 0, extent, first_stride) &&
                      continues(axes, 1, extent, second_stride);
    const uint32_t place = joins ? axes->rank - 1 : axes->rank++;
    axes->extents[place] = joins ? axes->extents[place] * extent : extent;
    axes->strides[0][place] = first_stride;
    axes->strides[1][place] = second_stride;
}

void axes_finish(joined_axes *axes) {
    if (axes->rank == 0) {
        axes->rank = 1;
        axes->extents[0] = 1;
        axes->strides[0][0] = axes->strides[1][0] = 1;
    }
}

int64_t axes_count(const joined_axes *axes) {
    int64_t count = 1;
    for (uint32_t i = 0; i < axes->rank; i++) {
        count *= axes->extents[i];
    }
    return count;
}

void axes_compact_strides(int32_t rank, const int64_t *extents, int64_t strides[TN_MAX_RANK]) {
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        strides[axis] = stride;
        stride *= extents[axis];
    }
}

void axes_stretched_strides(int32_t own_rank, const int64_t *extents, int32_t rank,
                            int64_t strides[TN_MAX_RANK]) {
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        const int32_t own = axis - (rank - own_rank);
        const int64_t extent = own >= 0 ? extents[own] : 1;
        strides[axis] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
}

void axes_store(const int64_t *values, uint32_t rank, uint32_t *target, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        target[i] = i < rank ? (uint32_t)values[i] : 0;
    }
}
