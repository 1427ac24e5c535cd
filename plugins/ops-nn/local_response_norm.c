/* The operator LRN and its kernel. */
#include <math.h>

#include "description.h"
#include "element_block.h"
#include "operators.h"
#include "size.h"

typedef struct lrn_attributes {
    double alpha;
    double beta;
    double knorm;
    int64_t nsize;
} lrn_attributes;

static const tn_attribute fields[] = {
    TN_FIELD(lrn_attributes, alpha, FLOAT, "0.0001", NULL,
             "The weight of the mean square of neighbouring channels."),
    TN_FIELD(lrn_attributes, beta, FLOAT, "0.75", NULL, "The exponent of the divisor."),
    TN_FIELD(lrn_attributes, knorm, FLOAT, "2", NULL, "What is added to the weighted mean square."),
    TN_FIELD(lrn_attributes, nsize, INT, NULL, "[1,2147483647]",
             "How many channels, an odd number, the mean is taken over; channels that there are "
             "not count as zeros."),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_status arity(tn_arity_call *call) {
    const lrn_attributes *attributes = call->attributes;
    if (attributes->nsize % 2 == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "nsize=%lld, an odd number is expected",
                       (long long)attributes->nsize);
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    TN_TRY(tn_infer_elementwise(call));
    const int32_t rank = call->inputs[0].shape.rank;
    if (rank == 0 || rank == 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has %d axes, expected a batch and channels at least", (int)rank);
    }
    return TN_OK;
}

const tn_op lrn_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Local response normalisation: divides each element by (knorm + alpha times the mean of "
           "the squares at the same place in the channels around it) to the power of beta.",
    OP_ATTRIBUTES(fields, lrn_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

typedef struct lrn_run {
    const lrn_attributes *attributes;
    element_array data;
    element_array output;
    int64_t channel_count;
    int64_t plane_size; /* elements of one channel */
} lrn_run;

#include "real_float.h"

#include "local_response_norm_template.h"

#include "real_double.h"

#include "local_response_norm_template.h"

static void normalize_planes(void *context, int64_t begin, int64_t end) {
    const lrn_run *work = context;
    for (int64_t plane = begin; plane < end; plane++) {
        if (work->data.dtype == TN_F64) {
            normalize_plane_f64(work, plane);
        } else {
            normalize_plane_f32(work, plane);
        }
    }
}

static void normalize_places(void *context, int64_t begin, int64_t end) {
    const lrn_run *work = context;
    for (int64_t place = begin; place < end; place++) {
        if (work->data.dtype == TN_F64) {
            normalize_place_f64(work, place);
        } else {
            normalize_place_f32(work, place);
        }
    }
}

static tn_status run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    lrn_run work = {.attributes = call->attributes,
                    .data = elements_of(data),
                    .output = elements_of(call->outputs[0]),
                    .channel_count = data->shape[1],
                    .plane_size = tn_extent_product(data->shape, 2, data->rank)};
    const int is_channels_last = data->strides != NULL || work.plane_size == 1;
    const int64_t cost = smaller(work.attributes->nsize, work.channel_count) + 8;
    const int64_t rows = is_channels_last ? work.plane_size : work.channel_count;
    const int64_t length = is_channels_last ? work.channel_count : work.plane_size;
    tn_parallel_for(call->host, data->shape[0] * rows, grain_of(GRAIN_ELEMENTS, length * cost),
                    is_channels_last ? normalize_places : normalize_planes, &work);
    return TN_OK;
}

const tn_kernel lrn_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "LRN",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .run = run,
    .layouts = tn_layouts_of_first,
};
