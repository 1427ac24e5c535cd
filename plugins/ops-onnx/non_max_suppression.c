/* NonMaxSuppression: the best boxes of each class that do not overlap one another too much. */
#include "elements.h"
#include "families.h"
#include "given_output.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"

typedef struct nms_attributes {
    int64_t center_point_box;
} nms_attributes;

static const tn_attribute table[] = {
    TN_FIELD(nms_attributes, center_point_box, INT, "0", "[0,1]",
             "What the four numbers of a box are: 0: two corners (y, x, y, x); 1: (x, y) of the "
             "centre, width and height."),
};

static const char *const input_names[] = {"boxes", "scores", "max_output_boxes_per_class",
                                          "iou_threshold", "score_threshold"};
static const char *const output_names[] = {"selected_indices"};
static const uint32_t optional[] = {2, 3, 4};
enum { BOXES, SCORES, MAX_OUTPUT, IOU_THRESHOLD, SCORE_THRESHOLD };

typedef struct box {
    float top, left, bottom, right;
} box;

typedef struct nms_problem {
    const tn_view *boxes, *scores;
    int64_t limit;
    float overlap, least_score;
    int has_least_score, is_centered;
} nms_problem;

static tn_status check_problem(const tn_host *host, const tn_view *boxes, const tn_view *scores) {
    if (boxes->rank != 3 || scores->rank != 3 || boxes->shape[2] != 4 ||
        boxes->shape[0] != scores->shape[0] || boxes->shape[1] != scores->shape[2] ||
        boxes->dtype != TN_F32 || scores->dtype != TN_F32) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "expected float32 boxes (batch, boxes, 4) and scores (batch, classes, "
                       "boxes)");
    }
    return TN_OK;
}

static tn_status problem_of(const tn_host *host, const nms_attributes *own,
                            const tn_view *const *inputs, nms_problem *out_problem) {
    TN_TRY(check_problem(host, inputs[BOXES], inputs[SCORES]));
    nms_problem problem = {.boxes = inputs[BOXES],
                           .scores = inputs[SCORES],
                           .is_centered = own->center_point_box == 1};
    for (int i = MAX_OUTPUT; i <= SCORE_THRESHOLD; i++) {
        if (inputs[i] != NULL && tn_element_count(inputs[i]) != 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "input %d is not one number", i);
        }
    }
    if (inputs[MAX_OUTPUT] != NULL) {
        problem.limit = read_integer(inputs[MAX_OUTPUT]->dtype, tn_data(inputs[MAX_OUTPUT]), 0);
    }
    if (inputs[IOU_THRESHOLD] != NULL) {
        problem.overlap =
            (float)read_number(inputs[IOU_THRESHOLD]->dtype, tn_data(inputs[IOU_THRESHOLD]), 0);
    }
    if (inputs[SCORE_THRESHOLD] != NULL) {
        problem.has_least_score = 1;
        problem.least_score =
            (float)read_number(inputs[SCORE_THRESHOLD]->dtype, tn_data(inputs[SCORE_THRESHOLD]), 0);
    }
    *out_problem = problem;
    return TN_OK;
}

