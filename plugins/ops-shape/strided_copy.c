#include "strided_copy.h"

#include <stdlib.h>

/* Rows that one block of work covers at most. */
#define BLOCK_ROWS 64

/* Rows and columns that are transposed at a time, in memory of their own. */
#define TILE 16

/* Bytes that are worth handing to another thread. */
#define GRAIN_BYTES (128 * 1024)

void strided_copy_begin(strided_copy *copy, size_t element_size) {
    memset(copy, 0, offsetof(strided_copy, axes));
    copy->unit = (uint32_t)element_size;
}

void strided_copy_add_axis(strided_copy *copy, int64_t extent, int64_t source_stride,
                           int64_t target_stride) {
    strided_axis *axis = &copy->axes[copy->rank++];
    axis->extent = extent;
    axis->source_stride = source_stride * copy->unit;
    axis->target_stride = target_stride * copy->unit;
}

void strided_copy_offset(strided_copy *copy, int64_t source_elements, int64_t target_elements) {
    copy->source_offset += source_elements * copy->unit;
    copy->target_offset += target_elements * copy->unit;
}

static int64_t at_most(int64_t value, int64_t limit) {
    return value < limit ? value : limit;
}

/*
 * Planes are copied element by element; memcpy of a constant size is one move instruction and asks
 * for no alignment.
 *
 * copy_elements serves any strides, by lines along the longer side of the plane. transpose_elements
 * serves planes whose rows lie side by side in the source and whose columns do in the target: it
 * reads and writes whole cache lines, by way of a small tile, so that strides of a power of two do
 * not throw lines out of the cache early.
 */
