/* Movers that take elements more than once, or as they are: tile, repeat, broadcast_to and its kin,
 * and the operators that copy their input. */
#include "entries_elementwise.h"
#include "mover.h"
#include "mover_kernel.h"

typedef struct tile_attributes {
    tn_ints reps;
} tile_attributes;

static const tn_attribute tile_fields[] = {
    TN_FIELD(tile_attributes, reps, INTS, NULL, "[0,inf)", "How often along each axis."),
};

/* Item `axis` of a list that is aligned at its end with the axes; 1 where it is too short. */
static int64_t aligned_reps(const tn_ints *reps, int32_t axis, int32_t rank) {
    const int64_t i = axis + reps->count - rank;
    return i < 0 ? 1 : reps->values[i];
}

static void describe_tile(const mover_node *node, uint32_t number, element_move *out_move) {
    const tile_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    (void)number;
    axes_compact_strides(data.rank, data.extents, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < output.rank; axis++) {
        const int32_t own = axis + data.rank - output.rank;
        const int64_t extent = own < 0 ? 1 : data.extents[own];
        axes_add(&out_move->axes, aligned_reps(&given->reps, axis, output.rank), 0,
                 extent * to[axis]);
        axes_add(&out_move->axes, extent, own < 0 ? 0 : from[own], to[axis]);
    }
}

MOVER(tile, MOVES_ONE)
MOVER_KERNEL(tile, tile)

typedef struct repeat_attributes {
    int64_t repeats;
    int64_t axis;
} repeat_attributes;

static const tn_attribute repeat_fields[] = {
    TN_FIELD(repeat_attributes, repeats, INT, NULL, "[0,inf)", "How often each element appears."),
    TN_FIELD_OR_NONE(repeat_attributes, axis, INT, "None", "[-32,31]", "The axis."),
};

static void describe_repeat(const mover_node *node, uint32_t number, element_move *out_move) {
    const repeat_attributes *given = node->attributes;
    const mover_shape data = mover_input(node, 0);
    const int32_t axis =
        given->axis == TN_NONE ? data.rank - 1 : mover_axis(given->axis, data.rank);
    const int64_t outer = mover_product(data, 0, axis + 1);
    const int64_t inner = mover_product(data, axis + 1, data.rank);
    const int64_t repeats = outer == 0 ? 0 : given->repeats; /* unbounded when nothing is there */
    (void)number;
    axes_add(&out_move->axes, outer, inner, inner * repeats);
    axes_add(&out_move->axes, repeats, 0, inner);
    axes_add(&out_move->axes, inner, 1, 1);
}

MOVER(repeat, MOVES_ONE)
MOVER_KERNEL(repeat, repeat)

static void describe_stretch(const mover_node *node, uint32_t number, element_move *out_move) {
    const mover_shape data = mover_input(node, 0), output = mover_output(node, 0);
    int64_t from[TN_MAX_RANK], to[TN_MAX_RANK];
    (void)number;
    axes_stretched_strides(data.rank, data.extents, output.rank, from);
    axes_compact_strides(output.rank, output.extents, to);
    for (int32_t axis = 0; axis < output.rank; axis++) {
        axes_add(&out_move->axes, output.extents[axis], from[axis], to[axis]);
    }
}

MOVER(stretch, MOVES_ONE)
MOVER_KERNEL_PLAIN(broadcast_to, stretch)
MOVER_KERNEL_PLAIN(broadcast_axis, stretch)
MOVER_KERNEL_PLAIN(broadcast_axes, stretch)
MOVER_KERNEL_PLAIN(broadcast_like, stretch)

/* The host leaves the run out where input and output can be the same memory. */
static tn_status prepare_copy(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_copy(program, call);
    return program_finish(program, call);
}

#define COPY_KERNEL(X, NAME)                                                                       \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_sizes, prepare_copy),                                         \
        .flags = TN_KERNEL_COPIES_INPUT,                                                           \
        .in_place = first_in_place,                                                                \
        .in_place_count = 1,                                                                       \
    };
COPY_NAMES(COPY_KERNEL, X)
