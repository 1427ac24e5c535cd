/* The kernels of ConvInteger and QLinearConv. What lies under the window becomes columns of a
 * matrix, which the weights of a group, as rows, are multiplied by; filters of single channels are
 * applied directly. */
#include "elements.h"
#include "families.h"
#include "integer_convolution.h"
#include "integer_depthwise.h"
#include "integer_state.h"
#include "integers.h"
#include "operator.h"
#include "quantise.h"
#include "window_columns.h"

typedef struct convolution_state {
    const integer_convolution_inputs *places;
    sliding_window window;
    int64_t groups, group_channels, group_filters;
    int64_t extent; /* elements of a channel of data */
    int64_t place_count;
    int32_t is_depthwise;
    int32_t
        takes_planes; /* the data is the matrix already: a window of one element, step by step */
    int32_t has_packed_weights;
    integer_product product;
    integer_depthwise depthwise;
    int16_t weights[]; /* packed, when they never change */
} convolution_state;

/* A run, for the functions of the products. */
typedef struct convolution_run {
    const convolution_state *state;
    const tn_run_call *call;
    float scale; /* of the data by that of the output */
    quantised_range range;
} convolution_run;

static const tn_view *input_at(const tn_view *const *inputs, uint32_t count, int32_t place) {
    return place < 0 || (uint32_t)place >= count ? NULL : inputs[place];
}

static const tn_view *run_input_at(const convolution_run *run, int32_t place) {
    return input_at(run->call->inputs, run->call->input_count, place);
}

static void store_plain(const void *context, int64_t number, int64_t row, int64_t column,
                        int64_t count, const int32_t *sums) {
    const convolution_run *run = context;
    const int64_t filter = number * run->state->group_filters + row;
    int32_t *output = tn_data(run->call->outputs[0]);
    memcpy(output + filter * run->state->place_count + column, sums, (size_t)count * sizeof *sums);
}

/* Adds the bias and quantises. */
static void store_scaled(const void *context, int64_t number, int64_t row, int64_t column,
                         int64_t count, const int32_t *sums) {
    const convolution_run *run = context;
    const convolution_state *state = run->state;
    const int64_t filter = number % state->groups * state->group_filters + row;
    const int64_t first = (number * state->group_filters + row) * state->place_count + column;
    const tn_view *weight_scale = run_input_at(run, state->places->weight_scale);
    const float data_scale = scale_at(run_input_at(run, state->places->data_scale), 0);
    const float multiplier = data_scale * scale_at(weight_scale, filter) / run->scale;
    const int32_t bias = zero_point_at(run_input_at(run, state->places->bias), filter);
    requantise(sums, count, bias, multiplier, run->range,
               (uint8_t *)tn_data(run->call->outputs[0]) + first);
}

/* The columns of a group from a place on. */
static void pack_columns(const void *context, int64_t number, int64_t first, int64_t count,
                         char *bytes, int16_t *panels) {
    const convolution_run *run = context;
    const convolution_state *state = run->state;
    const tn_view *data = run->call->inputs[state->places->data];
    const char *planes =
        (const char *)tn_data(data) + number * state->group_channels * state->extent;
    const int64_t depth = state->product.depth;
    byte_matrix matrix = {.elements = planes,
                          .dtype = data->dtype,
                          .rows = depth,
                          .columns = state->extent,
                          .stride = state->extent,
                          .zero_point = run_input_at(run, state->places->data_zero)};
    if (!state->takes_planes) {
        const int64_t line = state->window.axes[state->window.rank - 1].places;
        const window_columns columns = {
            .window = &state->window,
            .element_size = 1,
            .padding = {(unsigned char)zero_point_at(matrix.zero_point, 0)},
            .data = planes,
        };
        for (int64_t row = 0; row < depth; row++) {
            window_columns_fill_row(&columns, row, first / line, count / line, bytes + row * count);
        }
        matrix.elements = bytes;
        matrix.columns = matrix.stride = count;
        first = 0;
    }
    pack_right(&matrix, first, count, panels);
}

