#include "window_program.h"

#include <omp.h>

static tn_status find_part(const tn_host *host, const window_job *job, int64_t part,
                           window_part *out) {
    out->rows = (job->is_transposed ? image_split_transposed_part : image_split_part)(
        &job->split, part, &job->window.sides[0], job->output->shape[2], job->data->shape[2]);
    const row_part *rows = &out->rows;
    const view_part source =
        view_part_rows(job->data, job->split.images_in_item, rows->input_begin, rows->input_end);
    const view_part target =
        view_part_rows(job->output, job->split.images_in_item, rows->begin, rows->end);
    TN_TRY(view_part_descriptor(host, &source, &out->source));
    TN_TRY(view_part_descriptor(host, &target, &out->target));
    for (int32_t axis = 0; axis < job->window.rank; axis++) {
        const window_side *side = &job->window.sides[axis];
        out->strides[axis] = side->stride;
        out->pads[axis] = axis == 0 ? rows->pad : side->pad;
        out->pads_behind[axis] = axis == 0 ? rows->pad_behind : side->pad_behind;
    }
    return TN_OK;
}

tn_status window_job_describe(const tn_host *host, const window_job *job, int64_t part,
                              row_part *out_rows, dnnl_primitive_desc_t *out) {
    window_part found;
    omp_set_num_threads(1); /* what is described is made for that many */
    TN_TRY(find_part(host, job, part, &found));
    *out_rows = found.rows;
    return job->describe(host, job, &found, out);
}

tn_status window_add_bias(const tn_host *host, const tn_view *bias, int id,
                          const dnnl_memory_desc_t *descriptor, program_item *item) {
    if (bias == NULL) {
        return TN_OK;
    }
    const program_argument argument = {.owner = ARGUMENT_INPUT,
                                       .index = 2,
                                       .own_count =
                                           bias->dtype == TN_F16 ? tn_element_count(bias) : 0};
    return program_add_argument(host, item, id, descriptor, argument);
}

/* The elements from the first to the last, with those of rows between images that are not read. */
static int64_t span_of(const view_part *part) {
    return (part->extents[0] - 1) * part->strides[0] +
           tn_extent_product(part->extents, 1, part->rank);
}

/* Rows [begin, end) of the images of an item, of which `first` is the first. Float16 is converted:
 * items of several images give all rows of them. */
static program_argument argument_of(const window_job *job, const tn_view *view, int64_t first,
                                    int64_t begin, int64_t end) {
    const view_part part = view_part_rows(view, job->split.images_in_item, begin, end);
    const int64_t element = first * part.strides[0] + begin * part.strides[2];
    return (program_argument){.offset = element * (int64_t)TN_DTYPE_SIZE(view->dtype),
                              .own_count = view->dtype == TN_F16 ? span_of(&part) : 0};
}

/* Item `image` of one part. */
static tn_status fill_item(const tn_host *host, const program *made, const window_job *job,
                           const_dnnl_primitive_desc_t descriptor, const row_part *rows,
                           int64_t image, program_item *item) {
    const int64_t first = image * job->split.images_in_item;
    const dnnl_memory_desc_t *source =
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_src_md, 0);
    const dnnl_memory_desc_t *target =
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_dst_md, 0);
    program_argument argument =
        argument_of(job, job->data, first, rows->input_begin, rows->input_end);
    argument.owner = ARGUMENT_INPUT;
    TN_TRY(program_add_argument(host, item, DNNL_ARG_SRC, source, argument));
    if (job->add_arguments != NULL) {
        TN_TRY(job->add_arguments(host, job, made, descriptor, item));
    }
    if (job->addend != NULL) {
        argument = argument_of(job, job->addend, first, rows->begin, rows->end);
        argument.owner = ARGUMENT_INPUT;
        argument.index = job->addend_input;
        TN_TRY(program_add_argument(host, item, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                                    target, argument));
    }
    argument = argument_of(job, job->output, first, rows->begin, rows->end);
    argument.owner = ARGUMENT_OUTPUT;
    if (job->keeps_target) {
        const view_part part =
            view_part_rows(job->output, job->split.images_in_item, rows->begin, rows->end);
        argument.owner = ARGUMENT_TARGET;
        argument.own_count = span_of(&part);
    }
    TN_TRY(program_add_argument(host, item, DNNL_ARG_DST, target, argument));
    return program_add_argument(
        host, item, DNNL_ARG_SCRATCHPAD,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0),
        (program_argument){.owner = ARGUMENT_SCRATCHPAD});
}

static tn_status fill_part(const tn_host *host, program *made, const window_job *job,
                           int64_t part) {
    row_part rows;
    dnnl_primitive_desc_t descriptor;
    dnnl_primitive_t primitive;
    TN_TRY(window_job_describe(host, job, part, &rows, &descriptor));
    tn_status status = program_add_primitive(host, made, descriptor, &primitive);
    for (int64_t image = 0; status == TN_OK && image < job->split.image_items; image++) {
        program_item *item = &made->items[part * job->split.image_items + image];
        item->primitive = primitive;
        status = fill_item(host, made, job, descriptor, &rows, image, item);
    }
    dnnl_primitive_desc_destroy(descriptor);
    return status;
}

tn_status window_program_prepare(tn_prepare_call *call, const window_job *job) {
    program *made = NULL;
    TN_TRY(program_create(call, (uint32_t)(job->split.image_items * job->split.parts), &made));
    tn_status status = job->begin == NULL ? TN_OK : job->begin(call, job, made);
    for (int64_t part = 0; status == TN_OK && part < job->split.parts; part++) {
        status = fill_part(call->host, made, job, part);
    }
    if (status != TN_OK) {
        program_destroy(call->host, made);
        return status;
    }
    program_finish(call, made);
    return TN_OK;
}
