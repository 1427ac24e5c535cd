#include "rows.h"

/* Where an operand's elements are along the output's axes: 0 where it is stretched. */
static void find_strides(const tn_view *operand, int32_t rank, int64_t *out_strides) {
    int64_t stride = 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        const int32_t own = axis - (rank - operand->rank);
        const int64_t extent = own >= 0 ? operand->shape[own] : 1;
        out_strides[axis] = stride;
        if (extent == 1) {
            out_strides[axis] = 0;
        } else if (operand->strides != NULL) {
            out_strides[axis] = operand->strides[own];
        }
        stride *= extent;
    }
}

/* The output's axis that is number `place` in memory: the channels come last where they do. */
static int32_t axis_in_memory(const tn_view *output, int32_t place) {
    if (output->strides == NULL || place == 0) {
        return place;
    }
    return place == output->rank - 1 ? 1 : place + 1;
}

row_walk plan_rows(const tn_view *const *operands, int operand_count, const tn_view *output) {
    int64_t strides[WALK_OPERANDS][TN_MAX_RANK] = {{0}};
    row_walk walk = {.outer = {.rank = 0}, .row_length = 1, .steps = {1, 1}};
    for (int k = 0; k < operand_count; k++) {
        find_strides(operands[k], output->rank, strides[k]);
    }
    for (int32_t place = 0; place < output->rank; place++) {
        const int32_t axis = axis_in_memory(output, place);
        const int64_t along_axis[WALK_OPERANDS] = {strides[0][axis], strides[1][axis]};
        append_axis(&walk.outer, output->shape[axis], along_axis);
    }
    if (walk.outer.rank > 0) {
        const int32_t innermost = --walk.outer.rank;
        walk.row_length = walk.outer.extents[innermost];
        walk.steps[0] = walk.outer.strides[innermost][0];
        walk.steps[1] = walk.outer.strides[innermost][1];
    }
    return walk;
}

static int has_extents_of(const tn_shape *shape, const tn_shape *output) {
    return shape->rank == output->rank &&
           memcmp(shape->extents, output->extents,
                  (size_t)output->rank * sizeof *output->extents) == 0;
}

/* Whether an input that stays row-major has one element, or elements side by side, for a row of
 * channels. */
static int has_rows_of_channels(const tn_shape *shape, const tn_shape *output) {
    const int32_t axis = 1 - (output->rank - shape->rank);
    return axis < 0 || shape->extents[axis] == 1 ||
           tn_extent_product(shape->extents, axis + 1, shape->rank) == 1;
}

void layouts_of_rows(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    const tn_shape *output = &query->outputs[0].shape;
    uint32_t layout = TN_LAYOUT_ROW_MAJOR;
    int can_walk = 1;
    for (uint32_t i = 0; i < query->input_count; i++) {
        const tn_shape *shape = &query->inputs[i].shape;
        if (has_extents_of(shape, output)) {
            layout = inputs[i] == TN_LAYOUT_ROW_MAJOR ? layout : inputs[i];
        } else {
            can_walk =
                can_walk && (shape->rank == output->rank || has_rows_of_channels(shape, output));
        }
    }
    layout = can_walk ? layout : TN_LAYOUT_ROW_MAJOR;
    for (uint32_t i = 0; i < query->input_count; i++) {
        inputs[i] = query->inputs[i].shape.rank == output->rank ? layout : TN_LAYOUT_ROW_MAJOR;
    }
    outputs[0] = layout;
}

/* A place in the walk: a row, and the first element in it that has not been visited. */
typedef struct row_cursor {
    axis_position row;
    int64_t start;
} row_cursor;

static void start_at(const row_walk *walk, int64_t begin, row_cursor *out_cursor) {
    locate_position(&walk->outer, begin / walk->row_length, &out_cursor->row);
    out_cursor->start = begin % walk->row_length;
}

static int64_t rest_of_row(const row_walk *walk, const row_cursor *cursor, int64_t limit) {
    const int64_t rest = walk->row_length - cursor->start;
    return rest < limit ? rest : limit;
}

static int64_t offset_of(const row_walk *walk, const row_cursor *cursor, int operand) {
    return cursor->row.offsets[operand] + cursor->start * walk->steps[operand];
}

static void go_to_next_row(const row_walk *walk, row_cursor *cursor) {
    advance_position(&walk->outer, &cursor->row);
    cursor->start = 0;
}

/* A constant size makes each copy a move; a loop for each size becomes vector code. */
#define REPEAT(SIZE)                                                                               \
    case SIZE:                                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            memcpy(target + (size_t)i * SIZE, element, SIZE);                                      \
        }                                                                                          \
        break;

/* The element is not within the target. */
static void repeat_element(const char *restrict element, size_t element_size, int64_t count,
                           char *restrict target) {
    switch (element_size) {
        REPEAT(1)
        REPEAT(2)
        REPEAT(4)
        REPEAT(8)
    default: break;
    }
}

/* Rows of a few elements are not worth a call of memcpy. */
#define SHORT_COPY 8

#define COPY(SIZE)                                                                                 \
    case SIZE:                                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            memcpy(target + (size_t)i * SIZE, elements + (size_t)i * stride, SIZE);                \
        }                                                                                          \
        break;

static void copy_elements(const char *elements, size_t stride, size_t element_size, int64_t count,
                          char *target) {
    switch (element_size) {
        COPY(1)
        COPY(2)
        COPY(4)
        COPY(8)
    default: break;
    }
}

/* `stride` is in bytes, 0 to repeat one element. */
static void gather_row(const char *elements, size_t stride, size_t element_size, int64_t count,
                       char *target) {
    if (stride == element_size && count >= SHORT_COPY) {
        memcpy(target, elements, (size_t)count * element_size);
    } else if (stride == 0) {
        repeat_element(elements, element_size, count, target);
    } else {
        copy_elements(elements, stride, element_size, count, target);
    }
}

void gather_rows(const row_walk *walk, int operand, const char *elements, size_t element_size,
                 int64_t begin, int64_t count, char *target) {
    const size_t stride = (size_t)walk->steps[operand] * element_size;
    row_cursor cursor;
    start_at(walk, begin, &cursor);
    while (count > 0) {
        const int64_t length = rest_of_row(walk, &cursor, count);
        const size_t offset = (size_t)offset_of(walk, &cursor, operand) * element_size;
        gather_row(elements + offset, stride, element_size, length, target);
        target += (size_t)length * element_size;
        count -= length;
        go_to_next_row(walk, &cursor);
    }
}

void walk_rows(const row_walk *walk, int64_t begin, int64_t end, row_body body, void *context) {
    row_cursor cursor;
    start_at(walk, begin, &cursor);
    while (begin < end) {
        const int64_t count = rest_of_row(walk, &cursor, end - begin);
        const int64_t offsets[WALK_OPERANDS] = {offset_of(walk, &cursor, 0),
                                                offset_of(walk, &cursor, 1)};
        body(context, begin, count, offsets);
        begin += count;
        go_to_next_row(walk, &cursor);
    }
}
