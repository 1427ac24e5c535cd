/* Convolution, channels-last, weights packed once when they never change. */
#include "convolution.h"

#include "program.h"
#include "window.h"

const tn_attribute convolution_fields[CONVOLUTION_FIELD_COUNT] = {
    TN_FIELD(convolution_attributes, kernel, INTS, NULL, NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, stride, INTS, "()", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, dilate, INTS, "()", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, pad, INTS, "()", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, num_filter, INT, NULL, NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, num_group, INT, "1", NULL, "As the operator says."),
    TN_FIELD(convolution_attributes, no_bias, BOOL, "False", NULL, "As the operator says."),
    TN_FIELD_CHOICE(convolution_attributes, layout, "None", WINDOW_LAYOUTS,
                    "As the operator says."),
};

/* Below this many multiplications a call of the library costs more than the work. */
#define SMALLEST_COST 20000.0

static double cost_of(const int64_t *output, int32_t rank, const int64_t *weight) {
    double cost = 1;
    for (int32_t axis = 0; axis < rank; axis++) {
        cost *= (double)output[axis];
    }
    for (int32_t axis = 1; axis < rank; axis++) {
        cost *= (double)weight[axis];
    }
    return cost;
}

int32_t convolution_supports(const tn_kernel_query *query) {
    const tn_tensor_type *data = &query->inputs[0], *weight = &query->inputs[1];
    const tn_tensor_type *output = &query->outputs[0];
    const convolution_attributes *attributes = query->attributes;
    return window_takes(data, output) && weight->dtype == TN_F32 &&
           attributes->layout < WINDOW_FIRST_CHANNELS_LAST &&
           cost_of(output->shape.extents, output->shape.rank, weight->shape.extents) >=
               SMALLEST_COST;
}

typedef struct convolution_job {
    const convolution_attributes *attributes;
    const tn_view *data, *weight, *bias, *output;
    window_shape window;
    image_split split;
    dnnl_dims_t weight_extents; /* with the groups in front, if any */
    int32_t weight_rank;
} convolution_job;

static convolution_job read_call(const tn_prepare_call *call) {
    const convolution_attributes *attributes = call->attributes;
    convolution_job job = {.attributes = attributes,
                           .data = call->inputs[0],
                           .weight = call->inputs[1],
                           .bias = call->input_count > 2 ? call->inputs[2] : NULL,
                           .output = call->outputs[0]};
    job.window.rank = job.data->rank - 2;
    for (int32_t axis = 0; axis < job.window.rank; axis++) {
        const int64_t pad = window_item(&attributes->pad, axis, 0);
        job.window.sides[axis] = (window_side){window_item(&attributes->kernel, axis, 1),
                                               window_item(&attributes->stride, axis, 1),
                                               window_item(&attributes->dilate, axis, 1), pad, pad};
    }
    const int64_t groups = attributes->num_group;
    if (groups > 1) {
        job.weight_extents[job.weight_rank++] = groups;
    }
    job.weight_extents[job.weight_rank++] = job.weight->shape[0] / groups;
    for (int32_t axis = 1; axis < job.weight->rank; axis++) {
        job.weight_extents[job.weight_rank++] = job.weight->shape[axis];
    }
    job.split = image_split_find(job.output, program_thread_count(call->host),
                                 cost_of(job.output->shape, job.output->rank, job.weight->shape));
    return job;
}

