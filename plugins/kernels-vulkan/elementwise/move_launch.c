/* The launches of a move: by larger elements where it moves runs of them, and through tiles where
 * rows become columns. */
#include "mover.h"

#define PART_ALIGNMENT 256u /* no device asks for more */

static sized_shaders move_shaders = SHADERS_TO_16(move);

/* Whether the move can be done in elements of twice the size. */
static int can_double(const element_move *move) {
    const joined_axes *axes = &move->axes;
    const uint32_t last = axes->rank - 1;
    int64_t odd = axes->extents[last] | move->from_place | move->to_place;
    for (uint32_t axis = 0; axis < last; axis++) {
        odd |= axes->strides[0][axis] | axes->strides[1][axis];
    }
    return axes->strides[0][last] == 1 && axes->strides[1][last] == 1 && odd % 2 == 0;
}

static void double_elements(element_move *move) {
    joined_axes *axes = &move->axes;
    const uint32_t last = axes->rank - 1;
    axes->extents[last] /= 2;
    move->from_place /= 2;
    move->to_place /= 2;
    for (uint32_t axis = 0; axis < last; axis++) {
        axes->strides[0][axis] /= 2;
        axes->strides[1][axis] /= 2;
    }
}

typedef struct move_push {
    uint32_t count;
    uint32_t from_place;
    uint32_t to_place;
    uint32_t extents[SHADER_MAX_AXES];
    uint32_t from_strides[SHADER_MAX_AXES];
    uint32_t to_strides[SHADER_MAX_AXES];
} move_push;

static int is_run(const joined_axes *axes) {
    return axes->rank == 1 && axes->strides[0][0] == 1 && axes->strides[1][0] == 1;
}

/* Binds a tensor from the place on, where that is allowed: launches that write to other parts of it
 * then need not wait for one another. */
static void bind_from(program_binding *binding, uint32_t *place, uint32_t size) {
    const uint64_t offset = (uint64_t)*place * size;
    if (offset % PART_ALIGNMENT == 0) {
        binding->offset += offset;
        binding->size -= offset;
        *place = 0;
    }
}

static void add_plain_move(device_program *program, const tn_prepare_call *call,
                           const element_move *move, uint32_t size) {
    const joined_axes *axes = &move->axes;
    const tn_specialization constants[] = {{2, axes->rank}};
    move_push push = {.count = (uint32_t)axes_count(axes),
                      .from_place = (uint32_t)move->from_place,
                      .to_place = (uint32_t)move->to_place};
    axes_store(axes->extents, axes->rank, push.extents, SHADER_MAX_AXES);
    axes_store(axes->strides[0], axes->rank, push.from_strides, SHADER_MAX_AXES);
    axes_store(axes->strides[1], axes->rank, push.to_strides, SHADER_MAX_AXES);
    program_launch launch = {
        .shader = move_shaders[size_class(size)],
        .invocations = push.count,
        .bindings = {bind_input(call, move->input), bind_output(call, move->output)},
        PROGRAM_PUSH(push),
        PROGRAM_CONSTANTS(constants),
    };
    if (is_run(axes)) {
        bind_from(&launch.bindings[0], &push.from_place, size);
        bind_from(&launch.bindings[1], &push.to_place, size);
    }
    if (is_run(axes) && push.from_place == 0 && push.to_place == 0) {
        add_contiguous(program, &launch, &push.count, push.count, (const uint32_t[]){size, size});
    } else {
        program_add(program, &launch);
    }
}

/* Tiles, for a batch with at most two axes of matrices. */

#define TILE 32
#define MAX_BATCH_AXES 2u

static const shader_code *const tile_shaders[4] = {NULL, &shader_move_tile_2, &shader_move_tile_4,
                                                   &shader_move_tile_8};

/* The axis along which the input's elements follow one another, when the output's follow one
 * another along the last. TN_MAX_RANK: there is no such pair, or it is not worth while. */
static uint32_t find_columns(const joined_axes *axes, uint32_t size) {
    const uint32_t last = axes->rank - 1;
    if (size < 2 || size > 8 || axes->rank > 2 + MAX_BATCH_AXES || axes->strides[1][last] != 1 ||
        axes->strides[0][last] < 8 || axes->extents[last] < 8) {
        return TN_MAX_RANK;
    }
    uint32_t columns = TN_MAX_RANK;
    for (uint32_t axis = 0; axis < axes->rank; axis++) {
        if (axes->strides[0][axis] < 0 || axes->strides[1][axis] < 0) {
            return TN_MAX_RANK;
        }
        if (axis < last && axes->strides[0][axis] == 1 && axes->extents[axis] >= 8) {
            columns = axis;
        }
    }
    return columns;
}

typedef struct tile_push {
    uint32_t rows;
    uint32_t columns;
    uint32_t tiles_across;
    uint32_t tiles;
    uint32_t matrices;
    uint32_t inner_matrices;
    uint32_t from_row;
    uint32_t to_column;
    uint32_t from_strides[MAX_BATCH_AXES];
    uint32_t to_strides[MAX_BATCH_AXES];
} tile_push;

static void add_tiled_move(device_program *program, const tn_prepare_call *call,
                           const element_move *move, uint32_t columns, uint32_t size) {
    const joined_axes *axes = &move->axes;
    const uint32_t last = axes->rank - 1;
    tile_push push = {.rows = (uint32_t)axes->extents[last],
                      .columns = (uint32_t)axes->extents[columns],
                      .matrices = 1,
                      .inner_matrices = 1,
                      .from_row = (uint32_t)axes->strides[0][last],
                      .to_column = (uint32_t)axes->strides[1][columns]};
    uint32_t batch = MAX_BATCH_AXES;
    for (uint32_t axis = last; axis-- > 0;) {
        if (axis != columns) {
            batch--;
            push.matrices *= (uint32_t)axes->extents[axis];
            push.from_strides[batch] = (uint32_t)axes->strides[0][axis];
            push.to_strides[batch] = (uint32_t)axes->strides[1][axis];
            push.inner_matrices = batch == 1 ? (uint32_t)axes->extents[axis] : push.inner_matrices;
        }
    }
    push.tiles_across = (push.columns + TILE - 1) / TILE;
    push.tiles = push.tiles_across * ((push.rows + TILE - 1) / TILE);
    program_add(program,
                &(program_launch){
                    .shader = tile_shaders[size_class(size)],
                    .workgroups = (uint64_t)push.tiles * push.matrices,
                    .bindings = {bind_input(call, move->input), bind_output(call, move->output)},
                    PROGRAM_PUSH(push),
                });
}

void add_move(device_program *program, const tn_prepare_call *call, const element_move *move) {
    uint32_t size = (uint32_t)TN_DTYPE_SIZE(call->outputs[0]->dtype);
    element_move doubled = *move;
    while (size < 16 && can_double(&doubled)) {
        double_elements(&doubled);
        size *= 2;
    }
    if (size < 4) {
        require_elements(program, call, call->outputs[0]->dtype, 0);
    }
    const uint32_t columns = find_columns(&doubled.axes, size);
    if (columns != TN_MAX_RANK && doubled.from_place == 0 && doubled.to_place == 0) {
        add_tiled_move(program, call, &doubled, columns, size);
    } else {
        add_plain_move(program, call, &doubled, size);
    }
}

void add_copy(device_program *program, const tn_prepare_call *call) {
    element_move whole = {.axes = {.rank = 0}};
    axes_add(&whole.axes, tn_element_count(call->inputs[0]), 1, 1);
    axes_finish(&whole.axes);
    if (axes_count(&whole.axes) > 0) {
        add_move(program, call, &whole);
    }
}
