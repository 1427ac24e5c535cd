/* Pooling: the maximum and the average, channels-last. */
#include "pooling.h"

#include "program.h"
#include "window.h"

#define AS_THE_OPERATOR_SAYS "As the operator says."

const tn_attribute pooling_fields[POOLING_FIELD_COUNT] = {
    TN_FIELD(pooling_attributes, kernel, INTS, "()", NULL, AS_THE_OPERATOR_SAYS),
    TN_FIELD(pooling_attributes, stride, INTS, "()", NULL, AS_THE_OPERATOR_SAYS),
    TN_FIELD(pooling_attributes, pad, INTS, "()", NULL, AS_THE_OPERATOR_SAYS),
    TN_FIELD_CHOICE(pooling_attributes, pool_type, "max", "max|avg|sum|lp", AS_THE_OPERATOR_SAYS),
    TN_FIELD_CHOICE(pooling_attributes, pooling_convention, "valid", "valid|full|same",
                    AS_THE_OPERATOR_SAYS),
    TN_FIELD(pooling_attributes, global_pool, BOOL, "False", NULL, AS_THE_OPERATOR_SAYS),
    TN_FIELD_OR_NONE(pooling_attributes, count_include_pad, BOOL, "None", NULL,
                     AS_THE_OPERATOR_SAYS),
    TN_FIELD_CHOICE(pooling_attributes, layout, "None", WINDOW_LAYOUTS, AS_THE_OPERATOR_SAYS),
};

static window_shape window_of(const pooling_attributes *attributes, int32_t rank,
                              const int64_t *extents, const int64_t *places) {
    window_shape window = {.rank = rank};
    for (int32_t axis = 0; axis < rank; axis++) {
        window_side *side = &window.sides[axis];
        *side = (window_side){extents[axis], 1, 1, 0, 0};
        if (!attributes->global_pool) {
            *side = (window_side){window_item(&attributes->kernel, axis, 1),
                                  window_item(&attributes->stride, axis, 1), 1,
                                  window_item(&attributes->pad, axis, 0), 0};
        }
        side->pad_behind = window_pad_behind(side, places[axis], extents[axis]);
    }
    return window;
}

/* Averages divide by the elements under the window: of the data alone, or with the padding too,
 * but never with what lies beyond the padding, which the library cannot tell from it. */
static int find_algorithm(const pooling_attributes *attributes, const window_shape *window,
                          dnnl_alg_kind_t *out_algorithm) {
    int has_padding = 0, is_beyond = 0;
    for (int32_t axis = 0; axis < window->rank; axis++) {
        has_padding = has_padding || window->sides[axis].pad > 0;
        is_beyond = is_beyond || window->sides[axis].pad_behind > window->sides[axis].pad;
    }
    if (attributes->pool_type == POOLING_MAX) {
        *out_algorithm = dnnl_pooling_max;
        return 1;
    }
    const int counts_padding = attributes->count_include_pad != 0 && has_padding;
    *out_algorithm =
        counts_padding ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding;
    return attributes->pool_type == POOLING_AVERAGE && !(counts_padding && is_beyond);
}

int32_t pooling_supports(const tn_kernel_query *query) {
    const pooling_attributes *attributes = query->attributes;
    const tn_shape *data = &query->inputs[0].shape, *output = &query->outputs[0].shape;
    dnnl_alg_kind_t algorithm;
    if (!window_takes(&query->inputs[0], &query->outputs[0]) ||
        attributes->pooling_convention == POOLING_SAME ||
        attributes->layout >= WINDOW_FIRST_CHANNELS_LAST) {
        return 0;
    }
    const window_shape window =
        window_of(attributes, data->rank - 2, data->extents + 2, output->extents + 2);
    return find_algorithm(attributes, &window, &algorithm);
}

typedef struct pooling_job {
    const tn_view *data, *output;
    window_shape window;
    image_split split;
    dnnl_alg_kind_t algorithm;
} pooling_job;

