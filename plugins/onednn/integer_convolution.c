/*
 * onnx.ConvInteger and onnx.QLinearConv, channels-last, on processors that add products of 8-bit
 * integers without saturating in between; elsewhere the library would, and the plain kernels do the
 * work. The data's zero point is taken out of the sums afterwards: its part in them follows from
 * the weights that lie on data, which are the same at most places.
 */
#include "integer_convolution.h"

#include "integer_inputs.h"
#include "integer_kinds.h"
#include "integer_sums.h"
#include "weights_layout.h"
#include "window_program.h"

static const char doc[] = "As the operator says.";

enum { AUTO_NOTSET, AUTO_SAME_UPPER, AUTO_SAME_LOWER, AUTO_VALID };

const tn_attribute integer_convolution_fields[INTEGER_CONVOLUTION_FIELD_COUNT] = {
    TN_FIELD(integer_convolution_attributes, kernel_shape, INTS, "()", NULL, doc),
    TN_FIELD(integer_convolution_attributes, strides, INTS, "()", NULL, doc),
    TN_FIELD(integer_convolution_attributes, dilations, INTS, "()", NULL, doc),
    TN_FIELD(integer_convolution_attributes, pads, INTS, "()", NULL, doc),
    TN_FIELD(integer_convolution_attributes, group, INT, "1", NULL, doc),
    TN_FIELD_CHOICE(integer_convolution_attributes, auto_pad, "NOTSET",
                    "NOTSET|SAME_UPPER|SAME_LOWER|VALID", doc),
};

static const integer_inputs plain_inputs = {0, -1, 2, 1, -1, 3, -1, -1, -1};
static const integer_inputs scaled_inputs = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static const integer_inputs *inputs_of(const char *op) {
    return strcmp(op, "onnx.QLinearConv") == 0 ? &scaled_inputs : &plain_inputs;
}

/* Weights have the middle of their dtype for zero: then they are int8, whatever the dtype. */
static int weights_are_centred(const tn_kernel_query *query, const integer_inputs *places) {
    const uint32_t place = (uint32_t)places->weight_zero;
    const unsigned char middle = query->inputs[places->weight].dtype == TN_U8 ? 0x80 : 0;
    if (place >= query->input_count || query->inputs[place].dtype == 0) {
        return middle == 0;
    }
    const tn_view *zero = query->input_values[place];
    const unsigned char *bytes = zero == NULL ? NULL : tn_data(zero);
    int are = zero != NULL;
    for (int64_t i = 0; are && i < tn_element_count(zero); i++) {
        are = bytes[i] == middle;
    }
    return are;
}

static int pads_crop(const integer_convolution_attributes *attributes) {
    int crops = 0;
    for (int32_t i = 0; i < attributes->pads.count; i++) {
        crops = crops || attributes->pads.values[i] < 0;
    }
    return crops;
}

int32_t integer_convolution_supports(const tn_kernel_query *query) {
    const integer_convolution_attributes *attributes = query->attributes;
    const integer_inputs *places = inputs_of(query->op);
    const tn_tensor_type *data = &query->inputs[places->data];
    const tn_tensor_type *weight = &query->inputs[places->weight];
    const tn_tensor_type *output = &query->outputs[0];
    return sums_are_exact() && is_byte(data->dtype) && is_byte(weight->dtype) &&
           (output->dtype == TN_I32 || is_byte(output->dtype)) &&
           query->input_values[places->weight] != NULL && attributes->group == 1 &&
           window_has_shape(data) && window_has_shape(output) && !pads_crop(attributes) &&
           weights_are_centred(query, places) &&
           window_is_worth(&output->shape, weight->shape.extents);
}

typedef struct integer_convolution {
    program *made;
    const integer_inputs *places;
    place_kinds kinds;
    image_split split;
    float *multipliers; /* by filter, as are the biases; filled in by each run */
    int32_t *biases;
} integer_convolution;

typedef struct integer_job {
    window_job base;
    const tn_view *weight;
    tn_view sums; /* the output, as int32 */
    dnnl_memory_desc_t packed;
} integer_job;

