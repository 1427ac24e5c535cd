/* _contrib_MultiBoxDetection: class probabilities and box offsets become detected objects. */
#include <math.h>

#include "boxes.h"
#include "operator.h"
#include "operators.h"
#include "score_order.h"

#define BOX_NUMBERS 4

/* A row of the output is (class, score, left, top, right, bottom). */
#define ROW_NUMBERS 6

/* The class of rows that hold no object. */
#define NO_CLASS (-1.0f)

typedef struct multibox_detection_attributes {
    int32_t clip;
    double threshold;
    int64_t background_id;
    double nms_threshold;
    int32_t force_suppress;
    tn_floats variances;
    int64_t nms_topk;
} multibox_detection_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(multibox_detection_attributes, clip, BOOL, "True", NULL,
             "Whether boxes are cut off at the picture's border."),
    TN_FIELD(multibox_detection_attributes, threshold, FLOAT, "0.01", NULL,
             "Anchors whose best class is less probable hold no object."),
    TN_FIELD(multibox_detection_attributes, background_id, INT, "0", NULL,
             "Accepted for compatibility; has no effect: class 0 is background."),
    TN_FIELD(multibox_detection_attributes, nms_threshold, FLOAT, "0.5", NULL,
             "Objects that overlap a better one by at least this part of their union are "
             "suppressed; when not above 0 and at most 1, none are and rows are not sorted."),
    TN_FIELD(multibox_detection_attributes, force_suppress, BOOL, "False", NULL,
             "Whether objects suppress those of other classes too."),
    TN_FIELD(multibox_detection_attributes, variances, FLOATS, "(0.1,0.1,0.2,0.2)", NULL,
             "What the offsets of x, y, width and height are multiplied by."),
    TN_FIELD(multibox_detection_attributes, nms_topk, INT, "-1", NULL,
             "How many of the best objects are kept; below 1: all."),
};

static tn_status multibox_detection_arity(tn_arity_call *call) {
    const multibox_detection_attributes *given = call->attributes;
    if (given->variances.count != BOX_NUMBERS) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "there are %lld variances: expected 4",
                       (long long)given->variances.count);
    }
    return TN_OK;
}

static tn_status multibox_detection_infer(tn_infer_call *call) {
    const tn_host *host = call->host;
    tn_shape *scores = &call->inputs[0].shape, *offsets = &call->inputs[1].shape;
    tn_shape *anchors = &call->inputs[2].shape, *output = &call->outputs[0].shape;
    int64_t numbers;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(infer_rank(host, "cls_prob", scores, 3));
    TN_TRY(infer_rank(host, "loc_pred", offsets, 2));
    const tn_shape boxes = tn_shape_of(3, (const int64_t[]){1, scores->extents[2], BOX_NUMBERS});
    TN_TRY(tn_infer_shape(host, "anchor", anchors, &boxes));
    TN_TRY(infer_extent(host, "cls_prob", scores, 2, anchors->extents[1]));
    TN_TRY(multiply_extents(host, scores->extents[2], BOX_NUMBERS, &numbers));
    TN_TRY(infer_extent(host, "loc_pred", offsets, 1, numbers));
    TN_TRY(infer_extent(host, "loc_pred", offsets, 0, scores->extents[0]));
    const tn_shape rows =
        tn_shape_of(3, (const int64_t[]){offsets->extents[0], scores->extents[2], ROW_NUMBERS});
    TN_TRY(tn_infer_shape(host, "output", output, &rows));
    return infer_extent(host, "cls_prob", scores, 0, output->extents[0]);
}

/* Pictures with `anchors` anchors and probabilities of `classes` classes each. */
typedef struct detection_job {
    const multibox_detection_attributes *attributes;
    const float *scores;
    const float *offsets;
    const float *boxes;
    float *output;
    int64_t pictures;
    int64_t classes;
    int64_t anchors;
    char *workspace;
    uint64_t picture_workspace; /* bytes of it for one picture */
} detection_job;

static float clipped(const multibox_detection_attributes *given, float value) {
    if (!given->clip) {
        return value;
    }
    const float below = value < 1.0f ? value : 1.0f;
    return below > 0.0f ? below : 0.0f;
}

/* The box that an anchor and the offsets from it make. */
static void decode_box(const multibox_detection_attributes *given, const float *anchor,
                       const float *offsets, float *box) {
    const double *variances = given->variances.values;
    const float width = anchor[2] - anchor[0], height = anchor[3] - anchor[1];
    const float x = offsets[0] * (float)variances[0] * width + (anchor[0] + anchor[2]) / 2.0f;
    const float y = offsets[1] * (float)variances[1] * height + (anchor[1] + anchor[3]) / 2.0f;
    const float half_width = expf(offsets[2] * (float)variances[2]) * width / 2.0f;
    const float half_height = expf(offsets[3] * (float)variances[3]) * height / 2.0f;
    box[0] = clipped(given, x - half_width);
    box[1] = clipped(given, y - half_height);
    box[2] = clipped(given, x + half_width);
    box[3] = clipped(given, y + half_height);
}

