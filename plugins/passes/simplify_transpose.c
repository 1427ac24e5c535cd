/*
 * The pass simplify-transpose: of transposes in a row one is left, and none where the axes end up
 * as they were.
 */
#include "passes.h"
#include "work.h"

static const char *const transposes[] = {"transpose", NULL};
static const char *const swaps[] = {"SwapAxis", "swapaxes", NULL};

/* Output axis i is input axis axes[i]. */
typedef struct permutation {
    int32_t rank;
    int64_t axes[TN_MAX_RANK];
} permutation;

static int resolve(int64_t *axis, int32_t rank) {
    *axis += *axis < 0 ? rank : 0;
    return *axis >= 0 && *axis < rank;
}

static int read_swap(const tn_node_info *info, permutation *out) {
    int64_t first, second;
    if (read_integers(node_attribute(info, "dim1", "0"), &first, 1) != 1 ||
        read_integers(node_attribute(info, "dim2", "0"), &second, 1) != 1 ||
        !resolve(&first, out->rank) || !resolve(&second, out->rank)) {
        return 0;
    }
    for (int32_t axis = 0; axis < out->rank; axis++) {
        out->axes[axis] = axis;
    }
    out->axes[first] = second;
    out->axes[second] = first;
    return 1;
}

static int read_transpose(const tn_node_info *info, permutation *out) {
    const int32_t count = read_integers(node_attribute(info, "axes", "()"), out->axes, TN_MAX_RANK);
    for (int32_t axis = 0; count == 0 && axis < out->rank; axis++) {
        out->axes[axis] = out->rank - 1 - axis; /* without axes it turns them all round */
    }
    if (count != 0 && count != out->rank) {
        return 0;
    }
    for (int32_t axis = 0; axis < out->rank; axis++) {
        if (!resolve(&out->axes[axis], out->rank)) {
            return 0;
        }
    }
    return 1;
}

/* What the node does to the axes; 0 when it is no transpose, or its rank is not known. */
static int read_permutation(const pass_work *work, uint32_t number, const tn_node_info *info,
                            permutation *out) {
    out->rank = work_type(work, (tn_value){number, 0}).shape.rank;
    if (out->rank < 1) {
        return 0;
    }
    return node_is(info, transposes) ? read_transpose(info, out)
                                     : node_is(info, swaps) && read_swap(info, out);
}

static int is_identity(const permutation *moved) {
    for (int32_t axis = 0; axis < moved->rank; axis++) {
        if (moved->axes[axis] != axis) {
            return 0;
        }
    }
    return 1;
}

static const char *axes_text(const permutation *moved, char *buffer, size_t size) {
    size_t used = (size_t)snprintf(buffer, size, "(");
    for (int32_t axis = 0; axis < moved->rank && used < size; axis++) {
        used += (size_t)snprintf(buffer + used, size - used, axis > 0 ? ",%lld" : "%lld",
                                 (long long)moved->axes[axis]);
    }
    snprintf(buffer + used, size - used, ")");
    return buffer;
}

/* Puts one transpose of `source` in the place of the node. */
static tn_status put_transpose(const pass_work *work, uint32_t number, tn_value source,
                               const permutation *moved) {
    char text[TN_MAX_RANK * 4 + 8];
    const tn_option axes = {"axes", axes_text(moved, text, sizeof text)};
    uint32_t added;
    int done;
    TN_TRY(work->graphs->add_node(work->host, work->graph, "transpose", NULL, &axes, 1, &source, 1,
                                  &added));
    TN_TRY(work_forward(work, number, (tn_value){added, 0}, &done));
    return done ? TN_OK : work->graphs->remove_node(work->host, work->graph, added);
}

static tn_status simplify(const pass_work *work, uint32_t number, const void *context) {
    (void)context;
    tn_node_info info, before;
    permutation outer, inner, both;
    char name[1024];
    int done = 0;
    if (!work_node(work, number, &info) || !read_permutation(work, number, &info, &outer)) {
        return TN_OK;
    }
    tn_value source = info.inputs[0];
    const uint32_t input = source.node;
    snprintf(name, sizeof name, "%s", info.name);
    both = outer;
    const int is_pair = work_node(work, input, &before) &&
                        read_permutation(work, input, &before, &inner) && inner.rank == outer.rank;
    for (int32_t axis = 0; is_pair && axis < outer.rank; axis++) {
        both.axes[axis] = inner.axes[outer.axes[axis]];
    }
    source = is_pair ? before.inputs[0] : source;
    if (is_identity(&both)) {
        TN_TRY(work_forward(work, number, source, &done));
    } else if (is_pair) {
        TN_TRY(put_transpose(work, number, source, &both));
        done = !work_node(work, number, &info);
    }
    return done && is_pair ? work_remove_unused(work, input) : TN_OK;
}

static tn_status run(tn_pass_call *call) {
    return work_visit_nodes(call, simplify, NULL);
}

const tn_pass simplify_transpose = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Makes one transpose of several in a row, and none where the axes come back to their "
           "places. Needs ranks to be known.",
    .run = run,
};
