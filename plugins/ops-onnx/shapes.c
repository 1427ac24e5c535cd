#include "shapes.h"

tn_status stretch_shape(const tn_host *host, const tn_shape *shape, tn_shape *result) {
    if (shape->rank < 0 || result->rank < 0) {
        *result = tn_shape_unknown();
        return TN_OK;
    }
    const int32_t rank = shape->rank > result->rank ? shape->rank : result->rank;
    tn_shape stretched = tn_shape_of_rank(rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        const int32_t left_axis = axis - (rank - result->rank);
        const int32_t right_axis = axis - (rank - shape->rank);
        const int64_t left = left_axis < 0 ? 1 : result->extents[left_axis];
        const int64_t right = right_axis < 0 ? 1 : shape->extents[right_axis];
        if (left == right || right == 1) {
            stretched.extents[axis] = left;
        } else if (left == 1) {
            stretched.extents[axis] = right;
        } else if (left < 0 || right < 0) {
            stretched.extents[axis] = left < 0 ? right : left;
        } else {
            char first[256], second[256];
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "shapes %s and %s do not stretch to one: extents %lld and %lld",
                           tn_shape_text(result, first, sizeof first),
                           tn_shape_text(shape, second, sizeof second), (long long)left,
                           (long long)right);
        }
    }
    *result = stretched;
    return TN_OK;
}

tn_shape shape_of_view(const tn_view *view) {
    return tn_shape_of(view->rank, view->shape);
}

void row_major_strides(int32_t rank, const int64_t *extents, int64_t *out_strides) {
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        out_strides[axis] = stride;
        stride *= extents[axis];
    }
}

void stretched_strides(const tn_view *view, int32_t rank, int64_t *out_strides) {
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        const int32_t own = axis - (rank - view->rank);
        const int64_t extent = own < 0 ? 1 : view->shape[own];
        out_strides[axis] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
}

tn_status infer_same_extent(const tn_host *host, const char *what, int64_t *left, int64_t *right) {
    if (*left >= 0 && *right >= 0 && *left != *right) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s: extents %lld and %lld should be the same",
                       what, (long long)*left, (long long)*right);
    }
    *left = *left < 0 ? *right : *left;
    *right = *left;
    return TN_OK;
}

tn_status multiply_extents(const tn_host *host, int64_t left, int64_t right, int64_t *out_product) {
    if (left < 0 || right < 0) {
        *out_product = TN_UNKNOWN;
        return TN_OK;
    }
    if (__builtin_mul_overflow(left, right, out_product)) {
        return tn_fail(host, TN_OUT_OF_RANGE, "an extent of %lld * %lld is too large",
                       (long long)left, (long long)right);
    }
    return TN_OK;
}

tn_status count_elements(const tn_host *host, const tn_shape *shape, int64_t *out_count) {
    int64_t count = 1;
    *out_count = TN_UNKNOWN;
    if (!tn_shape_is_known(shape)) {
        return TN_OK;
    }
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (__builtin_mul_overflow(count, shape->extents[axis], &count)) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "the number of elements overflows");
        }
    }
    *out_count = count;
    return TN_OK;
}

tn_status check_planned_shape(const tn_host *host, const tn_view *output, const tn_shape *shape) {
    int agree = shape->rank == output->rank;
    for (int32_t axis = 0; agree && axis < output->rank; axis++) {
        agree = shape->extents[axis] == output->shape[axis];
    }
    if (agree) {
        return TN_OK;
    }
    char asked[256], planned[256];
    const tn_shape of_output = shape_of_view(output);
    return tn_fail(host, TN_FAILED_PRECONDITION,
                   "the inputs ask for an output of shape %s, but the plan was made for %s",
                   tn_shape_text(shape, asked, sizeof asked),
                   tn_shape_text(&of_output, planned, sizeof planned));
}

void walk_begin(shape_walk *walk, int32_t rank, const int64_t *extents) {
    memset(walk, 0, sizeof *walk);
    walk->rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        walk->extents[axis] = extents[axis];
    }
}

void walk_add(shape_walk *walk, const int64_t *strides) {
    for (int32_t axis = 0; axis < walk->rank; axis++) {
        walk->strides[walk->operands][axis] = strides[axis];
    }
    walk->operands++;
}

void walk_go_to(shape_walk *walk, int64_t step) {
    memset(walk->offsets, 0, sizeof walk->offsets);
    for (int32_t axis = walk->rank - 1; axis >= 0; axis--) {
        walk->index[axis] = step % walk->extents[axis];
        step /= walk->extents[axis];
        for (int32_t k = 0; k < walk->operands; k++) {
            walk->offsets[k] += walk->index[axis] * walk->strides[k][axis];
        }
    }
}

void walk_on(shape_walk *walk) {
    for (int32_t axis = walk->rank - 1; axis >= 0; axis--) {
        const int is_last = ++walk->index[axis] == walk->extents[axis];
        const int64_t steps = is_last ? 1 - walk->extents[axis] : 1;
        for (int32_t k = 0; k < walk->operands; k++) {
            walk->offsets[k] += steps * walk->strides[k][axis];
        }
        if (!is_last) {
            return;
        }
        walk->index[axis] = 0;
    }
}
