#include "matrix.h"

#include <omp.h>

#include "descriptor.h"

/* Below this many multiplications a call of the library costs more than the work. */
#define SMALLEST_COST 20000.0
/* Less than this is not worth another thread. */
#define COST_OF_AN_ITEM 200000.0
/* With fewer rows weights are read once, and packing them would only take memory. */
#define FEWEST_PACKED_ROWS 8
#define MOST_ITEMS 64

/* What the items share out: one of the axes. */
enum { SPLIT_BATCH, SPLIT_ROWS, SPLIT_COLUMNS };

typedef struct matrix_split {
    int32_t axis;
    int64_t extent, parts;
} matrix_split;

typedef struct matrix_part {
    int64_t begin, end;
    dnnl_memory_desc_t left, right, bias, output;
} matrix_part;

static double cost_of(const matrix_job *job) {
    return (double)job->batch * (double)job->rows * (double)job->columns * (double)job->depth;
}

int matrix_is_worth(const matrix_job *job) {
    return cost_of(job) >= SMALLEST_COST;
}

static int64_t smaller(int64_t left, int64_t right) {
    return left < right ? left : right;
}

static matrix_split split_of(const matrix_job *job, uint32_t threads, int is_packed) {
    const double worth = cost_of(job) / COST_OF_AN_ITEM;
    const int64_t most = smaller(threads < 2 ? 1 : 2 * (int64_t)threads, MOST_ITEMS);
    const int64_t wanted = worth < (double)most ? (int64_t)worth + 1 : most;
    matrix_split split = {.axis = SPLIT_ROWS, .extent = job->rows};
    if (job->batch >= wanted && job->batch > 1) {
        split = (matrix_split){.axis = SPLIT_BATCH, .extent = job->batch};
    } else if (!is_packed && job->batch == 1 && job->columns > job->rows) {
        split = (matrix_split){.axis = SPLIT_COLUMNS, .extent = job->columns};
    }
    split.parts = smaller(wanted, split.extent);
    return split;
}

/* Three axes, the first of them the batch. */
static tn_status describe(const tn_host *host, const dnnl_dims_t extents, const matrix_side *side,
                          dnnl_memory_desc_t *out) {
    const dnnl_dims_t strides = {side->batch_stride, side->row_stride, side->column_stride};
    ONEDNN_TRY(host, dnnl_memory_desc_init_by_strides(out, 3, extents, dnnl_f32, strides));
    return TN_OK;
}

static matrix_side output_side(const matrix_job *job) {
    return (matrix_side){job->rows * job->columns, job->columns, 1};
}

static tn_status describe_part(const tn_host *host, const matrix_job *job,
                               const matrix_split *split, int64_t number, matrix_part *out) {
    out->begin = split->extent * number / split->parts;
    out->end = split->extent * (number + 1) / split->parts;
    const int64_t length = out->end - out->begin;
    const int64_t batch = split->axis == SPLIT_BATCH ? length : job->batch;
    const int64_t rows = split->axis == SPLIT_ROWS ? length : job->rows;
    const int64_t columns = split->axis == SPLIT_COLUMNS ? length : job->columns;
    const dnnl_dims_t left = {batch, rows, job->depth}, right = {batch, job->depth, columns},
                      output = {batch, rows, columns}, bias = {1, 1, columns};
    const matrix_side result = output_side(job), row = {columns, columns, 1};
    TN_TRY(describe(host, left, &job->left, &out->left));
    TN_TRY(describe(host, right, &job->right, &out->right));
    TN_TRY(describe(host, bias, &row, &out->bias));
    return describe(host, output, &result, &out->output);
}

static tn_status create_description(const tn_host *host, const matrix_job *job,
                                    const matrix_part *part, const dnnl_memory_desc_t *right,
                                    dnnl_primitive_desc_t *out) {
    dnnl_matmul_desc_t wanted;
    omp_set_num_threads(1); /* what is described is made for that many */
    ONEDNN_TRY(host,
               dnnl_matmul_desc_init(&wanted, &part->left, right,
                                     job->bias_input > 0 ? &part->bias : NULL, &part->output));
    return onednn_describe(host, &wanted, "dnnl_primitive_desc_create of a product", out);
}

/* The bytes from the beginning of an operand to where a part of it begins. */
static int64_t offset_of(const matrix_side *side, int64_t batch, int64_t row, int64_t column) {
    return (batch * side->batch_stride + row * side->row_stride + column * side->column_stride) *
           (int64_t)sizeof(float);
}

