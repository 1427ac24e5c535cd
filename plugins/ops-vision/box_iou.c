/* _contrib_box_iou: how much each of some boxes overlaps each of others. */
#include "boxes.h"
#include "operator.h"
#include "operators.h"

#define BOX_NUMBERS 4

/* Overlaps that are calculated before they are stored. */
#define OVERLAPS_AT_ONCE 64

/* Overlaps that are worth handing to another thread. */
#define GRAIN_OVERLAPS (16 * 1024)

typedef struct box_iou_attributes {
    int32_t format;
} box_iou_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD_CHOICE(box_iou_attributes, format, "corner", "center|corner",
                    "The boxes: (x, y, width, height), or (left, top, right, bottom)."),
};

/* Appends all extents but the last, which is that of a box. */
static tn_status append_boxes(const tn_host *host, const char *what, const tn_shape *boxes,
                              tn_shape *shape) {
    char text[256];
    const int64_t numbers = boxes->rank < 2 ? 0 : boxes->extents[boxes->rank - 1];
    if (numbers != BOX_NUMBERS && numbers != TN_UNKNOWN) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "%s has shape %s: expected rank 2 or more and rows of 4 numbers", what,
                       tn_shape_text(boxes, text, sizeof text));
    }
    if (shape->rank + boxes->rank - 1 > TN_MAX_RANK) {
        return tn_fail(host, TN_OUT_OF_RANGE, "the output would have more than %d axes",
                       TN_MAX_RANK);
    }
    for (int32_t axis = 0; axis < boxes->rank - 1; axis++) {
        shape->extents[shape->rank++] = boxes->extents[axis];
    }
    return TN_OK;
}

static tn_status box_iou_infer(tn_infer_call *call) {
    const tn_shape *lhs = &call->inputs[0].shape, *rhs = &call->inputs[1].shape;
    tn_shape fact = tn_shape_of(0, NULL);
    TN_TRY(tn_infer_one_dtype(call));
    if (lhs->rank < 0 || rhs->rank < 0) {
        return TN_OK;
    }
    TN_TRY(append_boxes(call->host, "lhs", lhs, &fact));
    TN_TRY(append_boxes(call->host, "rhs", rhs, &fact));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

/* The boxes of both sides stand in the workspace, lhs first. */
typedef struct box_iou_job {
    const tn_view *lhs;
    const tn_view *rhs;
    const tn_view *output;
    int32_t format;
    int64_t lhs_count;
    int64_t rhs_count;
    void *workspace;
} box_iou_job;

#define ELEMENT float
#define REAL float
#define LOAD(x) (x)
#define STORE(x) (x)
#define BOXES boxes_f32
#define BOXES_(x) boxes_f32_##x
#define NAMED(x) x##_f32
#include "box_iou_template.h"

#define ELEMENT double
#define REAL double
#define LOAD(x) (x)
#define STORE(x) (x)
#define BOXES boxes_f64
#define BOXES_(x) boxes_f64_##x
#define NAMED(x) x##_f64
#include "box_iou_template.h"

#define ELEMENT uint16_t
#define REAL float
#define LOAD(x) tn_float_from_f16(x)
#define STORE(x) tn_f16_from_float(x)
#define BOXES boxes_f32
#define BOXES_(x) boxes_f32_##x
#define NAMED(x) x##_f16
#include "box_iou_template.h"

static int64_t box_count(const tn_view *view) {
    return tn_extent_product(view->shape, 0, view->rank - 1);
}

tn_status box_iou_prepare(tn_prepare_call *call) {
    const int64_t count = box_count(call->inputs[0]) + box_count(call->inputs[1]);
    call->workspace_size =
        call->inputs[0]->dtype == TN_F64 ? boxes_f64_size(count) : boxes_f32_size(count);
    return TN_OK;
}

tn_status box_iou_run(const tn_run_call *call) {
    const box_iou_attributes *given = call->attributes;
    box_iou_job job = {
        .lhs = call->inputs[0],
        .rhs = call->inputs[1],
        .output = call->outputs[0],
        .format = given->format,
        .lhs_count = box_count(call->inputs[0]),
        .rhs_count = box_count(call->inputs[1]),
        .workspace = call->workspace,
    };
    if (tn_element_count(job.output) == 0) {
        return TN_OK;
    }
    switch (job.lhs->dtype) {
    case TN_F16: compare_f16(call->host, &job); break;
    case TN_F64: compare_f64(call->host, &job); break;
    default: compare_f32(call->host, &job); break;
    }
    return TN_OK;
}

static const char *const input_names[] = {"lhs", "rhs"};

const tn_op box_iou_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each box of lhs and each of rhs the part that their intersection has of their "
           "union, from 0 to 1.",
    OP_ATTRIBUTES(attribute_table, box_iou_attributes),
    OP_NAMES(input_names),
    .infer = box_iou_infer,
};
