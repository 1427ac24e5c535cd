/* Pooling: the maximum and the average, channels-last. */
#include "pooling.h"

#include "window_program.h"

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
 * but never with what lies beyond the padding, which the library cannot tell from it. A list with
 * both sides has the padding behind after all those in front. */
static int find_algorithm(const pooling_attributes *attributes, const window_shape *window,
                          dnnl_alg_kind_t *out_algorithm) {
    int has_padding = 0, is_beyond = 0;
    for (int32_t axis = 0; axis < window->rank; axis++) {
        const window_side *side = &window->sides[axis];
        const int32_t behind = attributes->pad.count > window->rank ? window->rank + axis : axis;
        has_padding = has_padding || side->pad > 0 || side->pad_behind > 0;
        is_beyond = is_beyond || side->pad_behind > window_item(&attributes->pad, behind, 0);
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
    window_job base;
    dnnl_alg_kind_t algorithm;
} pooling_job;

static tn_status describe(const tn_host *host, const window_job *base, const window_part *part,
                          dnnl_primitive_desc_t *out) {
    const pooling_job *job = (const pooling_job *)base;
    dnnl_dims_t kernel;
    dnnl_pooling_desc_t wanted;
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        kernel[axis] = base->window.sides[axis].kernel;
    }
    ONEDNN_TRY(host, dnnl_pooling_forward_desc_init(&wanted, dnnl_forward_inference, job->algorithm,
                                                    &part->source, &part->target, part->strides,
                                                    kernel, part->pads, part->pads_behind));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a pooling", out);
}

tn_status pooling_prepare(tn_prepare_call *call) {
    const pooling_attributes *attributes = call->attributes;
    pooling_job job = {
        .base = {.data = call->inputs[0], .output = call->outputs[0], .describe = describe}};
    window_job *base = &job.base;
    double cost = (double)tn_element_count(base->output);
    base->window =
        window_of(attributes, base->data->rank - 2, base->data->shape + 2, base->output->shape + 2);
    for (int32_t axis = 0; axis < base->window.rank; axis++) {
        cost *= (double)base->window.sides[axis].kernel;
    }
    find_algorithm(attributes, &base->window, &job.algorithm);
    base->split = image_split_find(base->output, program_thread_count(call->host), cost);
    return window_program_prepare(call, base);
}
