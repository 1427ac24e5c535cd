/* Convolutions of float16 on matrix units: the weights in another order, then a product. */
#include "convolution_push.h"
#include "matrix_units.h"

/* Channels are taken in blocks: with fewer most of a block would be zeros. */
#define BLOCK 32
#define FEWEST_CHANNELS 16
/* Rows of weights are filled up to this many terms, a whole part of either tile. */
#define ROW_ALIGNMENT 64

/* As in convolution_weight.comp. */
typedef struct weight_push {
    uint32_t rows;
    uint32_t channels;
    uint32_t elements;
    uint32_t terms;
} weight_push;

int suits_convolution_matrix(const device_program *program, const convolution_push *push,
                             tn_dtype dtype, int is_backwards) {
    return dtype == TN_F16 && !is_backwards && has_matrix_units(program) &&
           push->filters % 16 == 0 && push->channels >= FEWEST_CHANNELS;
}

static int64_t tiles_of(const convolution_push *push, const matrix_units_tile *tile) {
    return push->groups * divide_up(push->filters, tile->rows) *
           divide_up(push->columns, tile->columns);
}

/* The launch that orders the weights, unless they are in order already. */
static program_binding add_weight(device_program *program, const convolution_push *push,
                                  program_binding weight) {
    const uint32_t elements = push->terms / push->channels;
    const int64_t used = divide_up(push->channels, BLOCK) * BLOCK * elements;
    const int64_t terms = divide_up(used, ROW_ALIGNMENT) * ROW_ALIGNMENT;
    const weight_push pushed = {push->groups * push->filters, push->channels, elements,
                                (uint32_t)terms};
    if (elements == 1 && terms == push->channels) {
        return weight;
    }
    const uint64_t count = (uint64_t)pushed.rows * (uint64_t)terms;
    const program_binding packed = program_reserve(program, count * TN_DTYPE_SIZE(TN_F16));
    program_add(program, &(program_launch){.shader = &shader_convolution_weight,
                                           .invocations = count,
                                           .bindings = {weight, packed},
                                           PROGRAM_PUSH(pushed)});
    return packed;
}

void add_convolution_matrix(device_program *program, const convolution_push *push,
                            const tn_specialization *kernel, const program_launch *launch) {
    const int is_large = push->filters > matrix_units_small.rows &&
                         tiles_of(push, &matrix_units_large) >= ENOUGH_LARGE_TILES;
    program_launch matrix = *launch;
    matrix.bindings[1] = add_weight(program, push, launch->bindings[1]);
    matrix.shader = is_large ? &shader_convolution_matrix_large : &shader_convolution_matrix_small;
    matrix.workgroups =
        (uint64_t)tiles_of(push, is_large ? &matrix_units_large : &matrix_units_small);
    matrix.specializations = kernel;
    matrix.specialization_count = SPATIAL_AXES;
    matrix.subgroup_size = MATRIX_UNITS_SUBGROUP;
    program_add(program, &matrix);
}
