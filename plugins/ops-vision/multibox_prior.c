/* _contrib_MultiBoxPrior: anchor boxes of several sizes and ratios at every cell of a picture. */
#include <math.h>

#include "operator.h"
#include "operators.h"

#define BOX_NUMBERS 4

/* Boxes that are worth handing to another thread. */
#define GRAIN_BOXES (4 * 1024)

typedef struct multibox_prior_attributes {
    tn_floats sizes;
    tn_floats ratios;
    int32_t clip;
    tn_floats steps;
    tn_floats offsets;
} multibox_prior_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(multibox_prior_attributes, sizes, FLOATS, "(1,)", NULL,
             "The sizes of boxes, as parts of the picture's height."),
    TN_FIELD(multibox_prior_attributes, ratios, FLOATS, "(1,)", "(0,inf)",
             "The ratios of width to height."),
    TN_FIELD(multibox_prior_attributes, clip, BOOL, "False", NULL,
             "Whether boxes are cut off at the picture's border."),
    TN_FIELD(multibox_prior_attributes, steps, FLOATS, "(-1,-1)", NULL,
             "The distances from cell to cell, down and across, as parts of the picture; when not "
             "above 0 they follow from the number of cells."),
    TN_FIELD(multibox_prior_attributes, offsets, FLOATS, "(0.5,0.5)", NULL,
             "Where in a cell the boxes' centre is, down and across, as parts of the distance."),
};

static tn_status multibox_prior_arity(tn_arity_call *call) {
    const multibox_prior_attributes *given = call->attributes;
    if (given->sizes.count < 1 || given->ratios.count < 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "there are %lld sizes and %lld ratios: expected at least one of each",
                       (long long)given->sizes.count, (long long)given->ratios.count);
    }
    if (given->steps.count != 2 || given->offsets.count != 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "there are %lld steps and %lld offsets: expected two of each",
                       (long long)given->steps.count, (long long)given->offsets.count);
    }
    return TN_OK;
}

/* Every size with the first ratio, and every other ratio with the first size. */
static int64_t boxes_at_cell(const multibox_prior_attributes *given) {
    return given->sizes.count + given->ratios.count - 1;
}

static tn_status multibox_prior_infer(tn_infer_call *call) {
    const multibox_prior_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape fact = tn_shape_of(3, (const int64_t[]){1, TN_UNKNOWN, BOX_NUMBERS});
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(infer_rank(call->host, "data", data, 4));
    TN_TRY(multiply_extents(call->host, data->extents[2], data->extents[3], &fact.extents[1]));
    TN_TRY(multiply_extents(call->host, fact.extents[1], boxes_at_cell(given), &fact.extents[1]));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

typedef struct multibox_prior_job {
    const multibox_prior_attributes *attributes;
    int64_t height;
    int64_t width;
    float *output;
} multibox_prior_job;

static float clipped(const multibox_prior_attributes *given, float value) {
    if (!given->clip) {
        return value;
    }
    return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

/* Where cell `i` of `count` along an axis has its centre. */
static float center_of(double step, double offset, int64_t i, int64_t count) {
    const float distance = step > 0.0 ? (float)step : 1.0f / (float)count;
    return ((float)i + (float)offset) * distance;
}

/* All boxes of cells `begin` to `end`. */
static void place_boxes(void *context, int64_t begin, int64_t end) {
    const multibox_prior_job *job = context;
    const multibox_prior_attributes *given = job->attributes;
    const double *steps = given->steps.values, *offsets = given->offsets.values;
    float *box = job->output + begin * boxes_at_cell(given) * BOX_NUMBERS;
    for (int64_t cell = begin; cell < end; cell++) {
        const float y = center_of(steps[0], offsets[0], cell / job->width, job->height);
        const float x = center_of(steps[1], offsets[1], cell % job->width, job->width);
        for (int64_t i = 0; i < boxes_at_cell(given); i++, box += BOX_NUMBERS) {
            const int64_t other_ratio = i < given->sizes.count ? 0 : i - given->sizes.count + 1;
            const float size = (float)given->sizes.values[other_ratio > 0 ? 0 : i];
            const float ratio = sqrtf((float)given->ratios.values[other_ratio]);
            const float half_width = size * (float)job->height / (float)job->width * ratio / 2.0f;
            const float half_height = size / ratio / 2.0f;
            box[0] = clipped(given, x - half_width);
            box[1] = clipped(given, y - half_height);
            box[2] = clipped(given, x + half_width);
            box[3] = clipped(given, y + half_height);
        }
    }
}

tn_status multibox_prior_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    multibox_prior_job job = {call->attributes, data->shape[2], data->shape[3],
                              tn_data(call->outputs[0])};
    tn_parallel_for(call->host, job.height * job.width,
                    GRAIN_BOXES / boxes_at_cell(job.attributes) + 1, place_boxes, &job);
    return TN_OK;
}

static const char *const input_names[] = {"data"};

const tn_op multibox_prior_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Anchor boxes of several sizes and ratios, centred on every cell of a picture. A box is "
           "(left, top, right, bottom), as parts of the picture; there is one for each size, with "
           "the first ratio, and one for each further ratio, with the first size. Of data only "
           "the height and width are read.",
    OP_ATTRIBUTES(attribute_table, multibox_prior_attributes),
    OP_NAMES(input_names),
    .arity = multibox_prior_arity,
    .infer = multibox_prior_infer,
};
