/* The kernel of Convolution. */
#include "convolution_columns.h"
#include "element_block.h"
#include "operators.h"
#include "panel_product.h"
#include "size.h"
#include "state.h"

/* A product without a matrix product takes as long as this many with one. */
#define DIRECT_COST 4

/* What the threads of one run need. */
typedef struct convolution_run {
    const convolution_plan *plan;
    const micro_kernels *kernels;
    const void *image;
    const void *raw_weights;
    char *weights;    /* packed */
    const void *bias; /* or NULL */
    void *output;
    char *columns;
    int64_t first_panel; /* of the wave, counting through groups and samples */
    int64_t panel_count; /* of the wave */
    int64_t rows;        /* filters multiplied at once */
} convolution_run;

#include "real_float.h"

#include "convolution_direct_template.h"

#include "real_double.h"

#include "convolution_direct_template.h"

static void direct_range(void *context, int64_t begin, int64_t end) {
    const convolution_run *work = context;
    for (int64_t i = begin; i < end; i++) {
        if (work->plan->dtype == TN_F64) {
            convolve_row_f64(work, work->kernels->weigh_f64, i);
        } else {
            convolve_row_f32(work, work->kernels->weigh_f32, i);
        }
    }
}

/* The place of a panel: groups count through all samples. */
typedef struct panel_position {
    int64_t sample_group;
    int64_t panel; /* in its group */
} panel_position;

static panel_position position_of(const convolution_run *work, int64_t index) {
    const int64_t panel = work->first_panel + index;
    return (panel_position){panel / work->plan->panel_count, panel % work->plan->panel_count};
}

static char *columns_of(const convolution_run *work, int64_t index) {
    const convolution_plan *plan = work->plan;
    return work->columns +
           (uint64_t)index * panel_size(plan->dtype, plan->depth, panel_columns(plan->dtype));
}

static void pack_range(void *context, int64_t begin, int64_t end) {
    const convolution_run *work = context;
    const convolution_plan *plan = work->plan;
    for (int64_t i = begin; i < end; i++) {
        const panel_position position = position_of(work, i);
        const int64_t channel = position.sample_group * plan->group_channels;
        const void *image =
            element_at(real_dtype(plan->dtype), work->image, channel * plan->image.plane_size);
        convolution_pack_columns(plan, image, position.panel, columns_of(work, i));
    }
}

/* A unit is a block of filters times a panel of places. */
static void multiply_range(void *context, int64_t begin, int64_t end) {
    const convolution_run *work = context;
    const convolution_plan *plan = work->plan;
    const int64_t width = panel_columns(plan->dtype);
    panel_product unit = {.dtype = plan->dtype,
                          .result_dtype = plan->dtype,
                          .depth = plan->depth,
                          .row_stride = plan->place_count};
    for (int64_t i = begin; i < end; i++) {
        const panel_position position = position_of(work, i % work->panel_count);
        const int64_t filter = i / work->panel_count * work->rows;
        const int64_t group = position.sample_group % plan->group_count;
        const int64_t place = position.panel * width;
        const int64_t channel = position.sample_group * plan->group_filters + filter;
        unit.rows = work->weights +
                    (uint64_t)group *
                        panels_size(plan->dtype, plan->group_filters, plan->depth, TILE_ROWS) +
                    panels_size(plan->dtype, filter, plan->depth, TILE_ROWS);
        unit.columns = columns_of(work, i % work->panel_count);
        unit.row_count = smaller(work->rows, plan->group_filters - filter);
        unit.column_count = smaller(width, plan->place_count - place);
        if (work->bias != NULL) {
            unit.row_bias =
                element_at(plan->dtype, work->bias, group * plan->group_filters + filter);
        }
        unit.result =
            element_at_mutable(plan->dtype, work->output, channel * plan->place_count + place);
        panel_product_run(work->kernels, &unit);
    }
}

/* Makes the matrix of columns and multiplies it, wave by wave. */
static void multiply_waves(const tn_host *host, convolution_run *work) {
    const convolution_plan *plan = work->plan;
    const int64_t width = panel_columns(plan->dtype);
    const int64_t all = plan->sample_count * plan->group_count * plan->panel_count;
    work->rows = panel_product_rows(plan->dtype, plan->depth);
    const int64_t blocks = divide_up(plan->group_filters, work->rows);
    const int64_t cost =
        panel_product_cost(plan->dtype, plan->depth, smaller(work->rows, plan->group_filters));
    for (int64_t first = 0; first < all; first += plan->wave) {
        work->first_panel = first;
        work->panel_count = smaller(plan->wave, all - first);
        tn_parallel_for(host, work->panel_count, grain_of(GRAIN_ELEMENTS, plan->depth * width),
                        pack_range, work);
        tn_parallel_for(host, work->panel_count * blocks, grain_of(GRAIN_PRODUCTS, cost),
                        multiply_range, work);
    }
}

static void pack_weights_range(void *context, int64_t begin, int64_t end) {
    const convolution_run *work = context;
    convolution_pack_weights(work->plan, work->raw_weights, work->weights, begin, end);
}

tn_status convolution_compute(const tn_run_call *call) {
    const convolution_plan *plan = call->state;
    char *workspace = call->workspace;
    convolution_run work = {.plan = plan,
                            .kernels = micro_kernels_select(),
                            .image = tn_data(call->inputs[0]),
                            .raw_weights = tn_data(call->inputs[1]),
                            .weights = plan->weights,
                            .bias = call->input_count > 2 ? tn_data(call->inputs[2]) : NULL,
                            .output = tn_data(call->outputs[0]),
                            .columns = workspace + plan->column_place};
    if (plan->image.is_copy) {
        image_fill(call->host, &plan->image, work.image, workspace + plan->image_place);
        work.image = workspace + plan->image_place;
    }
    if (work.weights == NULL) {
        work.weights = workspace + plan->weight_place;
        tn_parallel_for(call->host, convolution_weight_panels(plan),
                        grain_of(GRAIN_ELEMENTS, plan->depth * plan->weight_width),
                        pack_weights_range, &work);
    }
    if (plan->is_direct) {
        const int64_t channels = plan->sample_count * convolution_filters(plan);
        tn_parallel_for(call->host, channels * plan->places[0] * plan->places[1],
                        grain_of(GRAIN_PRODUCTS, DIRECT_COST * plan->places[2] * plan->depth),
                        direct_range, &work);
    } else {
        multiply_waves(call->host, &work);
    }
    return TN_OK;
}

#define CONVOLUTION_KERNEL(NAME)                                                                   \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .dtypes = floating_dtypes,     \
        .dtype_count = FLOATING_DTYPE_COUNT, .prepare = convolution_prepare,                       \
        .run = convolution_compute, .release = state_release                                       \
    }

const tn_kernel convolution_kernel = CONVOLUTION_KERNEL("Convolution");
const tn_kernel convolution_v1_kernel = CONVOLUTION_KERNEL("Convolution_v1");