static int64_t packed_weights_size(const convolution_state *state) {
    return state->groups * left_panels_size(state->group_filters, state->product.depth);
}

static byte_matrix weight_matrix(const convolution_state *state, const tn_view *weight,
                                 const tn_view *zero_point) {
    return (byte_matrix){.elements = tn_data(weight),
                         .dtype = weight->dtype,
                         .rows = state->group_filters,
                         .columns = state->product.depth,
                         .stride = state->product.depth,
                         .zero_point = zero_point};
}

static void pack_weights(const convolution_state *state, const tn_view *weight,
                         const tn_view *zero_point, int16_t *packed) {
    byte_matrix matrix = weight_matrix(state, weight, zero_point);
    for (int64_t group = 0; group < state->groups; group++) {
        matrix.first_zero = group * matrix.rows;
        matrix.elements = (const char *)tn_data(weight) + group * matrix.rows * matrix.stride;
        pack_left(&matrix, packed + group * left_panels_size(matrix.rows, matrix.columns));
    }
}

static int is_single_step(const sliding_window *window) {
    int is_single = 1;
    for (int32_t i = 0; i < window->rank; i++) {
        const window_axis *axis = &window->axes[i];
        is_single = is_single && axis->kernel == 1 && axis->stride == 1 && axis->pad == 0 &&
                    axis->pad_behind == 0;
    }
    return is_single;
}

/* What follows from the shapes. */
static tn_status describe(const tn_prepare_call *call, const integer_convolution_inputs *places,
                          convolution_state *state) {
    const integer_convolution_attributes *own = call->attributes;
    const tn_view *data = call->inputs[places->data], *weight = call->inputs[places->weight];
    state->places = places;
    TN_TRY(window_find(call->host, &own->window, data->rank - 2, data->shape + 2, weight->shape + 2,
                       0, &state->window));
    state->groups = own->group;
    state->group_channels = weight->shape[1];
    state->group_filters = weight->shape[0] / own->group;
    state->extent = tn_extent_product(data->shape, 2, data->rank);
    state->place_count = window_places(&state->window);
    state->takes_planes = is_single_step(&state->window);
    state->is_depthwise = integer_depthwise_fits(&state->window, state->group_channels);
    state->product = (integer_product){
        .count = data->shape[0] * own->group,
        .rows = state->group_filters,
        .columns = state->place_count,
        .depth = state->group_channels * window_kernel_size(&state->window),
        .left_count = own->group,
        .pack_columns = pack_columns,
    };
    state->depthwise = (integer_depthwise){.window = state->window,
                                           .planes = state->product.count,
                                           .groups = own->group,
                                           .filters = state->group_filters};
    return TN_OK;
}

/* Whether an input is there and may change from run to run. */
static int changes(const tn_prepare_call *call, int32_t place) {
    const tn_view *view = input_at(call->inputs, call->input_count, place);
    return view != NULL && view->data == NULL;
}

static tn_status plan_memory(tn_prepare_call *call, convolution_state *state) {
    if (state->is_depthwise) {
        integer_depthwise_plan(call->host, &state->depthwise);
        call->workspace_size = (uint64_t)state->depthwise.lanes * state->depthwise.lane_size;
        return TN_OK;
    }
    const int64_t line = state->window.axes[state->window.rank - 1].places;
    TN_TRY(integer_product_plan(call->host, &state->product,
                                state->takes_planes || line == 0 ? TILE_COLUMNS : line,
                                state->takes_planes ? 0 : state->product.depth));
    call->workspace_size = integer_product_workspace(&state->product);
    if (!state->has_packed_weights) {
        call->workspace_size += (uint64_t)packed_weights_size(state) * sizeof(int16_t);
    }
    return TN_OK;
}

