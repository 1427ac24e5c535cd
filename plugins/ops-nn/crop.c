/* The operator Crop and its kernel. */
#include "description.h"
#include "infer.h"
#include "operators.h"
#include "size.h"

typedef struct crop_attributes {
    tn_ints offset;
    tn_ints h_w;
    int64_t num_args;
    int32_t center_crop;
} crop_attributes;

static const tn_attribute fields[] = {
    TN_FIELD(crop_attributes, num_args, INT, NULL, "[1,2]",
             "The number of inputs: with two, the second one's height and width are cut out."),
    TN_FIELD(crop_attributes, offset, INTS, "(0, 0)", "[0,inf)",
             "The row and column of the first element that stays."),
    TN_FIELD(crop_attributes, h_w, INTS, "(0, 0)", "[0,inf)",
             "The height and width to cut out when there is one input."),
    TN_FIELD(crop_attributes, center_crop, BOOL, "False", NULL,
             "Cuts out the middle; offset has no effect then."),
};

static const char *const input_names[] = {"data", "crop_like"};
static const char *const output_names[] = {"output"};

static tn_status arity(tn_arity_call *call) {
    const crop_attributes *attributes = call->attributes;
    if (attributes->offset.count != 2 || attributes->h_w.count != 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%s has %lld elements, expected 2",
                       attributes->offset.count != 2 ? "offset" : "h_w",
                       (long long)(attributes->offset.count != 2 ? attributes->offset.count
                                                                 : attributes->h_w.count));
    }
    if (attributes->num_args == 1 &&
        (attributes->h_w.values[0] < 1 || attributes->h_w.values[1] < 1)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "h_w must be given, with extents of at least 1, when num_args=1");
    }
    call->input_count = (uint32_t)attributes->num_args;
    return TN_OK;
}

/* Where to begin along one of the two axes. */
static int64_t first_along(const crop_attributes *attributes, int32_t axis, int64_t extent,
                           int64_t wanted) {
    return attributes->center_crop ? (extent - wanted) / 2 : attributes->offset.values[axis];
}

static tn_status check_bounds(tn_infer_call *call, int32_t axis) {
    const crop_attributes *attributes = call->attributes;
    const int64_t extent = call->inputs[0].shape.extents[2 + axis];
    const int64_t wanted = call->outputs[0].shape.extents[2 + axis];
    if (extent < 0 || wanted < 0) {
        return TN_OK;
    }
    if (wanted > extent || first_along(attributes, axis, extent, wanted) > extent - wanted) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "%lld %s from number %lld on are wanted, but data has %lld",
                       (long long)wanted, axis == 0 ? "rows" : "columns",
                       (long long)first_along(attributes, axis, extent, wanted), (long long)extent);
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const crop_attributes *attributes = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    const tn_shape any = tn_shape_of_rank(4);
    TN_TRY(tn_infer_shape(call->host, "data", data, &any));
    tn_shape fact = any;
    fact.extents[0] = data->extents[0];
    fact.extents[1] = data->extents[1];
    if (call->input_count > 1) {
        TN_TRY(tn_infer_shape(call->host, "crop_like", &call->inputs[1].shape, &any));
        fact.extents[2] = call->inputs[1].shape.extents[2];
        fact.extents[3] = call->inputs[1].shape.extents[3];
    } else {
        fact.extents[2] = attributes->h_w.values[0];
        fact.extents[3] = attributes->h_w.values[1];
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    data->extents[0] = output->extents[0];
    data->extents[1] = output->extents[1];
    TN_TRY(check_bounds(call, 0));
    return check_bounds(call, 1);
}

const tn_op crop_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc = "Cuts a part out of the height and width of 4-D data (batch, channels, height, width).",
    OP_ATTRIBUTES(fields, crop_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

typedef struct cropping {
    const char *source; /* the first element that stays */
    char *target;
    int64_t source_row; /* bytes from row to row */
    int64_t source_plane;
    int64_t target_row;
    int64_t height; /* rows that stay */
} cropping;

static void crop_rows(void *context, int64_t begin, int64_t end) {
    const cropping *work = context;
    for (int64_t row = begin; row < end; row++) {
        memcpy(work->target + row * work->target_row,
               work->source + row / work->height * work->source_plane +
                   row % work->height * work->source_row,
               (size_t)work->target_row);
    }
}

static tn_status run(const tn_run_call *call) {
    const crop_attributes *attributes = call->attributes;
    const int64_t *from = call->inputs[0]->shape;
    const int64_t *to = call->outputs[0]->shape;
    const int64_t size = (int64_t)TN_DTYPE_SIZE(call->inputs[0]->dtype);
    const int64_t row = first_along(attributes, 0, from[2], to[2]);
    const int64_t column = first_along(attributes, 1, from[3], to[3]);
    if (tn_element_count(call->outputs[0]) == 0) {
        return TN_OK;
    }
    cropping work = {.source =
                         (const char *)tn_data(call->inputs[0]) + (row * from[3] + column) * size,
                     .target = tn_data(call->outputs[0]),
                     .source_row = from[3] * size,
                     .source_plane = from[2] * from[3] * size,
                     .target_row = to[3] * size,
                     .height = to[2]};
    tn_parallel_for(call->host, to[0] * to[1] * to[2], grain_of(GRAIN_ELEMENTS, to[3]), crop_rows,
                    &work);
    return TN_OK;
}

const tn_kernel crop_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "Crop",
    .target = "cpu",
    .run = run,
};
