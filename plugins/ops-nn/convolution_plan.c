#include "convolution_plan.h"

#include "size.h"
#include "state.h"

/* The columns that one thread packs before it multiplies them: as much as its cache holds. */
#define WAVE_BYTES_PER_THREAD ((uint64_t)512 * 1024)

/* A group with one channel, or with one filter, has no use for a matrix product. */
static int prefers_direct(const convolution_plan *plan) {
    return plan->group_filters == 1 || (plan->group_channels == 1 && plan->group_filters < 4);
}

/* A kernel of one element meets its data in order: it may see all axes as one. */
static void merge_axes(const window_axis axes[WINDOW_MAX_RANK], int64_t source[WINDOW_MAX_RANK],
                       int64_t places[WINDOW_MAX_RANK]) {
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        if (axes[i].kernel != 1 || axes[i].stride != 1 || axes[i].pad != 0 ||
            axes[i].pad_behind != 0) {
            return;
        }
    }
    for (int32_t i = 0; i < WINDOW_MAX_RANK - 1; i++) {
        source[WINDOW_MAX_RANK - 1] *= source[i];
        places[WINDOW_MAX_RANK - 1] *= places[i];
        source[i] = places[i] = 1;
    }
}

static convolution_plan describe(const tn_prepare_call *call, const sliding_window *window) {
    const convolution_attributes *attributes = call->attributes;
    const tn_view *data = call->inputs[0];
    const tn_view *output = call->outputs[0];
    window_axis axes[WINDOW_MAX_RANK];
    int64_t source[WINDOW_MAX_RANK];
    convolution_plan plan = {.dtype = data->dtype,
                             .sample_count = data->shape[0],
                             .group_count = attributes->num_group,
                             .group_channels = data->shape[1] / attributes->num_group,
                             .group_filters = output->shape[1] / attributes->num_group};
    window_extend(window, axes);
    window_extend_extents(window->rank, data->shape + 2, source);
    window_extend_extents(window->rank, output->shape + 2, plan.places);
    plan.is_direct = prefers_direct(&plan);
    if (!plan.is_direct) {
        merge_axes(axes, source, plan.places);
    }
    plan.weight_width = plan.is_direct ? 1 : TILE_ROWS;
    plan.place_count = tn_extent_product(plan.places, 0, WINDOW_MAX_RANK);
    plan.panel_count = divide_up(plan.place_count, panel_columns(plan.dtype));
    plan.depth = tn_extent_product(call->inputs[1]->shape, 1, call->inputs[1]->rank);
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        plan.strides[i] = axes[i].stride;
    }
    image_init(&plan.image, plan.dtype, data->shape[0] * data->shape[1], source, axes, plan.places,
               plan.is_direct);
    return plan;
}

static void fill_offsets(convolution_plan *plan, const sliding_window *window) {
    window_axis axes[WINDOW_MAX_RANK];
    window_extend(window, axes);
    int64_t *offset = plan->offsets;
    for (int64_t channel = 0; channel < plan->group_channels; channel++) {
        for (int64_t z = 0; z < axes[0].kernel; z++) {
            for (int64_t y = 0; y < axes[1].kernel; y++) {
                for (int64_t x = 0; x < axes[2].kernel; x++) {
                    *offset++ = channel * plan->image.plane_size +
                                image_offset(&plan->image, z * axes[0].dilate, y * axes[1].dilate,
                                             x * axes[2].dilate);
                }
            }
        }
    }
}

/* The bytes of all groups' packed weights. */
static uint64_t weight_size(const convolution_plan *plan) {
    return size_multiply((uint64_t)plan->group_count, panels_size(plan->dtype, plan->group_filters,
                                                                  plan->depth, plan->weight_width));
}

void convolution_pack_weights(const convolution_plan *plan, const void *weights, void *packed,
                              int64_t begin, int64_t end) {
    const int64_t panels = divide_up(plan->group_filters, plan->weight_width);
    const int64_t filter_stride = plan->group_filters * plan->depth;
    const uint64_t group_size =
        panels_size(plan->dtype, plan->group_filters, plan->depth, plan->weight_width);
    for (int64_t i = begin; i < end; i++) {
        const int64_t group = i / panels;
        const matrix_operand operand = {.data =
                                            element_at(plan->dtype, weights, group * filter_stride),
                                        .dtype = plan->dtype,
                                        .count = plan->group_filters,
                                        .stride = plan->depth,
                                        .depth_stride = 1};
        panels_pack(&operand, plan->depth, plan->weight_width, i % panels, i % panels + 1,
                    (char *)packed + (uint64_t)group * group_size);
    }
}

/* How many panels of places to pack before they are multiplied: all threads together share them. */
static int64_t choose_wave(const tn_host *host, const convolution_plan *plan) {
    const tn_parallel_service *parallel = TN_SERVICE(host, parallel);
    const uint64_t threads = parallel != NULL ? parallel->thread_count(host) : 1;
    const uint64_t panel = panel_size(plan->dtype, plan->depth, panel_columns(plan->dtype));
    const uint64_t fitting = threads * WAVE_BYTES_PER_THREAD / (panel > 0 ? panel : 1);
    const int64_t all = plan->sample_count * plan->group_count * plan->panel_count;
    return smaller(all, larger(4, (int64_t)fitting));
}

/* Lays out the workspace. */
static uint64_t place_parts(const tn_host *host, convolution_plan *plan, int weights_are_packed) {
    uint64_t size = 0;
    /* Inner loops may read one run past the end of the image. */
    plan->image_place = size_append(&size, size_add(plan->image.size, TILE_BYTES));
    plan->weight_place = size_append(&size, weights_are_packed ? 0 : weight_size(plan));
    if (!plan->is_direct) {
        plan->wave = choose_wave(host, plan);
        const uint64_t panel = panel_size(plan->dtype, plan->depth, panel_columns(plan->dtype));
        plan->column_place = size_append(&size, size_multiply((uint64_t)plan->wave, panel));
    }
    return size;
}

tn_status convolution_prepare(tn_prepare_call *call) {
    const tn_view *weights = call->inputs[1];
    const int is_constant = weights->data != NULL;
    sliding_window window;
    TN_TRY(convolution_check_channels_first(call->host, call->attributes));
    TN_TRY(convolution_window(call->host, call->attributes, call->inputs[0]->shape + 2, &window));
    convolution_plan described = describe(call, &window);
    TN_TRY(size_request(call, place_parts(call->host, &described, is_constant)));

    uint64_t state_size = 0;
    size_append(&state_size, size_add(sizeof described,
                                      size_multiply((uint64_t)described.depth, sizeof(int64_t))));
    const uint64_t weight_place =
        size_append(&state_size, is_constant ? weight_size(&described) : 0);
    TN_TRY(state_allocate(call, state_size, &call->state));
    convolution_plan *plan = call->state;
    *plan = described;
    fill_offsets(plan, &window);
    if (is_constant) {
        plan->weights = (char *)call->state + weight_place;
        convolution_pack_weights(plan, tn_data(weights), plan->weights, 0,
                                 convolution_weight_panels(plan));
    }
    return TN_OK;
}
