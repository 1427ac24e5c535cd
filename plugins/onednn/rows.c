/* Operators on rows along the last axis: softmax and LayerNorm. An item computes some of the rows.
 */
#include "rows.h"

#include <omp.h>

#include "program.h"

static const char doc[] = "As the operator says.";

const tn_attribute softmax_fields[SOFTMAX_FIELD_COUNT] = {
    TN_FIELD(rows_attributes, axis, INT, "-1", NULL, doc),
    TN_FIELD(rows_attributes, temperature, STRING, "None", NULL, doc),
    TN_FIELD(rows_attributes, dtype, STRING, "None", NULL, doc),
    TN_FIELD(rows_attributes, use_length, STRING, "None", NULL, doc),
};

const tn_attribute layer_norm_fields[LAYER_NORM_FIELD_COUNT] = {
    TN_FIELD(rows_attributes, axis, INT, "-1", NULL, doc),
    TN_FIELD(rows_attributes, eps, FLOAT, "1e-5", NULL, doc),
    TN_FIELD(rows_attributes, output_mean_var, BOOL, "False", NULL, doc),
};

enum {
    FEWEST_ELEMENTS = 2048,   /* below, the plain kernels are as fast */
    ELEMENTS_OF_ITEM = 32768, /* less is not worth another thread */
    FEWEST_ROWS = 2           /* for which the plain kernels are as fast */
};

/* Float32, rows along the last axis, and enough of them. */
static int takes_rows(const tn_kernel_query *query, uint32_t input_count) {
    const rows_attributes *given = query->attributes;
    const tn_shape *shape = &query->inputs[0].shape;
    int takes = query->outputs[0].dtype == TN_F32 && query->input_count == input_count &&
                shape->rank >= 2 && (given->axis == -1 || given->axis == shape->rank - 1);
    for (uint32_t i = 0; i < query->input_count; i++) {
        takes = takes && query->inputs[i].dtype == TN_F32;
    }
    if (!takes) {
        return 0;
    }
    const int64_t rows = tn_extent_product(shape->extents, 0, shape->rank - 1);
    return rows >= FEWEST_ROWS && rows * shape->extents[shape->rank - 1] >= FEWEST_ELEMENTS;
}

static int is_absent(const char *text) {
    return text == NULL || strcmp(text, "None") == 0 || strcmp(text, "False") == 0;
}

int32_t softmax_supports(const tn_kernel_query *query) {
    const rows_attributes *given = query->attributes;
    return takes_rows(query, 1) && is_absent(given->temperature) && is_absent(given->dtype) &&
           is_absent(given->use_length);
}

int32_t layer_norm_supports(const tn_kernel_query *query) {
    const rows_attributes *given = query->attributes;
    return takes_rows(query, 3) && !given->output_mean_var;
}

/* Describes the primitive for some of the rows. */
typedef tn_status describe_rows(const tn_host *host, const rows_attributes *given,
                                const dnnl_memory_desc_t *rows, dnnl_primitive_desc_t *out);

static tn_status describe_softmax(const tn_host *host, const rows_attributes *given,
                                  const dnnl_memory_desc_t *rows, dnnl_primitive_desc_t *out) {
    dnnl_softmax_v2_desc_t wanted;
    (void)given;
    ONEDNN_TRY(host, dnnl_softmax_v2_forward_desc_init(&wanted, dnnl_forward_inference,
                                                       dnnl_softmax_accurate, rows, rows, 1));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a softmax", out);
}

static tn_status describe_norm(const tn_host *host, const rows_attributes *given,
                               const dnnl_memory_desc_t *rows, dnnl_primitive_desc_t *out) {
    dnnl_layer_normalization_desc_t wanted;
    ONEDNN_TRY(host, dnnl_layer_normalization_forward_desc_init(&wanted, dnnl_forward_inference,
                                                                rows, NULL, (float)given->eps,
                                                                dnnl_use_scale | dnnl_use_shift));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a norm of rows", out);
}