/* The primitive for one part of the rows. The first part chooses the layout of the weights. */
static tn_status describe(const tn_host *host, const convolution_job *job, const row_part *rows,
                          const dnnl_memory_desc_t *weights, dnnl_primitive_desc_t *out) {
    const view_part source =
        view_part_rows(job->data, job->split.images_in_item, rows->input_begin, rows->input_end);
    const view_part target =
        view_part_rows(job->output, job->split.images_in_item, rows->begin, rows->end);
    dnnl_memory_desc_t from, bias, to;
    dnnl_dims_t strides, dilates, pads, pads_behind;
    TN_TRY(view_part_descriptor(host, &source, &from));
    TN_TRY(view_part_descriptor(host, &target, &to));
    const dnnl_dims_t filters = {job->output->shape[1]};
    TN_TRY(plain_descriptor(host, filters, 1, &bias));
    for (int32_t axis = 0; axis < job->window.rank; axis++) {
        const window_side *side = &job->window.sides[axis];
        strides[axis] = side->stride;
        dilates[axis] = side->dilate - 1;
        pads[axis] = axis == 0 ? rows->pad : side->pad;
        pads_behind[axis] = axis == 0 ? rows->pad_behind
                                      : window_pad_behind(side, job->output->shape[2 + axis],
                                                          job->data->shape[2 + axis]);
    }
    dnnl_convolution_desc_t wanted;
    ONEDNN_TRY(host,
               dnnl_dilated_convolution_forward_desc_init(
                   &wanted, dnnl_forward_inference, dnnl_convolution_direct, &from, weights,
                   job->bias == NULL ? NULL : &bias, &to, strides, dilates, pads, pads_behind));
    dnnl_primitive_attr_t attributes;
    ONEDNN_TRY(host, dnnl_primitive_attr_create(&attributes));
    dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    const dnnl_status_t status =
        dnnl_primitive_desc_create(out, &wanted, attributes, onednn_library_of(host)->engine, NULL);
    dnnl_primitive_attr_destroy(attributes);
    return onednn_check(host, status, "dnnl_primitive_desc_create of a convolution");
}

/* Item `image` of one part. */
static tn_status fill_item(const tn_host *host, const program *made, const convolution_job *job,
                           const_dnnl_primitive_desc_t descriptor, const row_part *rows,
                           int64_t image, program_item *item) {
    const int64_t first = image * job->split.images_in_item;
    TN_TRY(program_add_argument(
        host, item, DNNL_ARG_SRC, dnnl_primitive_desc_query_md(descriptor, dnnl_query_src_md, 0),
        (program_argument){ARGUMENT_INPUT, 0,
                           view_part_offset(job->data, first, rows->input_begin)}));
    program_add_packed(made, item, DNNL_ARG_WEIGHTS);
    if (job->bias != NULL) {
        TN_TRY(
            program_add_argument(host, item, DNNL_ARG_BIAS,
                                 dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 1),
                                 (program_argument){ARGUMENT_INPUT, 2, 0}));
    }
    TN_TRY(program_add_argument(
        host, item, DNNL_ARG_DST, dnnl_primitive_desc_query_md(descriptor, dnnl_query_dst_md, 0),
        (program_argument){ARGUMENT_OUTPUT, 0, view_part_offset(job->output, first, rows->begin)}));
    return program_add_argument(
        host, item, DNNL_ARG_SCRATCHPAD,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0),
        (program_argument){ARGUMENT_SCRATCHPAD, 0, 0});
}

static tn_status fill_part(tn_prepare_call *call, program *made, const convolution_job *job,
                           dnnl_memory_desc_t *weights, int64_t part) {
    const tn_host *host = call->host;
    const row_part rows = image_split_part(&job->split, part, &job->window.sides[0],
                                           job->output->shape[2], job->data->shape[2]);
    dnnl_primitive_desc_t descriptor;
    dnnl_primitive_t primitive;
    TN_TRY(describe(host, job, &rows, weights, &descriptor));
    tn_status status = program_add_primitive(host, made, descriptor, &primitive);
    if (status == TN_OK && part == 0) {
        dnnl_memory_desc_t plain;
        *weights = *dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 0);
        status = plain_descriptor(host, job->weight_extents, job->weight_rank, &plain);
        status = status != TN_OK ? status : program_pack(call, made, 1, &plain, weights);
    }
    for (int64_t image = 0; status == TN_OK && image < job->split.image_items; image++) {
        program_item *item = &made->items[part * job->split.image_items + image];
        item->primitive = primitive;
        status = fill_item(host, made, job, descriptor, &rows, image, item);
    }
    dnnl_primitive_desc_destroy(descriptor);
    return status;
}

tn_status convolution_prepare(tn_prepare_call *call) {
    convolution_job job = read_call(call);
    program *made = NULL;
    dnnl_memory_desc_t weights;
    TN_TRY(any_descriptor(call->host, job.weight_extents, job.weight_rank, &weights));
    TN_TRY(program_create(call, (uint32_t)(job.split.image_items * job.split.parts), &made));
    tn_status status = TN_OK;
    for (int64_t part = 0; status == TN_OK && part < job.split.parts; part++) {
        status = fill_part(call, made, &job, &weights, part);
    }
    if (status != TN_OK) {
        program_destroy(call->host, made);
        return status;
    }
    program_finish(call, made);
    return TN_OK;
}
