/*
 * The pass choose-layout: convolutions with their channels on the wrong axis get them where they
 * are wanted, and so do the nodes between them, so that a transpose stands only where such a part
 * of the graph begins and ends.
 */
#include "element_function.h"
#include "form_change.h"
#include "passes.h"

typedef struct layout_options {
    int32_t layout;
} layout_options;

static const tn_attribute option_table[] = {
    TN_FIELD_CHOICE(layout_options, layout, "channels-first", "channels-first|channels-last",
                    "Where convolutions are to have the channels of their data."),
};

enum { FIRST, LAST };

static const char *const layouts[2][3] = {{"NCW", "NCHW", "NCDHW"}, {"NWC", "NHWC", "NDHWC"}};

static const char *const convolutions[] = {"Convolution", NULL};
static const char *const poolings[] = {"Pooling", NULL};
static const char *const norms[] = {"BatchNorm", NULL};
static const char *const concats[] = {"Concat", "concat", NULL};
static const char *const sums[] = {"add_n", "ElementWiseSum", NULL};
/* Of one input, whatever its axes mean. */
static const char *const followers[] = {"Activation", "_copy", "identity",
                                        "BlockGrad",  "Cast",  NULL};

static int32_t wanted_layout(const form_change *all) {
    return ((const layout_options *)all->context)->layout;
}

static int32_t rank_of(const form_change *all, tn_value value) {
    return form_can_change(all, value) ? work_type(all->work, value).shape.rank : TN_UNKNOWN;
}

/* Whether a convolution or pooling has the layout that is not wanted. */
static int has_other_layout(const form_change *all, const tn_node_info *info, int32_t rank) {
    const char *layout = node_attribute(info, "layout", "None");
    const int32_t other = 1 - wanted_layout(all);
    return rank >= 3 && rank <= 5 &&
           (strcmp(layout, layouts[other][rank - 3]) == 0 ||
            (other == FIRST && strcmp(layout, "None") == 0));
}

/* An attribute that names an axis, made positive; -1 for what is none. */
static int64_t axis_of(const tn_node_info *info, const char *name, int32_t rank) {
    int64_t axis;
    if (read_integers(node_attribute(info, name, "1"), &axis, 1) != 1) {
        return -1;
    }
    axis += axis < 0 ? rank : 0;
    return axis >= 0 && axis < rank ? axis : -1;
}

static int64_t channel_axis(int32_t layout, int32_t rank) {
    return layout == FIRST ? 1 : rank - 1;
}

/* Whether all inputs have axes of the same meaning; one of them must have been changed. */
static int are_alike(const form_change *all, const tn_node_info *info, int32_t rank) {
    int follows = 0;
    for (uint32_t i = 0; i < info->input_count; i++) {
        if (rank_of(all, info->inputs[i]) != rank) {
            return 0;
        }
        follows |= form_is_changed(all, info->inputs[i]);
    }
    return follows;
}

static uint32_t wanted_inputs(const form_change *all, uint32_t number, const tn_node_info *info) {
    element_function function;
    if (info->input_count == 0 || info->subgraph_count > 0) {
        return 0;
    }
    const int32_t rank = rank_of(all, info->inputs[0]);
    (void)number;
    if (rank < 3) {
        return 0;
    }
    if (node_is(info, convolutions)) {
        return has_other_layout(all, info, rank) && rank_of(all, info->inputs[1]) == rank ? 2 : 0;
    }
    if (node_is(info, poolings) || node_is(info, norms)) {
        const int fits = node_is(info, poolings) ? has_other_layout(all, info, rank)
                                                 : axis_of(info, "axis", rank) ==
                                                       channel_axis(1 - wanted_layout(all), rank);
        return fits && form_is_changed(all, info->inputs[0]) ? 1 : 0;
    }
    const int moves = node_is(info, followers) || node_is(info, sums) ||
                      find_element_function(info, &function) ||
                      (node_is(info, concats) && axis_of(info, "dim", rank) >= 0);
    return moves && are_alike(all, info, rank) ? info->input_count : 0;
}

/* Where an axis is afterwards. */
static int64_t moved_axis(int32_t to, int64_t axis, int32_t rank) {
    if (axis == 0) {
        return 0;
    }
    if (to == FIRST) {
        return axis == rank - 1 ? 1 : axis + 1;
    }
    return axis == 1 ? rank - 1 : axis - 1;
}

static tn_status set_number(const form_change *all, uint32_t number, const char *name,
                            int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return all->work->graphs->set_attribute(all->work->host, all->work->graph, number, name, text);
}

/* Types are as they were when the pass began: ranks do not change. */
static tn_status adapt(const form_change *all, uint32_t number) {
    const int32_t to = wanted_layout(all);
    const int32_t rank = work_type(all->work, (tn_value){number, 0}).shape.rank;
    tn_node_info info;
    work_node(all->work, number, &info);
    if (node_is(&info, convolutions) || node_is(&info, poolings)) {
        return all->work->graphs->set_attribute(all->work->host, all->work->graph, number, "layout",
                                                layouts[to][rank - 3]);
    }
    if (node_is(&info, norms)) {
        return set_number(all, number, "axis", channel_axis(to, rank));
    }
    return node_is(&info, concats)
               ? set_number(all, number, "dim", moved_axis(to, axis_of(&info, "dim", rank), rank))
               : TN_OK;
}

static tn_status add_transpose(const form_change *all, uint32_t number, int32_t to, int32_t rank,
                               uint32_t *out_node) {
    char text[TN_MAX_RANK * 4 + 8];
    size_t used = (size_t)snprintf(text, sizeof text, "(0");
    const tn_value value = {number, 0};
    for (int32_t axis = 1; axis < rank; axis++) { /* from where each axis comes */
        used += (size_t)snprintf(text + used, sizeof text - used, ",%lld",
                                 (long long)moved_axis(1 - to, axis, rank));
    }
    snprintf(text + used, sizeof text - used, ")");
    const tn_option axes = {"axes", text};
    return all->work->graphs->add_node(all->work->host, all->work->graph, "transpose", NULL, &axes,
                                       1, &value, 1, out_node);
}

static tn_status enter(const form_change *all, uint32_t number, uint32_t *out_node) {
    return add_transpose(all, number, wanted_layout(all), rank_of(all, (tn_value){number, 0}),
                         out_node);
}

static tn_status leave(const form_change *all, uint32_t number, uint32_t *out_node) {
    return add_transpose(all, number, 1 - wanted_layout(all), rank_of(all, (tn_value){number, 0}),
                         out_node);
}

static tn_status run(tn_pass_call *call) {
    form_change all = {.context = call->options,
                       .wanted_inputs = wanted_inputs,
                       .enter = enter,
                       .leave = leave,
                       .adapt = adapt};
    return change_form(call, &all);
}

const tn_pass choose_layout = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Gives convolutions the wanted layout, and the nodes that follow them along; transposes "
           "stand where the layouts meet, those of weights for fold-constants to compute. The "
           "kernels that come with Tenon compute Convolution with the channels first alone. Needs "
           "ranks to be known.",
    PASS_OPTIONS(option_table, layout_options),
    .run = run,
};
