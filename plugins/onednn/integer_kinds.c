#include "integer_kinds.h"

#include "window.h"

/* Elements of the kernel along an axis that lie on data. */
typedef struct reach {
    int64_t first, end;
} reach;

static reach reach_at(const window_side *side, int64_t place, int64_t extent) {
    const int64_t start = place * side->stride - side->pad;
    reach found = {0, side->kernel};
    while (found.first < side->kernel && start + found.first * side->dilate < 0) {
        found.first++;
    }
    while (found.end > found.first && start + (found.end - 1) * side->dilate >= extent) {
        found.end--;
    }
    return found;
}

/* The kinds along one axis: by place, and the reach of each kind. */
typedef struct axis_kinds {
    int64_t places, count;
    int32_t *of_places;
    reach *reaches;
} axis_kinds;

static void *allocate(const tn_host *host, int64_t count, size_t size) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    return memory->allocate(host, (uint64_t)count * size);
}

static void release(const tn_host *host, void *memory) {
    const tn_memory_service *service = TN_SERVICE(host, memory);
    service->free(host, memory);
}

static tn_status find_axis(const tn_host *host, const window_side *side, int64_t places,
                           int64_t extent, axis_kinds *out) {
    out->places = places;
    out->of_places = allocate(host, places, sizeof *out->of_places);
    out->reaches = allocate(host, places, sizeof *out->reaches);
    if (out->of_places == NULL || out->reaches == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %lld places", (long long)places);
    }
    for (int64_t place = 0; place < places; place++) {
        const reach found = reach_at(side, place, extent);
        const reach *last = out->count == 0 ? NULL : &out->reaches[out->count - 1];
        if (last == NULL || last->first != found.first || last->end != found.end) {
            out->reaches[out->count++] = found;
        }
        out->of_places[place] = (int32_t)(out->count - 1);
    }
    return TN_OK;
}

/* Adds, for each filter, the weights of one kind. `axes` are three, the window's last. */
static void sum_weights(const axis_kinds *axes, const int64_t *kinds, const int64_t *kernel,
                        const tn_view *weight, int32_t *sums) {
    const uint8_t turned = weight->dtype == TN_U8 ? 0x80 : 0;
    const int64_t size = kernel[0] * kernel[1] * kernel[2];
    const uint8_t *elements = tn_data(weight);
    const reach *z = &axes[0].reaches[kinds[0]], *y = &axes[1].reaches[kinds[1]];
    const reach *x = &axes[2].reaches[kinds[2]];
    for (int64_t plane = 0; plane < weight->shape[0] * weight->shape[1]; plane++) {
        int32_t sum = 0;
        for (int64_t i = z->first; i < z->end; i++) {
            for (int64_t j = y->first; j < y->end; j++) {
                for (int64_t k = x->first; k < x->end; k++) {
                    const int64_t at = plane * size + (i * kernel[1] + j) * kernel[2] + k;
                    sum += (int8_t)(elements[at] ^ turned);
                }
            }
        }
        sums[plane / weight->shape[1]] += sum;
    }
}

static tn_status allocate_kinds(const tn_host *host, int64_t kinds, place_kinds *out) {
    out->of_rows = allocate(host, out->rows, sizeof *out->of_rows);
    out->of_places = allocate(host, out->row_places, sizeof *out->of_places);
    out->weights = allocate(host, kinds * out->filters, sizeof *out->weights);
    if (out->of_rows == NULL || out->of_places == NULL || out->weights == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY,
                       "no memory for the sums of weights at %lld kinds of "
                       "places",
                       (long long)kinds);
    }
    memset(out->of_rows, 0, (size_t)out->rows * sizeof *out->of_rows);
    memset(out->of_places, 0, (size_t)out->row_places * sizeof *out->of_places);
    memset(out->weights, 0, (size_t)(kinds * out->filters) * sizeof *out->weights);
    return TN_OK;
}

/* Rows are along axis `row_axis` of the three, places within a row along those behind it. */
static tn_status fill_kinds(const tn_host *host, const axis_kinds *axes, int32_t row_axis,
                            const int64_t *kernel, const tn_view *weight, place_kinds *out) {
    const int64_t all = axes[0].count * axes[1].count * axes[2].count;
    out->count_in_row = all / axes[row_axis].count;
    TN_TRY(allocate_kinds(host, all, out));
    memcpy(out->of_rows, axes[row_axis].of_places, (size_t)out->rows * sizeof *out->of_rows);
    for (int64_t place = 0; place < out->row_places; place++) {
        const int64_t y = row_axis < 1 ? axes[1].of_places[place / axes[2].places] : 0;
        const int64_t x = row_axis < 2 ? axes[2].of_places[place % axes[2].places] : 0;
        out->of_places[place] = (int32_t)(y * (row_axis < 2 ? axes[2].count : 1) + x);
    }
    for (int64_t i = 0; i < all; i++) {
        const int64_t kinds[] = {i / axes[2].count / axes[1].count,
                                 i / axes[2].count % axes[1].count, i % axes[2].count};
        sum_weights(axes, kinds, kernel, weight, out->weights + i * out->filters);
    }
    return TN_OK;
}

/* The window's axes are the last of three, of which the others have one place. */
static tn_status find_kinds(const tn_host *host, const window_shape *window, const tn_view *data,
                            const tn_view *output, const tn_view *weight, axis_kinds *axes,
                            place_kinds *out) {
    const int32_t row_axis = WINDOW_MAX_RANK - window->rank;
    int64_t kernel[WINDOW_MAX_RANK];
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        const window_side single = {1, 1, 1, 0, 0};
        const int32_t axis = i - row_axis;
        const window_side *side = axis < 0 ? &single : &window->sides[axis];
        kernel[i] = side->kernel;
        TN_TRY(find_axis(host, side, axis < 0 ? 1 : output->shape[2 + axis],
                         axis < 0 ? 1 : data->shape[2 + axis], &axes[i]));
    }
    return fill_kinds(host, axes, row_axis, kernel, weight, out);
}

tn_status place_kinds_create(const tn_host *host, const window_shape *window, const tn_view *data,
                             const tn_view *output, const tn_view *weight, int is_zero,
                             place_kinds *out) {
    axis_kinds axes[WINDOW_MAX_RANK] = {{0}};
    *out = (place_kinds){.rows = output->shape[2],
                         .row_places = tn_extent_product(output->shape, 3, output->rank),
                         .filters = weight->shape[0],
                         .count_in_row = 1};
    if (is_zero) {
        return allocate_kinds(host, 1, out);
    }
    const tn_status status = find_kinds(host, window, data, output, weight, axes, out);
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        release(host, axes[i].of_places);
        release(host, axes[i].reaches);
    }
    return status;
}

void place_kinds_destroy(const tn_host *host, place_kinds *kinds) {
    release(host, kinds->of_rows);
    release(host, kinds->of_places);
    release(host, kinds->weights);
}
