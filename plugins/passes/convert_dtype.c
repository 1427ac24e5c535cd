/*
 * The pass convert-dtype: what gains from a 16-bit dtype, products foremost, is computed in it, and
 * what follows keeps it as long as that costs no digits that matter. Everything else stays float32;
 * a conversion stands where the two meet.
 */
#include "element_function.h"
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

/* Values are found by node and output: only nodes of one output are converted. */
typedef struct conversion {
    const pass_work *work;
    const convert_options *options;
    const char *dtype_name;
    tn_dtype dtype;
    uint32_t original_count; /* nodes from here on are the pass's own */
    uint8_t *is_converted;   /* by node: it gives the 16-bit dtype now */
    uint32_t *narrow;        /* by node: the one that has its value in 16 bits; 0: none yet */
    uint32_t *wide;          /* the other way round */
} conversion;

static int is_float(const conversion *all, tn_value value) {
    return value.node != TN_NO_NODE && value.node < all->original_count && value.output == 0 &&
           work_type(all->work, value).dtype == TN_F32;
}

static int is_converted(const conversion *all, tn_value value) {
    return value.node != TN_NO_NODE && value.node < all->original_count &&
           all->is_converted[value.node];
}

/* A parameter in host memory that no run changes; else NULL. */
static tn_tensor *parameter_of(const conversion *all, tn_value value) {
    const pass_work *work = all->work;
    return work->graphs->variable_kind(work->host, work->graph, value.node) == TN_VARIABLE_PARAMETER
               ? work_host_tensor(work, value)
               : NULL;
}