static tn_status describe(const tn_host *host, const window_job *base, const window_part *part,
                          dnnl_primitive_desc_t *out) {
    const integer_job *job = (const integer_job *)base;
    dnnl_dims_t dilates;
    dnnl_convolution_desc_t wanted;
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        dilates[axis] = base->window.sides[axis].dilate - 1;
    }
    ONEDNN_TRY(host, dnnl_dilated_convolution_forward_desc_init(
                         &wanted, dnnl_forward_inference, dnnl_convolution_direct, &part->source,
                         &job->packed, NULL, &part->target, part->strides, dilates, part->pads,
                         part->pads_behind));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a convolution of integers",
                           out);
}

static tn_status integers_descriptor(const tn_host *host, const tn_view *weight, int is_open,
                                     dnnl_memory_desc_t *out) {
    TN_TRY(is_open ? any_descriptor(host, weight->shape, weight->rank, out)
                   : plain_descriptor(host, weight->shape, weight->rank, out));
    out->data_type = dnnl_s8;
    return TN_OK;
}

static tn_status begin(tn_prepare_call *call, const window_job *base, program *made) {
    const integer_job *job = (const integer_job *)base;
    dnnl_memory_desc_t plain;
    TN_TRY(integers_descriptor(call->host, job->weight, 0, &plain));
    return program_pack(call, made, (uint32_t)inputs_of(call->op)->weight, &plain, &job->packed);
}

static tn_status add_arguments(const tn_host *host, const window_job *base, const program *made,
                               const_dnnl_primitive_desc_t descriptor, program_item *item) {
    (void)host, (void)base, (void)descriptor;
    program_add_packed(made, item, DNNL_ARG_WEIGHTS);
    return TN_OK;
}

static window_side side_of(const integer_convolution_attributes *given, const integer_job *job,
                           int32_t axis) {
    const int64_t places = job->sums.shape[2 + axis], extent = job->base.data->shape[2 + axis];
    window_side side = {.kernel = job->weight->shape[2 + axis],
                        .stride = window_item(&given->strides, axis, 1),
                        .dilate = window_item(&given->dilations, axis, 1)};
    if (given->auto_pad == AUTO_NOTSET) {
        side.pad = window_item(&given->pads, axis, 0);
    } else if (given->auto_pad != AUTO_VALID) {
        window_pad_same(&side, places, extent, given->auto_pad == AUTO_SAME_UPPER);
    }
    side.pad_behind = window_pad_behind(&side, places, extent);
    return side;
}

static void read_call(const tn_prepare_call *call, integer_job *job) {
    const integer_inputs *places = inputs_of(call->op);
    *job = (integer_job){.base = {.data = call->inputs[places->data],
                                  .keeps_target = call->outputs[0]->dtype != TN_I32,
                                  .describe = describe,
                                  .begin = begin,
                                  .add_arguments = add_arguments},
                         .weight = call->inputs[places->weight],
                         .sums = *call->outputs[0]};
    job->sums.dtype = TN_I32;
    job->base.output = &job->sums;
    job->base.window.rank = job->sums.rank - 2;
    for (int32_t axis = 0; axis < job->base.window.rank; axis++) {
        job->base.window.sides[axis] = side_of(call->attributes, job, axis);
    }
    job->base.split =
        image_split_find(&job->sums, program_thread_count(call->host),
                         window_cost(job->sums.shape, job->sums.rank, job->weight->shape));
}

/* Whether the data's zero point is known to be 0. */
static int has_no_data_zero(const tn_prepare_call *call, const integer_inputs *places) {
    const uint32_t place = (uint32_t)places->data_zero;
    if (place >= call->input_count || call->inputs[place] == NULL) {
        return 1;
    }
    const tn_view *known = call->input_values[place];
    return known != NULL && *(const uint8_t *)tn_data(known) == 0;
}

static tn_status fill_state(tn_prepare_call *call, integer_job *job, integer_convolution *state) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    const uint64_t filters = (uint64_t)job->weight->shape[0];
    dnnl_memory_desc_t any;
    TN_TRY(integers_descriptor(call->host, job->weight, 1, &any));
    TN_TRY(choose_weights_layout(call->host, &job->base, &any, &job->packed));
    state->split = job->base.split;
    state->biases = memory->allocate(call->host, filters * sizeof *state->biases);
    state->multipliers = memory->allocate(call->host, filters * sizeof *state->multipliers);
    if (state->biases == NULL || state->multipliers == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the scales of %llu filters",
                       (unsigned long long)filters);
    }
    memset(state->biases, 0, filters * sizeof *state->biases);
    TN_TRY(place_kinds_create(call->host, &job->base.window, job->base.data, &job->sums,
                              job->weight, has_no_data_zero(call, state->places), &state->kinds));
    TN_TRY(window_program_prepare(call, &job->base));
    state->made = call->state;
    return TN_OK;
}

