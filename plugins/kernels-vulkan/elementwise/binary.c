/* Functions of two tensors: elemwise_add, broadcast_add, _maximum and their like. */
#include "binary.h"

#include "axes.h"
#include "cast.h"
#include "entries_elementwise.h"

static const named_function functions[] = {
#define NAMED_FUNCTION(X, NAME, FUNCTION) {#NAME, BINARY_##FUNCTION, 0},
    BINARY_NAMES(NAMED_FUNCTION, X)
#undef NAMED_FUNCTION
};

/* How operands are read: one element an invocation, or four, of which one may be the same. */
enum { READ_ONE, READ_FOUR, LEFT_IS_ONE, RIGHT_IS_ONE, READING_COUNT };

static sized_shaders bool_shaders = SHADERS_TO_8(compare);

static const shader_code *const shaders[4][READING_COUNT] = {
    {&shader_binary_1},
    {&shader_binary_2, &shader_binary_2x4, &shader_binary_2x4_left, &shader_binary_2x4_right},
    {&shader_binary_4, &shader_binary_4x4, &shader_binary_4x4_left, &shader_binary_4x4_right},
    {&shader_binary_8},
};

static joined_axes join_axes(int32_t rank, const int64_t *extents, int32_t left_rank,
                             const int64_t *left, int32_t right_rank, const int64_t *right) {
    joined_axes axes = {.rank = 0};
    int64_t left_strides[TN_MAX_RANK], right_strides[TN_MAX_RANK];
    axes_stretched_strides(left_rank, left, rank, left_strides);
    axes_stretched_strides(right_rank, right, rank, right_strides);
    for (int32_t axis = 0; axis < rank; axis++) {
        axes_add(&axes, extents[axis], left_strides[axis], right_strides[axis]);
    }
    axes_finish(&axes);
    return axes;
}

/* A real number's exponent may be of another dtype, and is brought to its. */
static int fits_left(tn_dtype left, tn_dtype right, uint32_t function) {
    return left == right ||
           (function == BINARY_POWER && is_real(left) && element_code(right) != ELEMENT_NONE);
}

int32_t supports_binary_function(const tn_kernel_query *query, uint32_t function, int gives_bool) {
    const tn_shape *left = &query->inputs[0].shape, *right = &query->inputs[1].shape;
    const tn_shape *output = &query->outputs[0].shape;
    const tn_dtype dtype = query->inputs[0].dtype;
    if (!supports_sizes(query) || element_code(dtype) == ELEMENT_NONE ||
        !fits_left(dtype, query->inputs[1].dtype, function) ||
        query->outputs[0].dtype != (gives_bool ? TN_BOOL : dtype) ||
        (function >= BINARY_POWER && !is_real(dtype))) {
        return 0;
    }
    return join_axes(output->rank, output->extents, left->rank, left->extents, right->rank,
                     right->extents)
               .rank <= SHADER_MAX_AXES;
}

static int32_t supports_binary(const tn_kernel_query *query) {
    return supports_binary_function(query, find_function(functions, query->op)->function, 0);
}

/* Whether an operand can be read in fours, or is one element for all four: its innermost stride. */
static int fits_fours(const joined_axes *axes, uint32_t operand) {
    const uint32_t last = axes->rank - 1;
    int fits = axes->strides[operand][last] <= 1;
    for (uint32_t axis = 0; axis < last && axes->strides[operand][last] == 1; axis++) {
        fits = fits && axes->strides[operand][axis] % 4 == 0;
    }
    return fits;
}

static uint32_t choose_reading(const joined_axes *axes, uint64_t size) {
    const uint32_t last = axes->rank - 1;
    const int64_t left = axes->strides[0][last], right = axes->strides[1][last];
    if ((size != 2 && size != 4) || axes->extents[last] % 4 != 0 || !fits_fours(axes, 0) ||
        !fits_fours(axes, 1) || (left == 0 && right == 0)) {
        return READ_ONE;
    }
    return left == 0 ? LEFT_IS_ONE : right == 0 ? RIGHT_IS_ONE : READ_FOUR;
}