/* How many of its inputs, from the first on, a node wants converted; 0: it stays as it is. */
static uint32_t wanted_inputs(const conversion *all, uint32_t number, const tn_node_info *info) {
    element_function function;
    int follows = 0;
    if (info->op == NULL || info->visible_output_count != 1 || info->subgraph_count > 0 ||
        info->input_count == 0 || has_word(all->options->keep, info->op) ||
        !is_float(all, (tn_value){number, 0})) {
        return 0;
    }
    const uint32_t count = node_is(info, norms) ? 1 : info->input_count;
    for (uint32_t i = 0; i < count; i++) {
        if (info->inputs[i].node != TN_NO_NODE && !is_float(all, info->inputs[i])) {
            return 0;
        }
        follows |= is_converted(all, info->inputs[i]);
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
static tn_status add_narrow_parameter(const conversion *all, uint32_t number, tn_tensor *tensor,
                                      uint32_t *out_node) {
    const pass_work *work = all->work;
    const tn_view *view = work->tensors->view(work->host, tensor);
    tn_node_info info;
    tn_tensor *made;
    tn_value value;
    TN_TRY(work->tensors->create(work->host, all->dtype, view->rank, view->shape, &made));
    const float *from = tn_data(view);
    uint16_t *to = tn_data(work->tensors->view(work->host, made));
    for (int64_t i = 0, count = tn_element_count(view); i < count; i++) {
        to[i] = all->dtype == TN_F16 ? tn_f16_from_float(from[i]) : tn_bf16_from_float(from[i]);
    }
    char stem[1024];
    work_node(work, number, &info);
    snprintf(stem, sizeof stem, "%s", info.name);
    const tn_status status = work_add_parameter(work, stem, all->dtype_name, made, &value);
    work->tensors->release(work->host, made);
    *out_node = value.node;
    return status;
}

static tn_status add_cast(const conversion *all, uint32_t number, const char *dtype,
                          uint32_t *out_node) {
    const tn_option option = {"dtype", dtype};
    const tn_value value = {number, 0};
    return all->work->graphs->add_node(all->work->host, all->work->graph, "Cast", NULL, &option, 1,
                                       &value, 1, out_node);
}

/* The node that has the value of `number` in 16 bits. */
static tn_status find_narrow(const conversion *all, uint32_t number, uint32_t *out_node) {
    *out_node = number;
    if (all->is_converted[number]) {
        return TN_OK;
    }
    if (all->narrow[number] == 0) {
        tn_tensor *tensor = parameter_of(all, (tn_value){number, 0});
        TN_TRY(tensor != NULL ? add_narrow_parameter(all, number, tensor, &all->narrow[number])
                              : add_cast(all, number, all->dtype_name, &all->narrow[number]));
    }
    *out_node = all->narrow[number];
    return TN_OK;
}

static tn_status find_wide(const conversion *all, uint32_t number, uint32_t *out_node) {
    if (all->wide[number] == 0) {
        TN_TRY(add_cast(all, number, "float32", &all->wide[number]));
    }
    *out_node = all->wide[number];
    return TN_OK;
}

/* Gives a node its inputs in the dtypes that it is to have them in. */
static tn_status convert_node(const conversion *all, uint32_t number) {
    const pass_work *work = all->work;
    tn_node_info info;
    if (!work_node(work, number, &info) || info.op == NULL) {
        return TN_OK;
    }
    const uint32_t wanted = wanted_inputs(all, number, &info), count = info.input_count;
    for (uint32_t i = 0; i < count; i++) {
        work_node(work, number, &info); /* what it points to moves as nodes are added */
        const tn_value old = info.inputs[i];
        uint32_t node = old.node;
        if (node != TN_NO_NODE && i < wanted) {
            TN_TRY(find_narrow(all, old.node, &node));
        } else if (is_converted(all, old)) {
            TN_TRY(find_wide(all, old.node, &node));
        }
        if (node != old.node) {
            TN_TRY(work->graphs->set_input(work->host, work->graph, number, i,
                                           (tn_value){node, node == old.node ? old.output : 0}));
        }
    }
    all->is_converted[number] = wanted > 0;
    return TN_OK;
}

/* Outputs stay float32 under their names. */
static tn_status convert_outputs(const conversion *all) {
    const pass_work *work = all->work;
    uint32_t count;
    const tn_value *borrowed = work->graphs->outputs(work->host, work->graph, &count);
    void *copy;
    TN_TRY(work_allocate(work, count, sizeof(tn_value), &copy));
    tn_value *outputs = copy;
    tn_status status = TN_OK;
    memcpy(outputs, borrowed, count * sizeof *outputs);
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        if (is_converted(all, outputs[i])) {
            status = find_wide(all, outputs[i].node, &outputs[i].node);
        }
    }
    if (status == TN_OK) {
        status = work->graphs->set_outputs(work->host, work->graph, outputs, count);
    }
    for (uint32_t i = 0; status == TN_OK && i < all->original_count; i++) {
        use_facts facts;
        if (all->wide[i] != 0 && work_uses(work, all->wide[i], &facts) == TN_OK &&
            facts.is_output) {
            status = work_take_name(work, all->wide[i]);
        }
    }
    work_free(work, outputs);
    return status;
}

static tn_status remove_unused_parameters(const conversion *all) {
    for (uint32_t i = 0; i < all->original_count; i++) {
        if (all->narrow[i] != 0 && parameter_of(all, (tn_value){i, 0}) != NULL) {
            TN_TRY(work_remove_unused(all->work, i));
        }
    }
    return TN_OK;
}

static tn_status convert(const pass_work *work, const uint32_t *order, uint32_t count,
                         const convert_options *options) {
    const uint32_t nodes = work->graphs->node_count(work->host, work->graph);
    conversion all = {.work = work,
                      .options = options,
                      .dtype_name = options->to == 0 ? "float16" : "bfloat16",
                      .dtype = options->to == 0 ? TN_F16 : TN_BF16,
                      .original_count = nodes};
    void *memory;
    TN_TRY(work_allocate(work, nodes, 2 * sizeof(uint32_t) + 1, &memory));
    all.narrow = memory;
    all.wide = all.narrow + nodes;
    all.is_converted = (uint8_t *)(all.wide + nodes);
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        status = convert_node(&all, order[i]);
    }
    if (status == TN_OK) {
        status = convert_outputs(&all);
    }
    if (status == TN_OK) {
        status = remove_unused_parameters(&all);
    }
    work_free(work, memory);
    return status;
}

static tn_status run(tn_pass_call *call) {
    pass_work work;
    uint32_t *order, count;
    work_begin(&work, call);
    TN_TRY(work_order(&work, &order, &count));
    const tn_status status = convert(&work, order, count, call->options);
    work_free(&work, order);
    return status;
}

const tn_pass convert_dtype = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Computes Convolution, FullyConnected and the like, and what follows them, in float16 "
           "or bfloat16, with converted weights. Softmax, reductions and norms' parameters stay "
           "float32, and so do inputs and outputs. Needs dtypes to be known.",
    PASS_OPTIONS(option_table, convert_options),
    .run = run,
};