static tn_status fill_item(const tn_host *host, const matrix_job *job, const matrix_split *split,
                           const program *made, const matrix_part *part,
                           const_dnnl_primitive_desc_t descriptor, program_item *item) {
    const int64_t batch = split->axis == SPLIT_BATCH ? part->begin : 0;
    const int64_t row = split->axis == SPLIT_ROWS ? part->begin : 0;
    const int64_t column = split->axis == SPLIT_COLUMNS ? part->begin : 0;
    const matrix_side result = output_side(job);
    TN_TRY(program_add_argument(
        host, item, DNNL_ARG_SRC, &part->left,
        (program_argument){
            .owner = ARGUMENT_INPUT, .index = 0, .offset = offset_of(&job->left, batch, row, 0)}));
    if (made->packed != NULL) {
        program_add_packed(made, item, DNNL_ARG_WEIGHTS);
    } else {
        TN_TRY(program_add_argument(
            host, item, DNNL_ARG_WEIGHTS, &part->right,
            (program_argument){.owner = ARGUMENT_INPUT,
                               .index = 1,
                               .offset = offset_of(&job->right, batch, 0, column)}));
    }
    if (job->bias_input > 0) {
        TN_TRY(program_add_argument(host, item, DNNL_ARG_BIAS, &part->bias,
                                    (program_argument){.owner = ARGUMENT_INPUT,
                                                       .index = job->bias_input,
                                                       .offset = column * (int64_t)sizeof(float)}));
    }
    TN_TRY(
        program_add_argument(host, item, DNNL_ARG_DST, &part->output,
                             (program_argument){.owner = ARGUMENT_OUTPUT,
                                                .index = 0,
                                                .offset = offset_of(&result, batch, row, column)}));
    return program_add_argument(
        host, item, DNNL_ARG_SCRATCHPAD,
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0),
        (program_argument){.owner = ARGUMENT_SCRATCHPAD, .index = 0, .offset = 0});
}

static tn_status add_part(const tn_host *host, const matrix_job *job, const matrix_split *split,
                          program *made, const dnnl_memory_desc_t *packed, int64_t number) {
    matrix_part part;
    dnnl_primitive_desc_t descriptor;
    dnnl_primitive_t primitive;
    program_item *item = &made->items[number];
    TN_TRY(describe_part(host, job, split, number, &part));
    TN_TRY(
        create_description(host, job, &part, packed != NULL ? packed : &part.right, &descriptor));
    tn_status status = program_add_primitive(host, made, descriptor, &primitive);
    if (status == TN_OK) {
        item->primitive = primitive;
        status = fill_item(host, job, split, made, &part, descriptor, item);
    }
    dnnl_primitive_desc_destroy(descriptor);
    return status;
}

/* The layout of the right operand that the first part likes best. */
static tn_status choose_packing(const tn_host *host, const matrix_job *job,
                                const matrix_split *split, dnnl_memory_desc_t *out_plain,
                                dnnl_memory_desc_t *out_packed) {
    matrix_part part;
    dnnl_memory_desc_t any;
    dnnl_primitive_desc_t descriptor;
    const dnnl_dims_t extents = {1, job->depth, job->columns};
    TN_TRY(describe_part(host, job, split, 0, &part));
    TN_TRY(any_descriptor(host, extents, 3, &any));
    TN_TRY(create_description(host, job, &part, &any, &descriptor));
    *out_packed = *dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 0);
    *out_plain = part.right;
    dnnl_primitive_desc_destroy(descriptor);
    return TN_OK;
}

static tn_status fill_program(tn_prepare_call *call, const matrix_job *job,
                              const matrix_split *split, int is_packed, program *made) {
    dnnl_memory_desc_t plain, packed;
    if (is_packed) {
        TN_TRY(choose_packing(call->host, job, split, &plain, &packed));
        TN_TRY(program_pack(call, made, 1, &plain, &packed));
    }
    for (int64_t i = 0; i < split->parts; i++) {
        TN_TRY(add_part(call->host, job, split, made, is_packed ? &packed : NULL, i));
    }
    return TN_OK;
}

tn_status matrix_prepare(tn_prepare_call *call, const matrix_job *job) {
    const int is_packed =
        call->inputs[1]->data != NULL && job->batch == 1 && job->rows >= FEWEST_PACKED_ROWS;
    const matrix_split split = split_of(job, program_thread_count(call->host), is_packed);
    program *made = NULL;
    TN_TRY(program_create(call, (uint32_t)split.parts, &made));
    const tn_status status = fill_program(call, job, &split, is_packed, made);
    if (status != TN_OK) {
        program_destroy(call->host, made);
        return status;
    }
    program_finish(call, made);
    return TN_OK;
}