static box box_at(const nms_problem *problem, int64_t index) {
    const float *v = (const float *)tn_data(problem->boxes) + index * 4;
    if (problem->is_centered) {
        return (box){v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
    }
    return (box){v[0] < v[2] ? v[0] : v[2], v[1] < v[3] ? v[1] : v[3], v[0] < v[2] ? v[2] : v[0],
                 v[1] < v[3] ? v[3] : v[1]};
}

static float area_of(box of) {
    return (of.bottom - of.top) * (of.right - of.left);
}

static int overlaps(const nms_problem *problem, int64_t first, int64_t second) {
    const box a = box_at(problem, first), b = box_at(problem, second);
    const box common = {a.top > b.top ? a.top : b.top, a.left > b.left ? a.left : b.left,
                        a.bottom < b.bottom ? a.bottom : b.bottom,
                        a.right < b.right ? a.right : b.right};
    if (common.bottom <= common.top || common.right <= common.left) {
        return 0;
    }
    const float intersection = area_of(common);
    const float together = area_of(a) + area_of(b) - intersection;
    return together > 0 && intersection / together > problem->overlap;
}

/* Chooses among the boxes of one class: into `chosen`, best first. `is_out` has a byte for each
 * box. */
static int64_t choose_boxes(const nms_problem *problem, int64_t batch, int64_t class_number,
                            int64_t *chosen, uint8_t *is_out) {
    const int64_t boxes = problem->boxes->shape[1], classes = problem->scores->shape[1];
    const float *scores =
        (const float *)tn_data(problem->scores) + (batch * classes + class_number) * boxes;
    int64_t count = 0;
    for (int64_t i = 0; i < boxes; i++) {
        is_out[i] = problem->has_least_score && !(scores[i] > problem->least_score);
    }
    while (count < problem->limit) {
        int64_t best = -1;
        for (int64_t i = 0; i < boxes; i++) {
            best = !is_out[i] && (best < 0 || scores[i] > scores[best]) ? i : best;
        }
        if (best < 0) {
            break;
        }
        is_out[best] = 1;
        chosen[count++] = best;
        for (int64_t i = 0; i < boxes; i++) {
            if (!is_out[i]) {
                is_out[i] = (uint8_t)overlaps(problem, batch * boxes + best, batch * boxes + i);
            }
        }
    }
    return count;
}

/* Counts the rows (batch, class, box), and writes them unless `rows` is NULL. */
static int64_t choose_all(const nms_problem *problem, int64_t *chosen, uint8_t *is_out,
                          int64_t *rows) {
    int64_t total = 0;
    for (int64_t batch = 0; batch < problem->scores->shape[0]; batch++) {
        for (int64_t number = 0; number < problem->scores->shape[1]; number++) {
            const int64_t count = choose_boxes(problem, batch, number, chosen, is_out);
            for (int64_t i = 0; rows != NULL && i < count; i++) {
                int64_t *row = rows + (total + i) * 3;
                row[0] = batch;
                row[1] = number;
                row[2] = chosen[i];
            }
            total += count;
        }
    }
    return total;
}

static uint64_t room_for(int64_t boxes) {
    return (uint64_t)boxes * (sizeof(int64_t) + 1) + 1;
}

static tn_status infer(tn_infer_call *call) {
    const int64_t extents[] = {TN_UNKNOWN, 3};
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, TN_I64));
    const tn_shape result = tn_shape_of(2, extents);
    return infer_output_shape(call, &result);
}

const tn_op non_max_suppression_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "Goes through the boxes of each class by descending score and leaves out those that "
           "overlap a chosen one by more than iou_threshold, or whose score is not above "
           "score_threshold. A row of the output is a batch, a class and a box.",
    OP_ATTRIBUTES(table, nms_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

static tn_status prepare(tn_prepare_call *call) {
    const tn_view *boxes = call->inputs[BOXES];
    call->workspace_size = room_for(boxes->rank == 3 ? boxes->shape[1] : 0);
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    nms_problem problem;
    TN_TRY(problem_of(call->host, call->attributes, call->inputs, &problem));
    int64_t *chosen = call->workspace;
    uint8_t *is_out = (uint8_t *)(chosen + problem.boxes->shape[1]);
    const int64_t extents[] = {choose_all(&problem, chosen, is_out, NULL), 3};
    const tn_shape shape = tn_shape_of(2, extents);
    const tn_view *output;
    TN_TRY(open_output(call, 0, TN_I64, &shape, &output));
    choose_all(&problem, chosen, is_out, tn_data(output));
    return TN_OK;
}

const tn_kernel non_max_suppression_kernel = {CPU_KERNEL("onnx.NonMaxSuppression"),
                                              .prepare = prepare, .run = run};
