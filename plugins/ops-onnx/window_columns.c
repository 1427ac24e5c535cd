#include "window_columns.h"

#include "elements.h"

int64_t window_plane_size(const sliding_window *window) {
    int64_t size = 1;
    for (int32_t i = 0; i < window->rank; i++) {
        size *= window->axes[i].extent;
    }
    return size;
}

static void split_offset(const sliding_window *window, int64_t offset, int64_t *out_offsets) {
    for (int32_t axis = window->rank - 1; axis >= 0; axis--) {
        out_offsets[axis] = offset % window->axes[axis].kernel;
        offset /= window->axes[axis].kernel;
    }
}

/* A line of places along the innermost axis: the row of the plane that it looks at, -1 when that is
 * in the padding. */
static int64_t row_of_line(const sliding_window *window, const int64_t *offsets, int64_t line) {
    int64_t row = 0, stride = 1;
    for (int32_t axis = window->rank - 2; axis >= 0; axis--) {
        const window_axis *along = &window->axes[axis];
        const int64_t place = axis == 0 ? line : line % along->places;
        const int64_t index = place * along->stride - along->pad + offsets[axis] * along->dilation;
        line /= axis == 0 ? 1 : along->places;
        if (index < 0 || index >= along->extent) {
            return -1;
        }
        row += index * stride;
        stride *= along->extent;
    }
    return row;
}

/* The places of a line whose element is within the data: from first until before end. */
static void inner_reach(const window_axis *inner, int64_t start, int64_t *out_first,
                        int64_t *out_end) {
    const int64_t left = inner->extent - start;
    const int64_t first = start < 0 ? (-start + inner->stride - 1) / inner->stride : 0;
    const int64_t end = left <= 0 ? 0 : (left + inner->stride - 1) / inner->stride;
    *out_first = first < inner->places ? first : inner->places;
    *out_end = end < *out_first ? *out_first : end < inner->places ? end : inner->places;
}

static void fill_with(const window_columns *columns, char *target, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        copy_element(target + i * (int64_t)columns->element_size, (const char *)columns->padding,
                     columns->element_size);
    }
}

/* `from` is the element of the first place, `count` the places. */
static void copy_places(const char *from, int64_t stride, int64_t count, size_t size,
                        char *target) {
    if (stride == 1) {
        memcpy(target, from, (size_t)count * size);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        copy_element(target + i * (int64_t)size, from + i * stride * (int64_t)size, size);
    }
}

void window_columns_fill_row(const window_columns *columns, int64_t row, int64_t first_line,
                             int64_t lines, char *target) {
    const sliding_window *window = columns->window;
    const window_axis *inner = &window->axes[window->rank - 1];
    const int64_t size = (int64_t)columns->element_size, kernel = window_kernel_size(window);
    const char *plane = columns->data + row / kernel * window_plane_size(window) * size;
    int64_t offsets[WINDOW_MAX_RANK], first, end;
    split_offset(window, row % kernel, offsets);
    const int64_t start = offsets[window->rank - 1] * inner->dilation - inner->pad;
    inner_reach(inner, start, &first, &end);
    for (int64_t line = 0; line < lines; line++, target += inner->places * size) {
        const int64_t found = row_of_line(window, offsets, first_line + line);
        if (found < 0 || first == end) {
            fill_with(columns, target, inner->places);
            continue;
        }
        fill_with(columns, target, first);
        copy_places(plane + (found * inner->extent + start + first * inner->stride) * size,
                    inner->stride, end - first, columns->element_size, target + first * size);
        fill_with(columns, target + end * size, inner->places - end);
    }
}

static void fill_rows(void *context, int64_t begin, int64_t end) {
    const window_columns *columns = context;
    const int64_t places = window_places(columns->window);
    const int64_t lines = places / columns->window->axes[columns->window->rank - 1].places;
    for (int64_t row = begin; row < end; row++) {
        window_columns_fill_row(columns, row, 0, lines,
                                columns->columns + row * places * (int64_t)columns->element_size);
    }
}

void window_columns_fill(const tn_host *host, const window_columns *columns) {
    const int64_t places = window_places(columns->window);
    window_columns job = *columns;
    if (places > 0) {
        tn_parallel_for(host, columns->channels * window_kernel_size(columns->window),
                        32768 / places + 1, fill_rows, &job);
    }
}

typedef struct add_job {
    const sliding_window *window;
    const double *columns;
    double *planes;
} add_job;

static void add_channels(void *context, int64_t begin, int64_t end) {
    const add_job *job = context;
    const sliding_window *window = job->window;
    const window_axis *inner = &window->axes[window->rank - 1];
    const int64_t kernel = window_kernel_size(window), places = window_places(window);
    const int64_t plane = window_plane_size(window);
    for (int64_t row = begin * kernel; row < end * kernel; row++) {
        int64_t offsets[WINDOW_MAX_RANK];
        split_offset(window, row % kernel, offsets);
        const int64_t start = offsets[window->rank - 1] * inner->dilation - inner->pad;
        for (int64_t line = 0; line < places / inner->places; line++) {
            const int64_t found = row_of_line(window, offsets, line);
            int64_t first = 0, stop = 0;
            inner_reach(inner, start, &first, &stop);
            const double *from = job->columns + row * places + line * inner->places;
            double *to = job->planes + row / kernel * plane + found * inner->extent + start;
            for (int64_t i = first; found >= 0 && i < stop; i++) {
                to[i * inner->stride] += from[i];
            }
        }
    }
}

void window_columns_add(const tn_host *host, const sliding_window *window, int64_t channels,
                        const double *columns, double *planes) {
    add_job job = {window, columns, planes};
    if (window_places(window) > 0 && window_plane_size(window) > 0) {
        tn_parallel_for(host, channels, 1, add_channels, &job);
    }
}