static tn_status describe(const tn_host *host, const pooling_job *job, const row_part *rows,
                          dnnl_primitive_desc_t *out) {
    const view_part source =
        view_part_rows(job->data, job->split.images_in_item, rows->input_begin, rows->input_end);
    const view_part target =
        view_part_rows(job->output, job->split.images_in_item, rows->begin, rows->end);
    dnnl_memory_desc_t from, to;
    dnnl_dims_t kernel, strides, pads, pads_behind;
    TN_TRY(view_part_descriptor(host, &source, &from));
    TN_TRY(view_part_descriptor(host, &target, &to));
    for (int32_t axis = 0; axis < job->window.rank; axis++) {
        const window_side *side = &job->window.sides[axis];
        kernel[axis] = side->kernel;
        strides[axis] = side->stride;
        pads[axis] = axis == 0 ? rows->pad : side->pad;
        pads_behind[axis] = axis == 0 ? rows->pad_behind : side->pad_behind;
    }
    dnnl_pooling_desc_t wanted;
    dnnl_primitive_attr_t attributes;
    ONEDNN_TRY(host,
               dnnl_pooling_forward_desc_init(&wanted, dnnl_forward_inference, job->algorithm,
                                              &from, &to, strides, kernel, pads, pads_behind));
    ONEDNN_TRY(host, dnnl_primitive_attr_create(&attributes));
    dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    const dnnl_status_t status =
        dnnl_primitive_desc_create(out, &wanted, attributes, onednn_library_of(host)->engine, NULL);
    dnnl_primitive_attr_destroy(attributes);
    return onednn_check(host, status, "dnnl_primitive_desc_create of a pooling");
}

static tn_status fill_item(const tn_host *host, const pooling_job *job,
                           const_dnnl_primitive_desc_t descriptor, const row_part *rows,
                           int64_t image, program_item *item) {
    const int64_t first = image * job->split.images_in_item;
    TN_TRY(program_add_argument(
        host, item, DNNL_ARG_SRC, dnnl_primitive_desc_query_md(descriptor, dnnl_query_src_md, 0),
        (program_argument){ARGUMENT_INPUT, 0,
                           view_part_offset(job->data, first, rows->input_begin)}));
    TN_TRY(program_add_argument(
        host, item, DNNL_ARG_DST, dnnl_primitive_desc_query_md(descriptor, dnnl_query_dst_md, 0),
        (program_argument){ARGUMENT_OUTPUT, 0, view_part_offset(job->output, first, rows->begin)}));
    return program_add_argument(
        host, item, DNNL_ARG_SCRATCHPAD,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0),
        (program_argument){ARGUMENT_SCRATCHPAD, 0, 0});
}

static tn_status fill_part(const tn_host *host, program *made, const pooling_job *job,
                           int64_t part) {
    const row_part rows = image_split_part(&job->split, part, &job->window.sides[0],
                                           job->output->shape[2], job->data->shape[2]);
    dnnl_primitive_desc_t descriptor;
    dnnl_primitive_t primitive;
    TN_TRY(describe(host, job, &rows, &descriptor));
    tn_status status = program_add_primitive(host, made, descriptor, &primitive);
    for (int64_t image = 0; status == TN_OK && image < job->split.image_items; image++) {
        program_item *item = &made->items[part * job->split.image_items + image];
        item->primitive = primitive;
        status = fill_item(host, job, descriptor, &rows, image, item);
    }
    dnnl_primitive_desc_destroy(descriptor);
    return status;
}

static pooling_job read_call(const tn_prepare_call *call) {
    const pooling_attributes *attributes = call->attributes;
    pooling_job job = {.data = call->inputs[0], .output = call->outputs[0]};
    double cost = (double)tn_element_count(job.output);
    job.window =
        window_of(attributes, job.data->rank - 2, job.data->shape + 2, job.output->shape + 2);
    for (int32_t axis = 0; axis < job.window.rank; axis++) {
        cost *= (double)job.window.sides[axis].kernel;
    }
    find_algorithm(attributes, &job.window, &job.algorithm);
    job.split = image_split_find(job.output, program_thread_count(call->host), cost);
    return job;
}

tn_status pooling_prepare(tn_prepare_call *call) {
    const pooling_job job = read_call(call);
    program *made = NULL;
    TN_TRY(program_create(call, (uint32_t)(job.split.image_items * job.split.parts), &made));
    tn_status status = TN_OK;
    for (int64_t part = 0; status == TN_OK && part < job.split.parts; part++) {
        status = fill_part(call->host, made, &job, part);
    }
    if (status != TN_OK) {
        program_destroy(call->host, made);
        return status;
    }
    program_finish(call, made);
    return TN_OK;
}
