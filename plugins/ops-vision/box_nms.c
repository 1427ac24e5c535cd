/* _contrib_box_nms: non-maximum suppression. */
#include "boxes.h"
#include "operator.h"
#include "operators.h"
#include "score_order.h"

typedef struct box_nms_attributes {
    double overlap_thresh;
    double valid_thresh;
    int64_t topk;
    int64_t coord_start;
    int64_t score_index;
    int64_t id_index;
    int64_t background_id;
    int32_t force_suppress;
    int32_t in_format;
    int32_t out_format;
} box_nms_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(box_nms_attributes, overlap_thresh, FLOAT, "0.5", NULL,
             "Boxes that overlap a better one by more than this part of their union go."),
    TN_FIELD(box_nms_attributes, valid_thresh, FLOAT, "0", NULL,
             "Only boxes of a higher score take part."),
    TN_FIELD(box_nms_attributes, topk, INT, "-1", NULL,
             "How many of the best boxes take part; negative: all, 0: the input stays as it is."),
    TN_FIELD(box_nms_attributes, coord_start, INT, "2", "[0,inf)",
             "Where in a row the four numbers of the box begin."),
    TN_FIELD(box_nms_attributes, score_index, INT, "1", "[0,inf)",
             "Where in a row the score stands."),
    TN_FIELD(box_nms_attributes, id_index, INT, "-1", "[-1,inf)",
             "Where in a row the class stands; -1: nowhere."),
    TN_FIELD(box_nms_attributes, background_id, INT, "-1", NULL,
             "The class of background, whose boxes do not take part."),
    TN_FIELD(box_nms_attributes, force_suppress, BOOL, "False", NULL,
             "Whether boxes suppress those of other classes too."),
    TN_FIELD_CHOICE(box_nms_attributes, in_format, "corner", "center|corner",
                    "The input's boxes: (x, y, width, height), or (left, top, right, bottom)."),
    TN_FIELD_CHOICE(box_nms_attributes, out_format, "corner", "center|corner",
                    "The output's boxes, as in_format."),
};

static tn_status box_nms_infer(tn_infer_call *call) {
    const box_nms_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(tn_infer_elementwise(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    if (data->rank < 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has rank %d: expected a row for each box, rank 2 or more",
                       (int)data->rank);
    }
    const int64_t width = data->extents[data->rank - 1];
    if (width >= 0 && (given->coord_start > width - 4 || given->score_index >= width ||
                       given->id_index >= width)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "rows of %lld numbers are too short for coord_start %lld, score_index %lld "
                       "and id_index %lld",
                       (long long)width, (long long)given->coord_start,
                       (long long)given->score_index, (long long)given->id_index);
    }
    return TN_OK;
}

/* Pictures with `count` rows of `width` numbers each. */
typedef struct box_nms_job {
    const box_nms_attributes *attributes;
    const void *source;
    void *target;
    int64_t pictures;
    int64_t count;
    int64_t width;
    char *workspace;
    uint64_t picture_workspace; /* bytes of it for one picture */
} box_nms_job;

#define ELEMENT float
#define REAL float
#define LOAD(x) (x)
#define STORE(x) (x)
#define BOXES boxes_f32
#define BOXES_(x) boxes_f32_##x
#define NAMED(x) x##_f32
#include "box_nms_template.h"

#define ELEMENT double
#define REAL double
#define LOAD(x) (x)
#define STORE(x) (x)
#define BOXES boxes_f64
#define BOXES_(x) boxes_f64_##x
#define NAMED(x) x##_f64
#include "box_nms_template.h"

#define ELEMENT uint16_t
#define REAL float
#define LOAD(x) tn_float_from_f16(x)
#define STORE(x) tn_f16_from_float(x)
#define BOXES boxes_f32
#define BOXES_(x) boxes_f32_##x
#define NAMED(x) x##_f16
#include "box_nms_template.h"

static box_nms_job job_of(const tn_view *data, const void *attributes) {
    const int64_t count = data->shape[data->rank - 2];
    const uint64_t boxes = data->dtype == TN_F64 ? boxes_f64_size(count) : boxes_f32_size(count);
    const uint64_t size = (uint64_t)count * 2 * sizeof(scored) + boxes;
    return (box_nms_job){
        .attributes = attributes,
        .pictures = tn_extent_product(data->shape, 0, data->rank - 2),
        .count = count,
        .width = data->shape[data->rank - 1],
        .picture_workspace = (size + 63) / 64 * 64,
    };
}

tn_status box_nms_prepare(tn_prepare_call *call) {
    const box_nms_job job = job_of(call->inputs[0], call->attributes);
    call->workspace_size = (uint64_t)job.pictures * job.picture_workspace;
    return TN_OK;
}

tn_status box_nms_run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    box_nms_job job = job_of(data, call->attributes);
    job.source = tn_data(data);
    job.target = tn_data(call->outputs[0]);
    job.workspace = call->workspace;
    if (tn_element_count(data) == 0) {
        return TN_OK;
    }
    if (job.attributes->topk == 0) {
        memcpy(job.target, job.source, tn_byte_size(data));
        return TN_OK;
    }
    switch (data->dtype) {
    case TN_F16: tn_parallel_for(call->host, job.pictures, 1, suppress_pictures_f16, &job); break;
    case TN_F64: tn_parallel_for(call->host, job.pictures, 1, suppress_pictures_f64, &job); break;
    default: tn_parallel_for(call->host, job.pictures, 1, suppress_pictures_f32, &job); break;
    }
    return TN_OK;
}

static const char *const input_names[] = {"data"};

const tn_op box_nms_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Non-maximum suppression: of boxes that overlap much only the one with the highest "
           "score stays. data has a row for each box, in any number of pictures; the rows that "
           "stay come first, by falling score, and the rest is -1.",
    OP_ATTRIBUTES(attribute_table, box_nms_attributes),
    OP_NAMES(input_names),
    .infer = box_nms_infer,
};