void integer_convolution_release(const tn_host *host, void *held) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    integer_convolution *state = held;
    program_destroy(host, state->made);
    place_kinds_destroy(host, &state->kinds);
    memory->free(host, state->biases);
    memory->free(host, state->multipliers);
    memory->free(host, state);
}

tn_status integer_convolution_prepare(tn_prepare_call *call) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    integer_convolution *state = memory->allocate(call->host, sizeof *state);
    integer_job job;
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a convolution's state");
    }
    *state = (integer_convolution){.places = inputs_of(call->op)};
    read_call(call, &job);
    const tn_status status = fill_state(call, &job, state);
    call->state = status == TN_OK ? state : NULL;
    if (status != TN_OK) {
        integer_convolution_release(call->host, state);
    }
    return status;
}

/* What is behind the sums in a run. */
typedef struct integer_run {
    const integer_convolution *state;
    int32_t data_zero;
    int32_t is_scaled;
    quantised_ends ends;
} integer_run;

/* One row of the first spatial axis. */
static void finish_row(const integer_run *run, int64_t row, int32_t *sums, uint8_t *target) {
    const integer_convolution *state = run->state;
    const place_kinds *kinds = &state->kinds;
    for (int64_t place = 0; place < kinds->row_places; place++) {
        const int64_t kind = kinds->of_rows[row] * kinds->count_in_row + kinds->of_places[place];
        const int32_t *weights = kinds->weights + kind * kinds->filters;
        const int64_t at = place * kinds->filters;
        if (run->is_scaled) {
            quantise_sums(sums + at, kinds->filters, run->data_zero, weights, state->biases,
                          state->multipliers, run->ends, target + at);
        } else {
            correct_sums(sums + at, kinds->filters, run->data_zero, weights, state->biases);
        }
    }
}

static void finish_item(const tn_run_call *call, const program *made, uint32_t item,
                        const void *context) {
    const integer_run *run = context;
    const image_split *split = &run->state->split;
    const place_kinds *kinds = &run->state->kinds;
    const int64_t part = item / split->image_items, image = item % split->image_items;
    const int64_t begin = kinds->rows * part / split->parts;
    const int64_t end = kinds->rows * (part + 1) / split->parts;
    const int64_t row_size = kinds->row_places * kinds->filters;
    int32_t *sums = program_item_memory(call, made, item, DNNL_ARG_DST);
    for (int64_t i = 0; i < split->images_in_item; i++) {
        const int64_t first = (image * split->images_in_item + i) * kinds->rows;
        for (int64_t row = begin; row < end; row++, sums += row_size) {
            uint8_t *target = (uint8_t *)tn_data(call->outputs[0]) + (first + row) * row_size;
            finish_row(run, row, sums, target);
        }
    }
}

static void read_scales(const tn_run_call *call, integer_run *run) {
    const integer_convolution *state = run->state;
    const tn_view *const *inputs = call->inputs;
    const tn_view *bias = view_at(inputs, call->input_count, state->places->bias);
    run->ends = ends_of(call->outputs[0]->dtype, inputs[state->places->zero]);
    for (int64_t i = 0; i < state->kinds.filters; i++) {
        state->multipliers[i] = scale_at(inputs[state->places->data_scale], 0) *
                                scale_at(inputs[state->places->weight_scale], i) /
                                scale_at(inputs[state->places->scale], 0);
        state->biases[i] = bias == NULL ? 0 : ((const int32_t *)tn_data(bias))[i];
    }
}

tn_status integer_convolution_run(const tn_run_call *call) {
    const integer_convolution *state = call->state;
    integer_run run = {.state = state, .is_scaled = call->outputs[0]->dtype != TN_I32};
    run.data_zero = zero_at(view_at(call->inputs, call->input_count, state->places->data_zero), 0);
    if (run.is_scaled) {
        read_scales(call, &run);
    }
    return program_run_items(call, state->made,
                             run.is_scaled || run.data_zero != 0 ? finish_item : NULL, &run);
}
