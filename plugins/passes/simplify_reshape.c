/*
 * The pass simplify-reshape: of operators in a row that only give the elements another shape the
 * last is left, and none where the shape is the first one's again.
 */
#include "passes.h"
#include "work.h"

static const char *const reshapes[] = {"Reshape",     "reshape", "Flatten", "flatten",
                                       "expand_dims", "squeeze", NULL};

/* A shape as a request for Reshape: at most one extent may be unknown, and none may be 0, which
 * stands for something else there. */
static int shape_request(const tn_shape *shape, char *buffer, size_t size) {
    int32_t unknown = 0;
    size_t used = (size_t)snprintf(buffer, size, "(");
    if (shape->rank < 1) {
        return 0;
    }
    for (int32_t axis = 0; axis < shape->rank && used < size; axis++) {
        const int64_t extent = shape->extents[axis];
        unknown += extent < 0;
        if (extent == 0 || unknown > 1) {
            return 0;
        }
        used += (size_t)snprintf(buffer + used, size - used, axis > 0 ? ",%lld" : "%lld",
                                 (long long)(extent < 0 ? -1 : extent));
    }
    if (used + 2 > size) {
        return 0;
    }
    snprintf(buffer + used, size - used, ")");
    return 1;
}

/* Whether two shapes of as many elements are the same: extents that are not known are, when each
 * shape has but one of them, at the same place, and no extent is 0. */
static int is_same_shape(const tn_shape *left, const tn_shape *right) {
    int32_t unknown = 0;
    if (left->rank < 0 || left->rank != right->rank) {
        return 0;
    }
    for (int32_t axis = 0; axis < left->rank; axis++) {
        if (left->extents[axis] != right->extents[axis]) {
            return 0;
        }
        unknown += left->extents[axis] < 0 || (left->extents[axis] == 0);
    }
    return unknown <= 1;
}

/* Puts one Reshape of `source` in the place of the node. */
static tn_status put_reshape(const pass_work *work, uint32_t number, tn_value source,
                             int *out_done) {
    char text[1024];
    const tn_tensor_type type = work_type(work, (tn_value){number, 0});
    const tn_option shape = {"shape", text};
    uint32_t added;
    if (!shape_request(&type.shape, text, sizeof text)) {
        return TN_OK;
    }
    TN_TRY(work->graphs->add_node(work->host, work->graph, "Reshape", NULL, &shape, 1, &source, 1,
                                  &added));
    TN_TRY(work_forward(work, number, (tn_value){added, 0}, out_done));
    return *out_done ? TN_OK : work->graphs->remove_node(work->host, work->graph, added);
}

static tn_status simplify(const pass_work *work, uint32_t number, const void *context) {
    (void)context;
    tn_node_info info, before;
    int done = 0;
    if (!work_node(work, number, &info) || !node_is(&info, reshapes) || info.input_count != 1) {
        return TN_OK;
    }
    const uint32_t input = info.inputs[0].node;
    const int is_pair =
        work_node(work, input, &before) && node_is(&before, reshapes) && before.input_count == 1;
    const tn_value source = is_pair ? before.inputs[0] : info.inputs[0];
    const tn_tensor_type from = work_type(work, source);
    const tn_tensor_type to = work_type(work, (tn_value){number, 0});
    if (is_same_shape(&from.shape, &to.shape)) {
        TN_TRY(work_forward(work, number, source, &done));
    }
    if (is_pair && !done) {
        TN_TRY(put_reshape(work, number, source, &done));
    }
    return done && is_pair ? work_remove_unused(work, input) : TN_OK;
}

static tn_status run(tn_pass_call *call) {
    return work_visit_nodes(call, simplify, NULL);
}

const tn_pass simplify_reshape = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Makes one Reshape of several operators in a row that only change the shape (Reshape, "
           "Flatten, expand_dims, squeeze), and none where the shape comes back. Needs shapes to "
           "be known but for one extent.",
    .run = run,
};
