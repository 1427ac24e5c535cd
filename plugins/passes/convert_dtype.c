/*
 * The pass convert-dtype: what gains from a 16-bit dtype, products foremost, is computed in it, and
 * what follows keeps it as long as that costs no digits that matter. Everything else stays float32;
 * a conversion stands where the two meet.
 */
#include "element_function.h"
#include "form_change.h"
#include "passes.h"

typedef struct convert_options {
    int32_t to;
    const char *keep;
} convert_options;

static const tn_attribute option_table[] = {
    TN_FIELD_CHOICE(convert_options, to, "float16", "float16|bfloat16", "The dtype to convert to."),
    TN_FIELD(convert_options, keep, STRING, "", NULL,
             "Operators that stay in float32, separated by + or blanks."),
};

/* Where 16 bits gain most: half the weights to read. */
static const char *const products[] = {"Convolution", "Deconvolution", "FullyConnected",
                                       "dot",         "batch_dot",     NULL};

/* What goes on in the dtype of its data, besides functions of elements. */
static const char *const followers[] = {"Pooling",
                                        "Activation",
                                        "LeakyReLU",
                                        "Flatten",
                                        "flatten",
                                        "Reshape",
                                        "reshape",
                                        "transpose",
                                        "expand_dims",
                                        "squeeze",
                                        "SwapAxis",
                                        "Concat",
                                        "concat",
                                        "stack",
                                        "slice",
                                        "slice_axis",
                                        "Crop",
                                        "Pad",
                                        "pad",
                                        "tile",
                                        "repeat",
                                        "reverse",
                                        "UpSampling",
                                        "_contrib_AdaptiveAvgPooling2D",
                                        "_contrib_BilinearResize2D",
                                        "broadcast_to",
                                        "broadcast_axis",
                                        "add_n",
                                        "ElementWiseSum",
                                        "_copy",
                                        "identity",
                                        "BlockGrad",
                                        "Dropout",
                                        "fused_elementwise",
                                        NULL};

/* The same, with parameters that stay float32. */
static const char *const norms[] = {"BatchNorm", "BatchNorm_v1", NULL};

typedef struct target {
    const convert_options *options;
    const char *name;
    tn_dtype dtype;
} target;

static int is_float(const form_change *all, tn_value value) {
    return form_can_change(all, value) && work_type(all->work, value).dtype == TN_F32;
}

static uint32_t wanted_inputs(const form_change *all, uint32_t number, const tn_node_info *info) {
    const target *to = all->context;
    element_function function;
    int follows = 0;
    if (info->subgraph_count > 0 || info->input_count == 0 ||
        has_word(to->options->keep, info->op) || !is_float(all, (tn_value){number, 0})) {
        return 0;
    }
    const uint32_t count = node_is(info, norms) ? 1 : info->input_count;
    for (uint32_t i = 0; i < count; i++) {
        if (info->inputs[i].node != TN_NO_NODE && !is_float(all, info->inputs[i])) {
            return 0;
        }
        follows |= form_is_changed(all, info->inputs[i]);
    }
    if (node_is(info, products)) {
        return count;
    }
    return follows && (node_is(info, followers) || node_is(info, norms) ||
                       find_element_function(info, &function))
               ? count
               : 0;
}

/* A parameter's elements in the 16-bit dtype. */
static tn_status add_narrow_parameter(const form_change *all, uint32_t number, tn_tensor *tensor,
                                      uint32_t *out_node) {
    const pass_work *work = all->work;
    const target *to = all->context;
    const tn_view *view = work->tensors->view(work->host, tensor);
    char stem[1024];
    tn_node_info info;
    tn_tensor *made;
    tn_value value = {0, 0};
    TN_TRY(work->tensors->create(work->host, to->dtype, view->rank, view->shape, &made));
    const float *from = tn_data(view);
    uint16_t *elements = tn_data(work->tensors->view(work->host, made));
    for (int64_t i = 0, count = tn_element_count(view); i < count; i++) {
        elements[i] =
            to->dtype == TN_F16 ? tn_f16_from_float(from[i]) : tn_bf16_from_float(from[i]);
    }
    work_node(work, number, &info);
    snprintf(stem, sizeof stem, "%s", info.name);
    const tn_status status = work_add_parameter(work, stem, to->name, made, &value);
    work->tensors->release(work->host, made);
    *out_node = value.node;
    return status;
}

static tn_status add_cast(const form_change *all, uint32_t number, const char *dtype,
                          uint32_t *out_node) {
    const tn_option option = {"dtype", dtype};
    const tn_value value = {number, 0};
    return all->work->graphs->add_node(all->work->host, all->work->graph, "Cast", NULL, &option, 1,
                                       &value, 1, out_node);
}

static tn_status enter(const form_change *all, uint32_t number, uint32_t *out_node) {
    const target *to = all->context;
    tn_tensor *tensor = work_constant(all->work, (tn_value){number, 0});
    return tensor != NULL ? add_narrow_parameter(all, number, tensor, out_node)
                          : add_cast(all, number, to->name, out_node);
}

static tn_status leave(const form_change *all, uint32_t number, uint32_t *out_node) {
    return add_cast(all, number, "float32", out_node);
}

static tn_status run(tn_pass_call *call) {
    const convert_options *options = call->options;
    const target to = {options, options->to == 0 ? "float16" : "bfloat16",
                       options->to == 0 ? TN_F16 : TN_BF16};
    form_change all = {
        .context = &to, .wanted_inputs = wanted_inputs, .enter = enter, .leave = leave};
    return change_form(call, &all);
}

const tn_pass convert_dtype = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Computes Convolution, FullyConnected and the like, and what follows them, in float16 "
           "or bfloat16, with converted weights. Softmax, reductions and norms' parameters stay "
           "float32, and so do inputs and outputs. Needs dtypes to be known.",
    PASS_OPTIONS(option_table, convert_options),
    .run = run,
};
