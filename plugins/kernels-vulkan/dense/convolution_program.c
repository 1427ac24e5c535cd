/* The launch that a convolution becomes. */
#include "convolution_push.h"

/* With fewer filters most of a tile would lie beyond the end. */
#define FEWEST_TILED 8
#define ENOUGH_TILES 128

/* Those of tiled_product.glsl, and the kernel's extents. */
#define TILED_CONSTANTS 5

static int64_t element_of(const tn_ints *list, int32_t index, int64_t otherwise) {
    return list != NULL && list->count > 0 ? list->values[index] : otherwise;
}

convolution convolution_of(const tn_ints *kernel, const tn_ints *stride, const tn_ints *dilate,
                           const tn_ints *pad, int64_t groups, int is_backwards) {
    convolution made = {
        .is_backwards = is_backwards, .rank = (int32_t)kernel->count, .groups = groups};
    for (int32_t i = 0; i < SPATIAL_AXES; i++) {
        const int32_t axis = i - (SPATIAL_AXES - made.rank);
        made.axes[i] =
            axis < 0 ? (convolution_axis){1, 1, 1, 0}
                     : (convolution_axis){element_of(kernel, axis, 1), element_of(stride, axis, 1),
                                          element_of(dilate, axis, 1), element_of(pad, axis, 0)};
    }
    return made;
}

static convolution_push push_of(const tn_prepare_call *call, const convolution *described) {
    const tn_view *data = call->inputs[0];
    const tn_view *output = call->outputs[0];
    convolution_push push = {.channels = (uint32_t)(data->shape[1] / described->groups),
                             .filters = (uint32_t)(output->shape[1] / described->groups),
                             .groups = (uint32_t)described->groups,
                             .has_bias = call->input_count > 2 && call->inputs[2] != NULL};
    int64_t places = 1;
    int64_t kernel = 1;
    for (int32_t i = 0; i < SPATIAL_AXES; i++) {
        const convolution_axis *axis = &described->axes[i];
        const int32_t from = 2 + i - (SPATIAL_AXES - described->rank);
        push.source[i] = from < 2 ? 1 : (int32_t)data->shape[from];
        push.target[i] = from < 2 ? 1 : (uint32_t)output->shape[from];
        push.stride[i] = (int32_t)axis->stride;
        push.dilate[i] = (int32_t)axis->dilate;
        push.pad[i] = (int32_t)axis->pad;
        places *= push.target[i];
        kernel *= axis->kernel;
    }
    push.places = (uint32_t)places;
    push.columns = (uint32_t)(places * output->shape[0]);
    push.terms = (uint32_t)(push.channels * kernel);
    return push;
}

static int64_t tiles_of(const convolution_push *push, int64_t tile) {
    return (int64_t)push->groups * divide_up(push->filters, tile) * divide_up(push->columns, tile);
}

static const shader_code *direct_shader(int is_backwards, tn_dtype dtype) {
    return is_backwards ? SHADER_OF(deconvolution_direct, dtype)
                        : SHADER_OF(convolution_direct, dtype);
}

static const shader_code *tiled_shader(int is_backwards, int is_large, tn_dtype dtype) {
    if (is_backwards) {
        return SHADER_OF(deconvolution_64, dtype);
    }
    return is_large ? SHADER_OF(convolution_128, dtype) : SHADER_OF(convolution_64, dtype);
}

/* Each channel costs a direct loop one turn more than the kernel has elements. */
static int is_direct(const convolution_push *push) {
    return push->filters < FEWEST_TILED &&
           (uint64_t)push->terms + push->channels <= PROGRAM_MAX_LOOPS;
}

static void add_direct(device_program *program, const convolution *described,
                       const convolution_push *push, tn_dtype dtype,
                       const tn_specialization *kernel, program_launch *launch) {
    const product_finish *given = described->finish;
    launch->invocations = (uint64_t)push->groups * push->filters * push->columns;
    if (given == NULL) {
        launch->shader = direct_shader(described->is_backwards, dtype);
        launch->specializations = kernel;
        launch->specialization_count = SPATIAL_AXES;
        program_add(program, launch);
        return;
    }
    const finished_convolution_push finished = {*push, given->alpha, given->beta};
    const tn_specialization constants[] = {kernel[0], kernel[1], kernel[2],
                                           FINISH_CONSTANTS(given)};
    launch->shader = SHADER_OF(convolution_direct_finished, dtype);
    launch->bindings[4] = given->addend.size > 0 ? given->addend : launch->bindings[3];
    launch->push = &finished;
    launch->push_size = sizeof finished;
    launch->specializations = constants;
    launch->specialization_count = COUNT_OF(constants);
    program_add(program, launch);
}

static void add_tiles(device_program *program, const convolution *described,
                      const convolution_push *push, tn_dtype dtype,
                      const tn_specialization *constants, program_launch *launch) {
    const int is_large =
        !described->is_backwards && push->filters > 64 && tiles_of(push, 128) >= ENOUGH_TILES;
    launch->shader = tiled_shader(described->is_backwards, is_large, dtype);
    launch->workgroups = (uint64_t)tiles_of(push, is_large ? 128 : 64);
    launch->specializations = constants;
    launch->specialization_count = TILED_CONSTANTS;
    program_add(program, launch);
}

void add_convolution(device_program *program, const tn_prepare_call *call,
                     const convolution *described) {
    const convolution_push push = push_of(call, described);
    const program_binding result = bind_output(call, 0);
    const tn_dtype dtype = call->outputs[0]->dtype;
    const tn_specialization constants[TILED_CONSTANTS] = {{0, !described->is_backwards},
                                                          {1, 0},
                                                          {2, (uint32_t)described->axes[0].kernel},
                                                          {3, (uint32_t)described->axes[1].kernel},
                                                          {4, (uint32_t)described->axes[2].kernel}};
    program_launch launch = {.bindings = {bind_input_or(call, 0, result),
                                          bind_input_or(call, 1, result),
                                          bind_input_or(call, 2, result), result},
                             PROGRAM_PUSH(push)};
    if (result.size == 0) {
        return;
    }
    if (is_direct(&push) &&
        !suits_convolution_matrix(program, &push, dtype, described->is_backwards)) {
        add_direct(program, described, &push, dtype, constants + 2, &launch);
        return;
    }
    if (suits_convolution_matrix(program, &push, dtype, described->is_backwards)) {
        add_convolution_matrix(program, &push, constants + 2, &launch);
    } else {
        add_tiles(program, described, &push, dtype, constants, &launch);
    }
    if (described->finish != NULL) {
        add_finish(program, described->finish, dtype, result, tn_element_count(call->outputs[0]));
    }
}
