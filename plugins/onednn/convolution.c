/* Convolution, channels-last, weights packed once when they never change. */
#include "convolution.h"

#include "weights_layout.h"
#include "window_program.h"

const tn_attribute convolution_fields[FUSED_CONVOLUTION_FIELD_COUNT] = {
    TN_FIELD(convolution_attributes, kernel, INTS, NULL, NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, stride, INTS, "()", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, dilate, INTS, "()", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, pad, INTS, "()", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, num_group, INT, "1", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, no_bias, BOOL, "False", NULL, "As the operator says."),
    TN_FIELD_CHOICE(convolution_attributes, layout, "None", WINDOW_LAYOUTS,
                    "As the operator says."),
    TN_FIELD_CHOICE(convolution_attributes, auto_pad, "None", "None|same_upper|same_lower",
                    "As the operator says."),
    TN_FIELD(convolution_attributes, with_addend, BOOL, "False", NULL, "As the operator says."),
    TN_FIELD_CHOICE(convolution_attributes, activation, "none", FUSED_ACTIVATIONS,
                    "As the operator says."),
    TN_FIELD(convolution_attributes, alpha, FLOAT, "0", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, beta, FLOAT, "0", NULL, "As the operator says."),
};

/* What oneDNN calls them, in their order. */
static const dnnl_alg_kind_t activations[] = {
    dnnl_alg_kind_undef,   dnnl_eltwise_relu,      dnnl_eltwise_relu,
    dnnl_eltwise_logistic, dnnl_eltwise_soft_relu, dnnl_eltwise_tanh,
    dnnl_eltwise_elu,      dnnl_eltwise_clip,      dnnl_eltwise_swish};
enum { ACTIVATION_SWISH = 8 };

int32_t convolution_supports(const tn_kernel_query *query) {
    const tn_tensor_type *data = &query->inputs[0], *weight = &query->inputs[1];
    const tn_tensor_type *output = &query->outputs[0];
    const convolution_attributes *attributes = query->attributes;
    return window_takes(data, output) && weight->dtype == data->dtype &&
           (weight->dtype == TN_F32 || query->input_values[1] != NULL) &&
           attributes->layout < WINDOW_FIRST_CHANNELS_LAST &&
           window_is_worth(&output->shape, weight->shape.extents);
}

void convolution_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    const convolution_attributes *attributes = query->attributes;
    channels_last_layouts(query, inputs, outputs);
    if (attributes->with_addend) {
        inputs[query->input_count - 1] = TN_LAYOUT_CHANNELS_LAST;
    }
}

typedef struct convolution_job {
    window_job base;
    const convolution_attributes *attributes;
    const tn_view *weight, *bias;
    dnnl_dims_t weight_extents; /* with the groups in front, if any */
    int32_t weight_rank;
    dnnl_memory_desc_t packed; /* the weights in the layout of the primitives */
} convolution_job;

/* What comes behind the sum of products: the addend, then the activation. */
static tn_status add_post_operations(const tn_host *host, const convolution_job *job,
                                     const window_part *part, dnnl_primitive_attr_t attributes) {
    const convolution_attributes *given = job->attributes;
    dnnl_post_ops_t operations;
    ONEDNN_TRY(host, dnnl_post_ops_create(&operations));
    dnnl_status_t status = dnnl_success;
    if (given->with_addend) {
        status = dnnl_post_ops_append_binary(operations, dnnl_binary_add, &part->target);
    }
    if (status == dnnl_success && given->activation > 0) {
        const float alpha = given->activation == ACTIVATION_SWISH ? 1 : (float)given->alpha;
        status = dnnl_post_ops_append_eltwise(operations, 1, activations[given->activation], alpha,
                                              (float)given->beta);
    }
    if (status == dnnl_success) {
        status = dnnl_primitive_attr_set_post_ops(attributes, operations);
    }
    dnnl_post_ops_destroy(operations);
    return onednn_check(host, status, "dnnl_primitive_attr_set_post_ops");
}