static tn_status prepare(tn_prepare_call *call, const integer_convolution_inputs *places) {
    convolution_state described;
    TN_TRY(describe(call, places, &described));
    described.has_packed_weights = !described.is_depthwise && !changes(call, places->weight) &&
                                   !changes(call, places->weight_zero);
    TN_TRY(plan_memory(call, &described));
    const int64_t packed = described.has_packed_weights ? packed_weights_size(&described) : 0;
    void *memory;
    TN_TRY(integer_state_allocate(call->host, sizeof(convolution_state), packed, &memory));
    convolution_state *state = memory;
    *state = described;
    if (described.has_packed_weights) {
        pack_weights(state, call->inputs[places->weight],
                     input_at(call->inputs, call->input_count, places->weight_zero),
                     state->weights);
    }
    call->state = state;
    return TN_OK;
}

static tn_status prepare_plain(tn_prepare_call *call) {
    return prepare(call, &conv_integer_inputs);
}

static tn_status prepare_scaled(tn_prepare_call *call) {
    return prepare(call, &qlinear_conv_inputs);
}

static void run_depthwise(const convolution_run *run, store_sums *store) {
    const convolution_state *state = run->state;
    const tn_view *data = run->call->inputs[state->places->data];
    integer_depthwise job = state->depthwise;
    job.data = (byte_matrix){.elements = tn_data(data),
                             .dtype = data->dtype,
                             .stride = state->extent,
                             .zero_point = run_input_at(run, state->places->data_zero)};
    job.weight = weight_matrix(state, run->call->inputs[state->places->weight],
                               run_input_at(run, state->places->weight_zero));
    job.store = store;
    job.context = run;
    job.workspace = run->call->workspace;
    integer_depthwise_run(run->call->host, &job);
}

static void run_product(const convolution_run *run, store_sums *store) {
    const convolution_state *state = run->state;
    integer_product job = state->product;
    job.left = state->weights;
    job.store = store;
    job.context = run;
    job.workspace = run->call->workspace;
    if (!state->has_packed_weights) {
        int16_t *packed = (int16_t *)(void *)(job.workspace + integer_product_workspace(&job));
        pack_weights(state, run->call->inputs[state->places->weight],
                     run_input_at(run, state->places->weight_zero), packed);
        job.left = packed;
    }
    integer_product_run(run->call->host, &job);
}

static void run_convolution(const convolution_run *run, store_sums *store) {
    if (run->state->is_depthwise) {
        run_depthwise(run, store);
    } else {
        run_product(run, store);
    }
}

static tn_status run_plain(const tn_run_call *call) {
    const convolution_run run = {.state = call->state, .call = call};
    run_convolution(&run, store_plain);
    return TN_OK;
}

static tn_status run_scaled(const tn_run_call *call) {
    const integer_convolution_inputs *places = &qlinear_conv_inputs;
    const convolution_run run = {
        .state = call->state,
        .call = call,
        .scale = scale_at(call->inputs[places->scale], 0),
        .range = quantised_range_of(call->outputs[0]->dtype,
                                    zero_point_at(call->inputs[places->zero], 0))};
    run_convolution(&run, store_scaled);
    return TN_OK;
}

static int32_t supports_plain(const tn_kernel_query *query) {
    return is_byte(query->inputs[0].dtype) && is_byte(query->inputs[1].dtype);
}

static int32_t supports_scaled(const tn_kernel_query *query) {
    return is_byte(query->inputs[0].dtype) && is_byte(query->inputs[3].dtype) &&
           is_byte(query->outputs[0].dtype);
}

const tn_kernel conv_integer_kernel = {CPU_KERNEL("onnx.ConvInteger"), .supports = supports_plain,
                                       .prepare = prepare_plain, .run = run_plain,
                                       .release = integer_state_release};
const tn_kernel qlinear_conv_kernel = {CPU_KERNEL("onnx.QLinearConv"), .supports = supports_scaled,
                                       .prepare = prepare_scaled, .run = run_scaled,
                                       .release = integer_state_release};