#define DEFINE_ELEMENT_COPIERS(SIZE)                                                               \
    static void copy_line_##SIZE(int64_t count, const char *source, int64_t source_stride,         \
                                 char *target, int64_t target_stride) {                            \
        for (int64_t i = 0; i < count; i++) {                                                      \
            memcpy(target + i * target_stride, source + i * source_stride, SIZE);                  \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void copy_elements_##SIZE(const strided_axis *rows, const strided_axis *columns,        \
                                     int64_t begin, int64_t end, const char *source,               \
                                     char *target) {                                               \
        const char *from = source + begin * rows->source_stride;                                   \
        char *to = target + begin * rows->target_stride;                                           \
        const int is_along_rows = columns->extent >= end - begin;                                  \
        const strided_axis *line = is_along_rows ? columns : rows;                                 \
        const strided_axis *other = is_along_rows ? rows : columns;                                \
        const int64_t count = is_along_rows ? columns->extent : end - begin;                       \
        const int64_t lines = is_along_rows ? end - begin : columns->extent;                       \
        for (int64_t i = 0; i < lines; i++) {                                                      \
            copy_line_##SIZE(count, from, line->source_stride, to, line->target_stride);           \
            from += other->source_stride;                                                          \
            to += other->target_stride;                                                            \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static inline void transpose_tile_##SIZE(const char *source, int64_t source_stride,            \
                                             int64_t width, char *target, int64_t target_stride,   \
                                             int64_t height) {                                     \
        char tile[TILE][TILE * (SIZE)];                                                            \
        for (int64_t column = 0; column < width; column++) {                                       \
            memcpy(tile[column], source + column * source_stride, (size_t)height * (SIZE));        \
        }                                                                                          \
        for (int64_t row = 0; row < height; row++) {                                               \
            for (int64_t column = 0; column < width; column++) {                                   \
                memcpy(target + row * target_stride + column * (SIZE),                             \
                       tile[column] + row * (SIZE), SIZE);                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void transpose_elements_##SIZE(const strided_axis *rows, const strided_axis *columns,   \
                                          int64_t begin, int64_t end, const char *source,          \
                                          char *target) {                                          \
        const int64_t source_stride = columns->source_stride;                                      \
        const int64_t target_stride = rows->target_stride;                                         \
        for (int64_t column = 0; column < columns->extent; column += TILE) {                       \
            const int64_t width = at_most(TILE, columns->extent - column);                         \
            for (int64_t row = begin; row < end; row += TILE) {                                    \
                const int64_t height = at_most(TILE, end - row);                                   \
                const char *from = source + row * (SIZE) + column * source_stride;                 \
                char *to = target + row * target_stride + column * (SIZE);                         \
                if (width == TILE && height == TILE) { /* with loops of a known length */          \
                    transpose_tile_##SIZE(from, source_stride, TILE, to, target_stride, TILE);     \
                } else {                                                                           \
                    transpose_tile_##SIZE(from, source_stride, width, to, target_stride, height);  \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_ELEMENT_COPIERS(1)
DEFINE_ELEMENT_COPIERS(2)
DEFINE_ELEMENT_COPIERS(4)
DEFINE_ELEMENT_COPIERS(8)
DEFINE_ELEMENT_COPIERS(16)

static plane_copier choose_element_copier(const strided_copy *copy) {
    const strided_axis *rows = &copy->axes[copy->rank - 2];
    const strided_axis *columns = &copy->axes[copy->rank - 1];
    const int64_t unit = copy->unit;
    const int transposes = rows->source_stride == unit && columns->target_stride == unit &&
                           rows->extent >= TILE / 2 && columns->extent >= TILE / 2;
    switch (copy->unit) {
    case 1: return transposes ? transpose_elements_1 : copy_elements_1;
    case 2: return transposes ? transpose_elements_2 : copy_elements_2;
    case 4: return transposes ? transpose_elements_4 : copy_elements_4;
    case 8: return transposes ? transpose_elements_8 : copy_elements_8;
    default: return transposes ? transpose_elements_16 : copy_elements_16;
    }
}

/* Where the columns lie side by side on both sides, a row is one run of bytes. */
static void copy_runs(const strided_axis *rows, const strided_axis *columns, int64_t begin,
                      int64_t end, const char *source, char *target) {
    const size_t size = (size_t)(columns->extent * columns->target_stride);
    for (int64_t row = begin; row < end; row++) {
        memcpy(target + row * rows->target_stride, source + row * rows->source_stride, size);
    }
}

/* The axis on which the target steps least comes last; axes that are in order stay so. */
static void sort_axes(strided_copy *copy) {
    for (int32_t i = 1; i < copy->rank; i++) {
        const strided_axis axis = copy->axes[i];
        int32_t place = i;
        while (place > 0 &&
               llabs(copy->axes[place - 1].target_stride) < llabs(axis.target_stride)) {
            copy->axes[place] = copy->axes[place - 1];
            place--;
        }
        copy->axes[place] = axis;
    }
}

/* Drops axes of extent 1 and joins neighbours that step on as one axis would, on both sides. */
static void join_axes(strided_copy *copy) {
    int32_t kept = 0;
    for (int32_t i = 0; i < copy->rank; i++) {
        const strided_axis inner = copy->axes[i];
        if (inner.extent == 1) {
            continue;
        }
        strided_axis *outer = kept > 0 ? &copy->axes[kept - 1] : NULL;
        if (outer != NULL && outer->source_stride == inner.extent * inner.source_stride &&
            outer->target_stride == inner.extent * inner.target_stride) {
            outer->extent *= inner.extent;
            outer->source_stride = inner.source_stride;
            outer->target_stride = inner.target_stride;
        } else {
            copy->axes[kept++] = inner;
        }
    }
    copy->rank = kept;
}

static int is_run(const strided_copy *copy, const strided_axis *axis) {
    return axis->source_stride == (int64_t)copy->unit && axis->target_stride == (int64_t)copy->unit;
}

/* A short innermost run is moved as one wider element. */
static void widen_unit(strided_copy *copy) {
    while (copy->rank > 0 && is_run(copy, &copy->axes[copy->rank - 1])) {
        const int64_t extent = copy->axes[copy->rank - 1].extent;
        if (extent > 16 / (int64_t)copy->unit || (extent & (extent - 1)) != 0) {
            return;
        }
        copy->unit *= (uint32_t)extent;
        copy->rank--;
    }
}

/* Makes the axis on which the source steps least the rows of the plane, so that rows share cache
 * lines. */
static void choose_rows(strided_copy *copy) {
    int32_t best = copy->rank - 2;
    for (int32_t i = 0; i < copy->rank - 1; i++) {
        const int64_t step = llabs(copy->axes[i].source_stride);
        if (step != 0 && step < llabs(copy->axes[best].source_stride)) {
            best = i;
        }
    }
    const strided_axis rows = copy->axes[best];
    memmove(&copy->axes[best], &copy->axes[best + 1],
            (size_t)(copy->rank - 2 - best) * sizeof(strided_axis));
    copy->axes[copy->rank - 2] = rows;
}

/* Puts axes of extent 1 in front, so that there is always a plane. */
static void pad_to_plane(strided_copy *copy) {
    while (copy->rank < 2) {
        memmove(&copy->axes[1], &copy->axes[0], (size_t)copy->rank * sizeof(strided_axis));
        copy->axes[0] = (strided_axis){1, 0, 0};
        copy->rank++;
    }
}

static int is_empty(const strided_copy *copy) {
    for (int32_t i = 0; i < copy->rank; i++) {
        if (copy->axes[i].extent == 0) {
            return 1;
        }
    }
    return 0;
}

/* Cuts the work into blocks of rows. */
static void divide_work(strided_copy *copy) {
    const int64_t rows = copy->axes[copy->rank - 2].extent;
    const int64_t row_bytes = copy->axes[copy->rank - 1].extent * copy->unit;
    const int64_t rows_in_grain = GRAIN_BYTES / row_bytes + 1;
    copy->block_rows = at_most(rows, BLOCK_ROWS);
    if (copy->copy_plane == copy_runs && copy->block_rows > rows_in_grain) {
        copy->block_rows = rows_in_grain;
    }
    copy->block_count = (rows - 1) / copy->block_rows + 1;
    copy->item_count = copy->block_count;
    for (int32_t i = 0; i < copy->rank - 2; i++) {
        copy->item_count *= copy->axes[i].extent;
    }
    copy->grain = rows_in_grain / copy->block_rows + 1;
}

void strided_copy_finish(strided_copy *copy) {
    if (is_empty(copy)) {
        copy->item_count = 0;
        return;
    }
    sort_axes(copy);
    join_axes(copy);
    if (copy->rank == 0 || (copy->rank == 1 && is_run(copy, &copy->axes[0]))) {
        copy->copy_plane = NULL;
        copy->item_count = 1;
        return;
    }
    widen_unit(copy);
    pad_to_plane(copy);
    if (is_run(copy, &copy->axes[copy->rank - 1])) {
        copy->copy_plane = copy_runs;
    } else {
        choose_rows(copy);
        copy->copy_plane = choose_element_copier(copy);
    }
    divide_work(copy);
}

/* One copy at work, shared by the threads. */
typedef struct copy_job {
    const strided_copy *copy;
    const char *source;
    char *target;
} copy_job;

/* Which plane a thread is at. */
typedef struct plane_cursor {
    int64_t indices[STRIDED_COPY_MAX_RANK];
    const char *source;
    char *target;
} plane_cursor;

static void cursor_seek(plane_cursor *cursor, const copy_job *job, int64_t plane) {
    cursor->source = job->source;
    cursor->target = job->target;
    for (int32_t i = job->copy->rank - 3; i >= 0; i--) {
        const strided_axis *axis = &job->copy->axes[i];
        cursor->indices[i] = plane % axis->extent;
        plane /= axis->extent;
        cursor->source += cursor->indices[i] * axis->source_stride;
        cursor->target += cursor->indices[i] * axis->target_stride;
    }
}

static void cursor_advance(plane_cursor *cursor, const strided_copy *copy) {
    for (int32_t i = copy->rank - 3; i >= 0; i--) {
        const strided_axis *axis = &copy->axes[i];
        cursor->source += axis->source_stride;
        cursor->target += axis->target_stride;
        if (++cursor->indices[i] < axis->extent) {
            return;
        }
        cursor->indices[i] = 0;
        cursor->source -= axis->extent * axis->source_stride;
        cursor->target -= axis->extent * axis->target_stride;
    }
}

static void copy_blocks(void *context, int64_t begin, int64_t end) {
    const copy_job *job = context;
    const strided_copy *copy = job->copy;
    const strided_axis *rows = &copy->axes[copy->rank - 2];
    const strided_axis *columns = &copy->axes[copy->rank - 1];
    int64_t block = begin % copy->block_count;
    plane_cursor cursor;
    cursor_seek(&cursor, job, begin / copy->block_count);
    for (int64_t item = begin; item < end; item++) {
        const int64_t first = block * copy->block_rows;
        const int64_t last = at_most(first + copy->block_rows, rows->extent);
        copy->copy_plane(rows, columns, first, last, cursor.source, cursor.target);
        if (++block == copy->block_count) {
            block = 0;
            cursor_advance(&cursor, copy);
        }
    }
}

void strided_copy_run(const tn_host *host, const strided_copy *copy, const void *source,
                      void *target) {
    if (copy->item_count == 0) {
        return;
    }
    copy_job job = {copy, (const char *)source + copy->source_offset,
                    (char *)target + copy->target_offset};
    if (copy->copy_plane == NULL) {
        const int64_t extent = copy->rank == 0 ? 1 : copy->axes[0].extent;
        copy_bytes(host, job.target, job.source, extent * copy->unit);
        return;
    }
    tn_parallel_for(host, copy->item_count, copy->grain, copy_blocks, &job);
}

static void copy_range(void *context, int64_t begin, int64_t end) {
    const copy_job *job = context;
    memcpy(job->target + begin, job->source + begin, (size_t)(end - begin));
}

void copy_bytes(const tn_host *host, void *target, const void *source, int64_t size) {
    copy_job job = {NULL, source, target};
    tn_parallel_for(host, size, GRAIN_BYTES, copy_range, &job);
}