/* Writes a row for each anchor that holds an object, and says how many there are. */
static int64_t detect(const detection_job *job, int64_t picture, float *rows) {
    const multibox_detection_attributes *given = job->attributes;
    const float *scores = job->scores + picture * job->classes * job->anchors;
    const float *offsets = job->offsets + picture * job->anchors * BOX_NUMBERS;
    int64_t count = 0;
    for (int64_t anchor = 0; anchor < job->anchors; anchor++) {
        float best_score = -1.0f;
        int64_t best = 0;
        for (int64_t class_id = 1; class_id < job->classes; class_id++) {
            const float score = scores[class_id * job->anchors + anchor];
            if (score > best_score) {
                best_score = score;
                best = class_id;
            }
        }
        if (best > 0 && !(best_score < (float)given->threshold)) {
            float *row = rows + count++ * ROW_NUMBERS;
            row[0] = (float)(best - 1);
            row[1] = best_score;
            decode_box(given, job->boxes + anchor * BOX_NUMBERS, offsets + anchor * BOX_NUMBERS,
                       row + 2);
        }
    }
    return count;
}

/* Sorts the rows of one picture into the output and suppresses those that overlap better ones. */
static void suppress(const detection_job *job, const float *rows, int64_t count, void *workspace,
                     float *output) {
    const multibox_detection_attributes *given = job->attributes;
    /* Suppression takes what is more than a threshold, and this is about "at least". */
    const float threshold = nextafterf((float)given->nms_threshold, 0.0f);
    scored *items = workspace;
    const boxes_f32 boxes = boxes_f32_in(items + 2 * job->anchors, job->anchors);
    for (int64_t i = 0; i < count; i++) {
        items[i] = (scored){(double)rows[i * ROW_NUMBERS + 1], i};
    }
    score_order(items, items + count, count);
    const int64_t kept = given->nms_topk > 0 && given->nms_topk < count ? given->nms_topk : count;
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = i < kept ? items[i].place : i;
        float *row = output + i * ROW_NUMBERS;
        memcpy(row, rows + place * ROW_NUMBERS, ROW_NUMBERS * sizeof *row);
        if (i < kept) {
            boxes_f32_set(&boxes, i, row + 2, BOX_CORNER);
            boxes.class_id[i] = row[0];
        } else {
            row[0] = NO_CLASS; /* MXNet leaves these rows as they stood before sorting */
        }
    }
    boxes_f32_suppress(&boxes, kept, given->force_suppress, threshold);
    for (int64_t i = 0; i < kept; i++) {
        if (boxes.suppressed[i]) {
            output[i * ROW_NUMBERS] = NO_CLASS;
        }
    }
}

static void detect_pictures(void *context, int64_t begin, int64_t end) {
    const detection_job *job = context;
    const double threshold = job->attributes->nms_threshold;
    const int64_t numbers = job->anchors * ROW_NUMBERS;
    for (int64_t picture = begin; picture < end; picture++) {
        float *output = job->output + picture * numbers;
        float *rows =
            (float *)(void *)(job->workspace + (uint64_t)picture * job->picture_workspace);
        const int64_t count = detect(job, picture, rows);
        if (threshold > 0.0 && threshold <= 1.0) {
            suppress(job, rows, count, rows + numbers, output);
        } else {
            memcpy(output, rows, (size_t)(count * ROW_NUMBERS) * sizeof *rows);
        }
        for (int64_t i = count * ROW_NUMBERS; i < numbers; i++) {
            output[i] = -1.0f;
        }
    }
}

static detection_job job_of(const tn_view *scores, const void *attributes) {
    const int64_t anchors = scores->shape[2];
    const uint64_t size = (uint64_t)anchors * (ROW_NUMBERS * sizeof(float) + 2 * sizeof(scored)) +
                          boxes_f32_size(anchors);
    return (detection_job){
        .attributes = attributes,
        .pictures = scores->shape[0],
        .classes = scores->shape[1],
        .anchors = anchors,
        .picture_workspace = (size + 63) / 64 * 64,
    };
}

tn_status multibox_detection_prepare(tn_prepare_call *call) {
    const detection_job job = job_of(call->inputs[0], call->attributes);
    call->workspace_size = (uint64_t)job.pictures * job.picture_workspace;
    return TN_OK;
}

tn_status multibox_detection_run(const tn_run_call *call) {
    detection_job job = job_of(call->inputs[0], call->attributes);
    job.scores = tn_data(call->inputs[0]);
    job.offsets = tn_data(call->inputs[1]);
    job.boxes = tn_data(call->inputs[2]);
    job.output = tn_data(call->outputs[0]);
    job.workspace = call->workspace;
    if (job.anchors > 0) {
        tn_parallel_for(call->host, job.pictures, 1, detect_pictures, &job);
    }
    return TN_OK;
}

static const char *const input_names[] = {"cls_prob", "loc_pred", "anchor"};

const tn_op multibox_detection_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Detected objects, from class probabilities and box offsets at anchor boxes. A row of "
           "the output is (class, score, left, top, right, bottom), by falling score. Class 0 of "
           "the probabilities is background and is not counted; the class is -1 where an object is "
           "suppressed or none is.",
    OP_ATTRIBUTES(attribute_table, multibox_detection_attributes),
    OP_NAMES(input_names),
    .arity = multibox_detection_arity,
    .infer = multibox_detection_infer,
};