/* Counts the innermost axis in fours, and with it the places of operands that are read so. */
static void count_in_fours(joined_axes *axes) {
    const uint32_t last = axes->rank - 1;
    axes->extents[last] /= 4;
    for (uint32_t operand = 0; operand < 2; operand++) {
        for (uint32_t axis = 0; axis < last && axes->strides[operand][last] == 1; axis++) {
            axes->strides[operand][axis] /= 4;
        }
    }
}

typedef struct binary_push {
    uint32_t count;
    uint32_t extents[SHADER_MAX_AXES];
    uint32_t left_strides[SHADER_MAX_AXES];
    uint32_t right_strides[SHADER_MAX_AXES];
} binary_push;

static program_binding bind_right(device_program *program, const tn_prepare_call *call) {
    const tn_view *right = call->inputs[1];
    const tn_dtype dtype = call->inputs[0]->dtype;
    const int64_t count = tn_element_count(right);
    if (right->dtype == dtype) {
        return bind_input(call, 1);
    }
    const program_binding cast = program_reserve(program, (uint64_t)count * TN_DTYPE_SIZE(dtype));
    add_cast(program, call, right->dtype, bind_input(call, 1), dtype, cast, count);
    return cast;
}

static void add_launch(device_program *program, const tn_prepare_call *call,
                       const joined_axes *axes, uint32_t function, uint32_t reading,
                       int gives_bool) {
    const tn_dtype dtype = call->inputs[0]->dtype;
    const uint32_t size = (uint32_t)TN_DTYPE_SIZE(dtype);
    const tn_specialization constants[] = {
        {0, function},
        {1, element_code(dtype)},
        {2, axes->rank},
    };
    binary_push push = {.count = (uint32_t)axes_count(axes)};
    axes_store(axes->extents, axes->rank, push.extents, SHADER_MAX_AXES);
    axes_store(axes->strides[0], axes->rank, push.left_strides, SHADER_MAX_AXES);
    axes_store(axes->strides[1], axes->rank, push.right_strides, SHADER_MAX_AXES);
    program_launch launch = {
        .shader =
            gives_bool ? sized_shader(bool_shaders, dtype) : shaders[size_class(size)][reading],
        .invocations = push.count,
        .bindings = {bind_input(call, 0), bind_right(program, call), bind_output(call, 0)},
        PROGRAM_PUSH(push),
        PROGRAM_CONSTANTS(constants),
    };
    if (axes->rank == 1 && axes->strides[0][0] == 1 && axes->strides[1][0] == 1) {
        const uint32_t bytes = reading == READ_FOUR ? 4 * size : size;
        add_contiguous(program, &launch, &push.count, push.count,
                       (const uint32_t[]){bytes, bytes, gives_bool ? 1 : bytes});
    } else {
        program_add(program, &launch);
    }
}

tn_status prepare_binary_function(tn_prepare_call *call, uint32_t function, int gives_bool) {
    const tn_view *left = call->inputs[0], *right = call->inputs[1], *output = call->outputs[0];
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, left->dtype, 1);
    require_elements(program, call, output->dtype, 0);
    joined_axes axes =
        join_axes(output->rank, output->shape, left->rank, left->shape, right->rank, right->shape);
    const uint32_t reading =
        gives_bool ? READ_ONE : choose_reading(&axes, TN_DTYPE_SIZE(output->dtype));
    if (reading != READ_ONE) {
        count_in_fours(&axes);
    }
    if (tn_element_count(output) > 0) {
        add_launch(program, call, &axes, function, reading, gives_bool);
    }
    return program_finish(program, call);
}

static tn_status prepare_binary(tn_prepare_call *call) {
    return prepare_binary_function(call, find_function(functions, call->op)->function, 0);
}

/* An operand as large as the output is not stretched, so the output may have its memory. */
static const tn_in_place either_in_place[] = {{0, 0}, {1, 0}};

#define DEFINE_KERNEL(X, NAME, FUNCTION)                                                           \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_binary, prepare_binary),                                      \
        .in_place = either_in_place,                                                               \
        .in_place_count = COUNT_OF(either_in_place),                                               \
    };
BINARY_NAMES(DEFINE_KERNEL, X)
