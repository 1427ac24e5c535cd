/* Deconvolution, channels-last, weights packed once when they never change. */
#include "deconvolution.h"

#include "weights_layout.h"
#include "window_program.h"

static const char doc[] = "As the operator says.";

const tn_attribute deconvolution_fields[DECONVOLUTION_FIELD_COUNT] = {
    TN_FIELD(deconvolution_attributes, kernel, INTS, NULL, NULL, doc),
    TN_FIELD(deconvolution_attributes, stride, INTS, "()", NULL, doc),
    TN_FIELD(deconvolution_attributes, dilate, INTS, "()", NULL, doc),
    TN_FIELD(deconvolution_attributes, pad, INTS, "()", NULL, doc),
    TN_FIELD(deconvolution_attributes, target_shape, INTS, "()", NULL, doc),
    TN_FIELD(deconvolution_attributes, num_group, INT, "1", NULL, doc),
    TN_FIELD(deconvolution_attributes, no_bias, BOOL, "True", NULL, doc),
    TN_FIELD_CHOICE(deconvolution_attributes, layout, "None", WINDOW_LAYOUTS, doc),
};

/* The padding takes away what lies beyond the output, which it does not lengthen. Each row of the
 * output is under the window somewhere, so that any of them can be computed by themselves. */
static int find_window(const deconvolution_attributes *given, int32_t rank, const int64_t *extents,
                       const int64_t *places, window_shape *out) {
    int fits = 1;
    out->rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        window_side *side = &out->sides[axis];
        *side = (window_side){.kernel = window_item(&given->kernel, axis, 1),
                              .stride = window_item(&given->stride, axis, 1),
                              .dilate = window_item(&given->dilate, axis, 1),
                              .pad = window_item(&given->pad, axis, 0)};
        const int64_t reach =
            (extents[axis] - 1) * side->stride + (side->kernel - 1) * side->dilate + 1;
        side->pad_behind = reach - side->pad - places[axis];
        fits =
            fits && side->pad_behind >= 0 && (side->kernel - 1) * side->dilate + 1 >= side->stride;
    }
    return fits;
}

static int has_target_shape(const deconvolution_attributes *given) {
    int has = 0;
    for (int32_t i = 0; i < given->target_shape.count; i++) {
        has = has || given->target_shape.values[i] != 0;
    }
    return has;
}

/* With fewer the library's vectors of filters are mostly empty, and the plain kernel is faster. */
enum { FEWEST_FILTERS = 8 };

int32_t deconvolution_supports(const tn_kernel_query *query) {
    const tn_tensor_type *data = &query->inputs[0], *weight = &query->inputs[1];
    const tn_tensor_type *output = &query->outputs[0];
    const deconvolution_attributes *given = query->attributes;
    window_shape window;
    return window_takes(data, output) && weight->dtype == data->dtype &&
           (weight->dtype == TN_F32 || query->input_values[1] != NULL) &&
           given->layout < WINDOW_FIRST_CHANNELS_LAST && !has_target_shape(given) &&
           weight->shape.extents[1] >= FEWEST_FILTERS &&
           window_is_worth(&data->shape, weight->shape.extents) &&
           find_window(given, data->shape.rank - 2, data->shape.extents + 2,
                       output->shape.extents + 2, &window);
}

typedef struct deconvolution_job {
    window_job base;
    const tn_view *bias;
    dnnl_dims_t weight_extents; /* groups in front, if any, then filters before channels */
    dnnl_dims_t weight_strides; /* in the tensor, which has channels before filters */
    int32_t weight_rank;
    dnnl_memory_desc_t packed; /* the weights in the layout of the primitives */
} deconvolution_job;

static tn_status describe(const tn_host *host, const window_job *base, const window_part *part,
                          dnnl_primitive_desc_t *out) {
    const deconvolution_job *job = (const deconvolution_job *)base;
    const dnnl_dims_t filters = {base->output->shape[1]};
    dnnl_memory_desc_t bias;
    dnnl_dims_t dilates;
    dnnl_deconvolution_desc_t wanted;
    TN_TRY(plain_descriptor(host, filters, 1, &bias));
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        dilates[axis] = base->window.sides[axis].dilate - 1;
    }
    ONEDNN_TRY(host, dnnl_dilated_deconvolution_forward_desc_init(
                         &wanted, dnnl_forward_inference, dnnl_deconvolution_direct, &part->source,
                         &job->packed, job->bias == NULL ? NULL : &bias, &part->target,
                         part->strides, dilates, part->pads, part->pads_behind));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a deconvolution", out);
}

static tn_status begin(tn_prepare_call *call, const window_job *base, program *made) {
    const deconvolution_job *job = (const deconvolution_job *)base;
    dnnl_memory_desc_t plain;
    ONEDNN_TRY(call->host,
               dnnl_memory_desc_init_by_strides(&plain, job->weight_rank, job->weight_extents,
                                                dnnl_f32, job->weight_strides));
    return program_pack(call, made, 1, &plain, &job->packed);
}

static tn_status add_arguments(const tn_host *host, const window_job *base, const program *made,
                               const_dnnl_primitive_desc_t descriptor, program_item *item) {
    const deconvolution_job *job = (const deconvolution_job *)base;
    program_add_packed(made, item, DNNL_ARG_WEIGHTS);
    return window_add_bias(host, job->bias, DNNL_ARG_BIAS,
                           dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 1),
                           item);
}

static void read_weight(const tn_view *weight, int64_t groups, deconvolution_job *job) {
    const int64_t kernel = tn_extent_product(weight->shape, 2, weight->rank);
    const int64_t channels = weight->shape[0] / groups, filters = weight->shape[1];
    int32_t rank = 0;
    if (groups > 1) {
        job->weight_extents[rank] = groups;
        job->weight_strides[rank++] = channels * filters * kernel;
    }
    job->weight_extents[rank] = filters;
    job->weight_strides[rank++] = kernel;
    job->weight_extents[rank] = channels;
    job->weight_strides[rank++] = filters * kernel;
    for (int32_t axis = 2; axis < weight->rank; axis++) {
        job->weight_extents[rank] = weight->shape[axis];
        job->weight_strides[rank++] = tn_extent_product(weight->shape, axis + 1, weight->rank);
    }
    job->weight_rank = rank;
}

tn_status deconvolution_prepare(tn_prepare_call *call) {
    const deconvolution_attributes *given = call->attributes;
    const tn_view *weight = call->inputs[1];
    deconvolution_job job = {.base = {.data = call->inputs[0],
                                      .output = call->outputs[0],
                                      .is_transposed = 1,
                                      .describe = describe,
                                      .begin = begin,
                                      .add_arguments = add_arguments},
                             .bias = given->no_bias ? NULL : call->inputs[2]};
    window_job *base = &job.base;
    dnnl_memory_desc_t any;
    find_window(given, base->data->rank - 2, base->data->shape + 2, base->output->shape + 2,
                &base->window);
    read_weight(weight, given->num_group, &job);
    base->split = image_split_find(base->output, program_thread_count(call->host),
                                   window_cost(base->data->shape, base->data->rank, weight->shape));
    TN_TRY(any_descriptor(call->host, job.weight_extents, job.weight_rank, &any));
    TN_TRY(choose_weights_layout(call->host, base, &any, &job.packed));
    return window_program_prepare(call, base);
}
