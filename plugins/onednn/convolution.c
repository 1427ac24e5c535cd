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
    narrowed_view data, output, addend; /* what base leads to */
    dnnl_dims_t weight_extents;         /* with the groups in front, if any */
    int32_t weight_rank;
    dnnl_memory_desc_t packed; /* the weights in the layout of the primitives */
} convolution_job;

/* The library's own bias is what the sum begins with, so that a large one takes bits from all the
 * products. Added behind the sum it does not; but version 2.6 adds it wrong with three spatial
 * axes, and by its reference with most groups. */
static int is_bias_added_last(const convolution_job *job) {
    return job->bias != NULL && job->base.output->rank < 5 &&
           (job->attributes->num_group == 1 || job->weight->shape[1] == 1);
}

/* One element a channel; beside an output when it is added last. */
static tn_status bias_descriptor(const tn_host *host, const convolution_job *job,
                                 dnnl_memory_desc_t *out_descriptor) {
    const int64_t count = job->base.output->shape[1];
    const dnnl_dims_t alone = {count}, beside_output = {1, count, 1, 1};
    return is_bias_added_last(job)
               ? plain_descriptor(host, beside_output, job->base.output->rank, out_descriptor)
               : plain_descriptor(host, alone, 1, out_descriptor);
}

/* What comes behind the sum of products: the addend, the bias, then the activation. */
static tn_status add_post_operations(const tn_host *host, const convolution_job *job,
                                     const window_part *part, const dnnl_memory_desc_t *bias,
                                     dnnl_primitive_attr_t attributes) {
    const convolution_attributes *given = job->attributes;
    dnnl_post_ops_t operations;
    ONEDNN_TRY(host, dnnl_post_ops_create(&operations));
    dnnl_status_t status = dnnl_success;
    if (given->with_addend) {
        status = dnnl_post_ops_append_binary(operations, dnnl_binary_add, &part->target);
    }
    if (status == dnnl_success && is_bias_added_last(job)) {
        status = dnnl_post_ops_append_binary(operations, dnnl_binary_add, bias);
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
    dnnl_memory_desc_t bias;
    dnnl_dims_t dilates;
    dnnl_convolution_desc_t wanted;
    dnnl_primitive_attr_t attributes;
    TN_TRY(bias_descriptor(host, job, &bias));
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        dilates[axis] = base->window.sides[axis].dilate - 1;
    }
    ONEDNN_TRY(host, dnnl_dilated_convolution_forward_desc_init(
                         &wanted, dnnl_forward_inference, dnnl_convolution_direct, &part->source,
                         &job->packed, job->bias == NULL || is_bias_added_last(job) ? NULL : &bias,
                         &part->target, part->strides, dilates, part->pads, part->pads_behind));
    TN_TRY(onednn_attributes(host, &attributes));
    tn_status status = add_post_operations(host, job, part, &bias, attributes);
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
    const int operation = job->attributes->with_addend ? 1 : 0;
    dnnl_memory_desc_t bias;
    (void)descriptor;
    program_add_packed(made, item, DNNL_ARG_WEIGHTS);
    TN_TRY(bias_descriptor(host, job, &bias));
    return window_add_bias(host, job->bias,
                           is_bias_added_last(job)
                               ? DNNL_ARG_ATTR_MULTIPLE_POST_OP(operation) | DNNL_ARG_SRC_1
                               : DNNL_ARG_BIAS,
                           &bias, item);
}

static void read_window(const tn_prepare_call *call, window_shape *window) {
    const convolution_attributes *attributes = call->attributes;
    const int64_t *data = call->inputs[0]->shape + 2, *output = call->outputs[0]->shape + 2;
    window->rank = call->inputs[0]->rank - 2;
    for (int32_t axis = 0; axis < window->rank; axis++) {
        window_side *side = &window->sides[axis];
        *side = (window_side){.kernel = window_item(&attributes->kernel, axis, 1),
                              .stride = window_item(&attributes->stride, axis, 1),
                              .dilate = window_item(&attributes->dilate, axis, 1),
                              .pad = window_item(&attributes->pad, axis, 0)};
        if (attributes->auto_pad != AUTO_PAD_NONE) {
            window_pad_same(side, output[axis], data[axis],
                            attributes->auto_pad == AUTO_PAD_SAME_UPPER);
        }
        side->pad_behind = window_pad_behind(side, output[axis], data[axis]);
    }
}

/* An axis of one place is no axis: the library's loops are along the innermost one. The last one
 * stays when there is no other. */
static void leave_out_axes(const tn_prepare_call *call, convolution_job *job) {
    window_job *base = &job->base;
    int is_left_out[2 + WINDOW_MAX_RANK] = {0};
    int32_t rank = 0;
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        const window_side side = base->window.sides[axis];
        const int is_last = axis == base->window.rank - 1;
        is_left_out[2 + axis] = call->inputs[0]->shape[2 + axis] == 1 && side.kernel == 1 &&
                                side.pad == 0 && side.pad_behind == 0 && !(is_last && rank == 0);
        if (!is_left_out[2 + axis]) {
            base->window.sides[rank++] = side;
            job->weight_extents[job->weight_rank++] = side.kernel;
        }
    }
    base->window.rank = rank;
    narrow_view(call->inputs[0], is_left_out, &job->data);
    narrow_view(call->outputs[0], is_left_out, &job->output);
    base->data = &job->data.view;
    base->output = &job->output.view;
    if (job->attributes->with_addend) {
        base->addend_input = call->input_count - 1;
        narrow_view(call->inputs[base->addend_input], is_left_out, &job->addend);
        base->addend = &job->addend.view;
    }
}

static void read_call(const tn_prepare_call *call, convolution_job *job) {
    const convolution_attributes *attributes = call->attributes;
    const int64_t groups = attributes->num_group;
    *job = (convolution_job){
        .base = {.describe = describe, .begin = begin, .add_arguments = add_arguments},
        .attributes = attributes,
        .weight = call->inputs[1],
        .bias = attributes->no_bias ? NULL : call->inputs[2]};
    window_job *base = &job->base;
    read_window(call, &base->window);
    if (groups > 1) {
        job->weight_extents[job->weight_rank++] = groups;
    }
    job->weight_extents[job->weight_rank++] = job->weight->shape[0] / groups;
    job->weight_extents[job->weight_rank++] = job->weight->shape[1];
    leave_out_axes(call, job);
    const tn_view *output = call->outputs[0];
    base->split = image_split_find(base->output, program_thread_count(call->host),
                                   window_cost(output->shape, output->rank, job->weight->shape));
}

tn_status convolution_prepare(tn_prepare_call *call) {
    convolution_job job;
    read_call(call, &job);
    dnnl_memory_desc_t any;
    TN_TRY(any_descriptor(call->host, job.weight_extents, job.weight_rank, &any));
    TN_TRY(choose_weights_layout(call->host, &job.base, &any, &job.packed));
    return window_program_prepare(call, &job.base);
}