/* The parameters of a row are inputs 1 and on. */
static const int parameter_ids[] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT};

typedef struct rows_job {
    describe_rows *describe;
    const rows_attributes *given;
    int64_t rows, length;
    int32_t parameter_count;
} rows_job;

static tn_status fill_item(const tn_host *host, const rows_job *job, int64_t first,
                           const dnnl_memory_desc_t *rows, const_dnnl_primitive_desc_t descriptor,
                           program_item *item) {
    const dnnl_dims_t extents = {job->length};
    const int64_t offset = first * job->length * (int64_t)sizeof(float);
    dnnl_memory_desc_t parameter;
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_tag(&parameter, 1, extents, dnnl_f32, dnnl_a));
    TN_TRY(program_add_argument(host, item, DNNL_ARG_SRC, rows,
                                (program_argument){.owner = ARGUMENT_INPUT, .offset = offset}));
    TN_TRY(program_add_argument(host, item, DNNL_ARG_DST, rows,
                                (program_argument){.owner = ARGUMENT_OUTPUT, .offset = offset}));
    for (int32_t i = 0; i < job->parameter_count; i++) {
        TN_TRY(program_add_argument(
            host, item, parameter_ids[i], &parameter,
            (program_argument){.owner = ARGUMENT_INPUT, .index = (uint32_t)i + 1}));
    }
    return program_add_argument(
        host, item, DNNL_ARG_SCRATCHPAD,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0),
        (program_argument){.owner = ARGUMENT_SCRATCHPAD});
}

static tn_status add_part(const tn_host *host, const rows_job *job, program *made, int64_t part) {
    const int64_t begin = job->rows * part / made->item_count;
    const int64_t end = job->rows * (part + 1) / made->item_count;
    const dnnl_dims_t extents = {end - begin, job->length};
    dnnl_memory_desc_t rows;
    dnnl_primitive_desc_t descriptor;
    program_item *item = &made->items[part];
    omp_set_num_threads(1); /* what is described is made for that many */
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_tag(&rows, 2, extents, dnnl_f32, dnnl_ab));
    TN_TRY(job->describe(host, job->given, &rows, &descriptor));
    tn_status status = program_add_primitive(host, made, descriptor, &item->primitive);
    if (status == TN_OK) {
        status = fill_item(host, job, begin, &rows, descriptor, item);
    }
    dnnl_primitive_desc_destroy(descriptor);
    return status;
}

static tn_status prepare_rows(tn_prepare_call *call, describe_rows *describe,
                              int32_t parameter_count) {
    const tn_view *data = call->inputs[0];
    const int64_t length = data->shape[data->rank - 1];
    const rows_job job = {.describe = describe,
                          .given = call->attributes,
                          .rows = tn_extent_product(data->shape, 0, data->rank - 1),
                          .length = length,
                          .parameter_count = parameter_count};
    const int64_t threads = program_thread_count(call->host);
    const int64_t worth = 1 + job.rows * length / ELEMENTS_OF_ITEM;
    int64_t parts = threads < 2 ? 1 : worth < 2 * threads ? worth : 2 * threads;
    parts = parts < job.rows ? parts : job.rows;
    parts = parts < PROGRAM_MAX_PRIMITIVES ? parts : PROGRAM_MAX_PRIMITIVES;
    program *made = NULL;
    TN_TRY(program_create(call, (uint32_t)parts, &made));
    tn_status status = TN_OK;
    for (int64_t part = 0; status == TN_OK && part < parts; part++) {
        status = add_part(call->host, &job, made, part);
    }
    if (status != TN_OK) {
        program_destroy(call->host, made);
        return status;
    }
    program_finish(call, made);
    return TN_OK;
}

tn_status softmax_prepare(tn_prepare_call *call) {
    return prepare_rows(call, describe_softmax, 0);
}

tn_status layer_norm_prepare(tn_prepare_call *call) {
    return prepare_rows(call, describe_norm, 2);
}
