/* The pass fold-constants: nodes whose inputs are all parameters are run now, by the host. */
#include "passes.h"
#include "work.h"

typedef struct fold_options {
    int64_t limit;
} fold_options;

static const tn_attribute option_table[] = {
    TN_FIELD(fold_options, limit, INT, "134217728", "[1,inf)",
             "The most elements that one folded value may have."),
};

enum { MAX_INPUTS = 64, MAX_OUTPUTS = 16 };

/* Whether the node can be folded; fills in its inputs. */
static int is_constant(const pass_work *work, uint32_t number, const tn_node_info *info,
                       tn_tensor **inputs) {
    use_facts facts;
    if (!node_is_pure(work, number, info) || info->input_count > MAX_INPUTS ||
        info->visible_output_count > MAX_OUTPUTS || work_uses(work, number, &facts) != TN_OK ||
        facts.is_output || facts.is_control || facts.highest_output >= info->visible_output_count) {
        return 0;
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        inputs[i] = work_constant(work, info->inputs[i]);
        if (inputs[i] == NULL && info->inputs[i].node != TN_NO_NODE) {
            return 0;
        }
    }
    return 1;
}

/* Whether each output is known to be small enough before it is computed. */
static int is_small(const pass_work *work, uint32_t number, uint32_t output_count, int64_t limit) {
    for (uint32_t i = 0; i < output_count; i++) {
        const tn_tensor_type type = work_type(work, (tn_value){number, i});
        int64_t count = 1;
        if (!tn_shape_is_known(&type.shape)) {
            return 0;
        }
        for (int32_t axis = 0; axis < type.shape.rank; axis++) {
            const int64_t extent = type.shape.extents[axis];
            if (extent > 0 && count > limit / extent) {
                return 0;
            }
            count *= extent;
        }
    }
    return 1;
}

/* By itself a node may be of another type than its surroundings make it. */
static int has_type(const pass_work *work, tn_value value, const tn_tensor *tensor) {
    const tn_tensor_type type = work_type(work, value);
    const tn_view *view = work->tensors->view(work->host, tensor);
    int same = view->dtype == type.dtype && view->rank == type.shape.rank;
    for (int32_t axis = 0; same && axis < view->rank; axis++) {
        same = view->shape[axis] == type.shape.extents[axis];
    }
    return same;
}

/* Puts parameters in the node's place. */
static tn_status replace(const pass_work *work, uint32_t number, const tn_node_info *info,
                         tn_tensor *const *tensors) {
    char name[1024], ending[32];
    const uint32_t count = info->visible_output_count;
    snprintf(name, sizeof name, "%s", info->name); /* the node will be gone */
    for (uint32_t i = 0; i < count; i++) {
        tn_value value;
        snprintf(ending, sizeof ending, count == 1 ? "folded" : "folded%u", (unsigned)i);
        TN_TRY(work_add_parameter(work, name, ending, tensors[i], &value));
        TN_TRY(work->graphs->replace_uses(work->host, work->graph, (tn_value){number, i}, value));
    }
    return work->graphs->remove_node(work->host, work->graph, number);
}

/* Parameters that only the folded node has read. */
static tn_status remove_inputs(const pass_work *work, const tn_value *inputs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info;
        if (work_node(work, inputs[i].node, &info)) {
            TN_TRY(work_remove_unused(work, inputs[i].node));
        }
    }
    return TN_OK;
}

static tn_status fold(const pass_work *work, uint32_t number, const void *context) {
    const fold_options *options = context;
    tn_node_info info;
    tn_tensor *inputs[MAX_INPUTS] = {NULL}, *outputs[MAX_OUTPUTS] = {NULL};
    tn_value sources[MAX_INPUTS];
    if (!work_node(work, number, &info) || !is_constant(work, number, &info, inputs) ||
        !is_small(work, number, info.visible_output_count, options->limit)) {
        return TN_OK;
    }
    const uint32_t input_count = info.input_count, output_count = info.visible_output_count;
    memcpy(sources, info.inputs, input_count * sizeof *sources);
    tn_status status = work->graphs->compute(work->host, work->graph, number, inputs, input_count,
                                             outputs, output_count);
    int fits = status == TN_OK;
    for (uint32_t i = 0; fits && i < output_count; i++) {
        fits = has_type(work, (tn_value){number, i}, outputs[i]);
    }
    /* What cannot be computed here, for want of a kernel or of types, is left for the run. */
    status = status == TN_OUT_OF_MEMORY ? status : TN_OK;
    if (fits) {
        status = replace(work, number, &info, outputs);
    }
    for (uint32_t i = 0; i < output_count; i++) {
        work->tensors->release(work->host, outputs[i]);
    }
    return fits && status == TN_OK ? remove_inputs(work, sources, input_count) : status;
}

static tn_status run(tn_pass_call *call) {
    return work_visit_nodes(call, fold, call->options);
}

const tn_pass fold_constants = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Computes nodes that depend on parameters alone, once, on the CPU, and puts parameters "
           "in their place. Outputs of the graph stay nodes.",
    PASS_OPTIONS(option_table, fold_options),
    .run = run,
};