static tn_status describe(const tn_host *host, const window_job *base, const window_part *part,
                          dnnl_primitive_desc_t *out) {
    const convolution_job *job = (const convolution_job *)base;
    const dnnl_dims_t filters = {base->output->shape[1]};
    dnnl_memory_desc_t bias;
    dnnl_dims_t dilates;
    dnnl_convolution_desc_t wanted;
    dnnl_primitive_attr_t attributes;
    TN_TRY(plain_descriptor(host, filters, 1, &bias));
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        dilates[axis] = base->window.sides[axis].dilate - 1;
    }
    ONEDNN_TRY(host, dnnl_dilated_convolution_forward_desc_init(
                         &wanted, dnnl_forward_inference, dnnl_convolution_direct, &part->source,
                         &job->packed, job->bias == NULL ? NULL : &bias, &part->target,
                         part->strides, dilates, part->pads, part->pads_behind));
    TN_TRY(onednn_attributes(host, &attributes));
    tn_status status = add_post_operations(host, job, part, attributes);
    if (status == TN_OK) {
        status = onednn_check(host,
                              dnnl_primitive_desc_create(out, &wanted, attributes,
                                                         onednn_library_of(host)->engine, NULL),
                              "dnnl_primitive_desc_create of a convolution");
    }
    dnnl_primitive_attr_destroy(attributes);
    return status;
}

static tn_status begin(tn_prepare_call *call, const window_job *base, program *made) {
    const convolution_job *job = (const convolution_job *)base;
    dnnl_memory_desc_t plain;
    TN_TRY(plain_descriptor(call->host, job->weight_extents, job->weight_rank, &plain));
    return program_pack(call, made, 1, &plain, &job->packed);
}

static tn_status add_arguments(const tn_host *host, const window_job *base, const program *made,
                               const_dnnl_primitive_desc_t descriptor, program_item *item) {
    const convolution_job *job = (const convolution_job *)base;
    program_add_packed(made, item, DNNL_ARG_WEIGHTS);
    return window_add_bias(host, job->bias, descriptor, item);
}

static convolution_job read_call(const tn_prepare_call *call) {
    const convolution_attributes *attributes = call->attributes;
    convolution_job job = {.base = {.data = call->inputs[0],
                                    .output = call->outputs[0],
                                    .describe = describe,
                                    .begin = begin,
                                    .add_arguments = add_arguments},
                           .attributes = attributes,
                           .weight = call->inputs[1],
                           .bias = attributes->no_bias ? NULL : call->inputs[2]};
    if (attributes->with_addend) {
        job.base.addend_input = call->input_count - 1;
        job.base.addend = call->inputs[job.base.addend_input];
    }
    window_job *base = &job.base;
    base->window.rank = base->data->rank - 2;
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        window_side *side = &base->window.sides[axis];
        *side = (window_side){.kernel = window_item(&attributes->kernel, axis, 1),
                              .stride = window_item(&attributes->stride, axis, 1),
                              .dilate = window_item(&attributes->dilate, axis, 1),
                              .pad = window_item(&attributes->pad, axis, 0)};
        if (attributes->auto_pad != AUTO_PAD_NONE) {
            window_pad_same(side, base->output->shape[2 + axis], base->data->shape[2 + axis],
                            attributes->auto_pad == AUTO_PAD_SAME_UPPER);
        }
        side->pad_behind =
            window_pad_behind(side, base->output->shape[2 + axis], base->data->shape[2 + axis]);
    }
    const int64_t groups = attributes->num_group;
    if (groups > 1) {
        job.weight_extents[job.weight_rank++] = groups;
    }
    job.weight_extents[job.weight_rank++] = job.weight->shape[0] / groups;
    for (int32_t axis = 1; axis < job.weight->rank; axis++) {
        job.weight_extents[job.weight_rank++] = job.weight->shape[axis];
    }
    base->split =
        image_split_find(base->output, program_thread_count(call->host),
                         window_cost(base->output->shape, base->output->rank, job.weight->shape));
    return job;
}

tn_status convolution_prepare(tn_prepare_call *call) {
    convolution_job job = read_call(call);
    dnnl_memory_desc_t any;
    TN_TRY(any_descriptor(call->host, job.weight_extents, job.weight_rank, &any));
    TN_TRY(choose_weights_layout(call->host, &job.base, &any, &job.packed));
    return window_program_prepare(call, &job.base);
}
