/* The operator _contrib_AdaptiveAvgPooling2D and its kernel. */
#include "description.h"
#include "element_block.h"
#include "operators.h"
#include "size.h"

typedef struct adaptive_attributes {
    tn_ints output_size;
} adaptive_attributes;

static const tn_attribute fields[] = {
    TN_FIELD(adaptive_attributes, output_size, INTS, "()", "[1,2147483647]",
             "The height and width of the output; one number for both; 1 when left out."),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_status arity(tn_arity_call *call) {
    const adaptive_attributes *attributes = call->attributes;
    if (attributes->output_size.count > 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "output_size has %lld elements, expected at most 2",
                       (long long)attributes->output_size.count);
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const adaptive_attributes *attributes = call->attributes;
    const tn_ints *size = &attributes->output_size;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    tn_shape fact = tn_shape_of_rank(4);
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    fact = *data;
    fact.extents[2] = size->count > 0 ? size->values[0] : 1;
    fact.extents[3] = size->count > 0 ? size->values[size->count - 1] : 1;
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    data->extents[0] = output->extents[0];
    data->extents[1] = output->extents[1];
    return TN_OK;
}

const tn_op adaptive_pooling_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Divides the height and width of 4-D data (batch, channels, height, width) into as many "
           "parts as asked for, which may overlap by one row or column, and gives the average of "
           "each.",
    OP_ATTRIBUTES(fields, adaptive_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

typedef struct adaptive_run {
    element_array data;
    element_array output;
    const int64_t *source; /* height and width */
    const int64_t *target;
} adaptive_run;

/* Part `index` of `count` begins at index * extent / count, rounded down, and ends where the next
 * one begins, rounded up. The extent is divided first so that nothing overflows. */
static int64_t part_begin(int64_t extent, int64_t index, int64_t count) {
    return extent / count * index + extent % count * index / count;
}

static int64_t part_end(int64_t extent, int64_t index, int64_t count) {
    return extent / count * (index + 1) + divide_up(extent % count * (index + 1), count);
}

#include "real_float.h"

#include "adaptive_pooling_template.h"

#include "real_double.h"

#include "adaptive_pooling_template.h"

static void pool_range(void *context, int64_t begin, int64_t end) {
    const adaptive_run *work = context;
    for (int64_t row = begin; row < end; row++) {
        if (work->data.dtype == TN_F64) {
            pool_row_f64(work, row);
        } else {
            pool_row_f32(work, row);
        }
    }
}

static tn_status run(const tn_run_call *call) {
    const int64_t *source = call->inputs[0]->shape;
    const int64_t *target = call->outputs[0]->shape;
    adaptive_run work = {elements_of(call->inputs[0]), elements_of(call->outputs[0]), source + 2,
                         target + 2};
    tn_parallel_for(call->host, target[0] * target[1] * target[2],
                    grain_of(GRAIN_ELEMENTS, divide_up(source[2], target[2]) * source[3]),
                    pool_range, &work);
    return TN_OK;
}

const tn_kernel adaptive_pooling_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "_contrib_AdaptiveAvgPooling2D",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .run = run,
};
