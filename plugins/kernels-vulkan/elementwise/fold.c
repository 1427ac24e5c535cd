#include "fold.h"

#define GROUP 256u

/* A workgroup's lanes go through at most this many elements each: enough to be worth a launch, and
 * few enough for devices that stop long loops. */
#define MOST_STEPS 4096u
#define LEAST_STEPS 32u
#define GROUPS_TO_FILL_A_DEVICE 512u

enum { STAGE_ONLY, STAGE_FIRST, STAGE_SECOND };

fold_axes fold_axes_of(int32_t rank, const int64_t *extents, const unsigned char *is_folded) {
    fold_axes axes = {.outputs = 1, .elements = 1, .innermost_is_folded = 1};
    int64_t strides[TN_MAX_RANK];
    axes_compact_strides(rank, extents, strides);
    for (int32_t axis = 0; axis < rank; axis++) {
        axes_add(is_folded[axis] ? &axes.folded : &axes.kept, extents[axis], strides[axis],
                 strides[axis]);
        axes.outputs *= is_folded[axis] ? 1 : extents[axis];
        axes.elements *= is_folded[axis] ? extents[axis] : 1;
        if (extents[axis] != 1) {
            axes.innermost_is_folded = is_folded[axis];
        }
    }
    axes_finish(&axes.kept);
    axes_finish(&axes.folded);
    return axes;
}

/* The logarithm of the least power of two that is not below the value, at most that of a group. */
static uint32_t shift_to_cover(uint64_t value) {
    uint32_t shift = 0;
    while ((1u << shift) < GROUP && ((uint64_t)1 << shift) < value) {
        shift++;
    }
    return shift;
}

typedef struct fold_stage {
    uint32_t stage;
    uint32_t shift; /* of the number of lanes */
    int lanes_are_neighbours;
    uint64_t folded;
    uint64_t segments;
    uint64_t segment_length;
} fold_stage;

/* Neighbours in memory are read by neighbours in the group: lanes of one output, or outputs. */
static fold_stage plan_stage(const fold_axes *axes) {
    const uint64_t outputs = (uint64_t)axes->outputs, elements = (uint64_t)axes->elements;
    fold_stage stage = {.stage = STAGE_ONLY, .folded = elements, .segments = 1};
    stage.lanes_are_neighbours = axes->innermost_is_folded;
    stage.shift = shift_to_cover(elements);
    if (!axes->innermost_is_folded) {
        const uint32_t side_by_side = shift_to_cover(outputs < 32 ? outputs : 32);
        const uint32_t most = 8 - side_by_side;
        stage.shift = stage.shift < most ? stage.shift : most;
    }
    const uint64_t steps = (elements >> stage.shift) + 1;
    const uint64_t groups = ((outputs << stage.shift) / GROUP) + 1;
    uint64_t segments = steps / MOST_STEPS + 1;
    if (groups < GROUPS_TO_FILL_A_DEVICE) {
        const uint64_t wanted = GROUPS_TO_FILL_A_DEVICE / groups;
        const uint64_t possible = steps / LEAST_STEPS;
        const uint64_t more = wanted < possible ? wanted : possible;
        segments = segments > more ? segments : more;
    }
    stage.segment_length = elements > 0 ? (elements + segments - 1) / segments : 1;
    stage.segments =
        elements > 0 ? (elements + stage.segment_length - 1) / stage.segment_length : 1;
    stage.stage = stage.segments > 1 ? STAGE_FIRST : STAGE_ONLY;
    return stage;
}

/* The partial results of an output are as far apart as there are outputs. */
static fold_stage plan_second_stage(const fold_axes *axes, const fold_stage *first) {
    const uint32_t side_by_side = shift_to_cover(axes->outputs < 32 ? (uint64_t)axes->outputs : 32);
    const uint32_t shift = shift_to_cover(first->segments);
    return (fold_stage){.stage = STAGE_SECOND,
                        .shift = shift < 8 - side_by_side ? shift : 8 - side_by_side,
                        .folded = first->segments,
                        .segments = 1,
                        .segment_length = first->segments};
}

typedef struct fold_push {
    uint32_t outputs;
    uint32_t folded;
    uint32_t segments;
    uint32_t segment_length;
    uint32_t divisor;
    uint32_t kept_extents[MAX_FOLD_AXES];
    uint32_t kept_strides[MAX_FOLD_AXES];
    uint32_t folded_extents[MAX_FOLD_AXES];
    uint32_t folded_strides[MAX_FOLD_AXES];
} fold_push;

static fold_push push_of(const fold_axes *axes, const fold_stage *stage) {
    fold_push push = {.outputs = (uint32_t)axes->outputs,
                      .folded = (uint32_t)stage->folded,
                      .segments = (uint32_t)stage->segments,
                      .segment_length = (uint32_t)stage->segment_length,
                      .divisor = (uint32_t)axes->elements};
    axes_store(axes->kept.extents, axes->kept.rank, push.kept_extents, MAX_FOLD_AXES);
    axes_store(axes->kept.strides[0], axes->kept.rank, push.kept_strides, MAX_FOLD_AXES);
    axes_store(axes->folded.extents, axes->folded.rank, push.folded_extents, MAX_FOLD_AXES);
    axes_store(axes->folded.strides[0], axes->folded.rank, push.folded_strides, MAX_FOLD_AXES);
    return push;
}

static void add_stage(device_program *program, const tn_prepare_call *call, const fold_axes *axes,
                      const fold_work *work, const fold_stage *stage, program_binding partials) {
    const fold_push push = push_of(axes, stage);
    const tn_specialization constants[] = {
        {0, work->fold},      {1, element_code(call->inputs[0]->dtype)},
        {2, axes->kept.rank}, {3, axes->folded.rank},
        {4, stage->shift},    {5, (uint32_t)stage->lanes_are_neighbours},
        {6, stage->stage},    {7, work->finish},
    };
    const uint64_t items = (uint64_t)axes->outputs * stage->segments;
    const uint64_t width = GROUP >> stage->shift;
    program_add(program,
                &(program_launch){
                    .shader = work->shader,
                    .workgroups = items / width + (items % width != 0),
                    .bindings = {bind_input_or(call, 0, bind_output(call, 0)), bind_output(call, 0),
                                 partials},
                    PROGRAM_PUSH(push),
                    .specializations = constants,
                    .specialization_count = COUNT_OF(constants) - (work->has_finish ? 0 : 1),
                });
}

void add_fold(device_program *program, const tn_prepare_call *call, const fold_axes *axes,
              const fold_work *work) {
    const fold_stage first = plan_stage(axes);
    if (axes->outputs == 0) {
        return;
    }
    if (first.stage == STAGE_ONLY) {
        add_stage(program, call, axes, work, &first, bind_output(call, 0));
        return;
    }
    const program_binding partials =
        program_reserve(program, (uint64_t)axes->outputs * first.segments * work->partial_size);
    const fold_stage second = plan_second_stage(axes, &first);
    add_stage(program, call, axes, work, &first, partials);
    add_stage(program, call, axes, work, &second, partials);
}
