/*
 * The pass fold-batch-norm: a BatchNorm behind a Convolution or a FullyConnected becomes part of
 * its weights, which are computed anew: w' = w * s, b' = (b - mean) * s + beta, by output channel,
 * with s = gamma / sqrt(variance + eps).
 */
#include <math.h>
#include <stdlib.h>

#include "passes.h"
#include "work.h"

static const char *const norms[] = {"BatchNorm", "BatchNorm_v1", "onnx.BatchNormalization", NULL};
static const char *const products[] = {"Convolution", "FullyConnected", NULL};
static const char *const dense[] = {"FullyConnected", NULL};

enum { GAMMA = 1, BETA, MEAN, VARIANCE, INPUTS };
enum { MAX_ATTRIBUTES = 64 };

/* A BatchNorm and what stands before it. */
typedef struct norm_match {
    uint32_t norm, product;
    const float *vectors[INPUTS]; /* of the BatchNorm; NULL for gamma: ones */
    const tn_view *weight;
    const float *bias; /* NULL: none */
    int64_t channels;
    double eps;
} norm_match;

/* The view of a parameter in host memory that holds floats; NULL for all else. A BatchNorm's
 * statistics count as changed by it, but only training does that. */
static const tn_view *floats_of(const pass_work *work, tn_value value) {
    tn_tensor *tensor = work_host_tensor(work, value);
    const tn_view *view = tensor == NULL ? NULL : work->tensors->view(work->host, tensor);
    return view != NULL && view->dtype == TN_F32 ? view : NULL;
}

static const float *channel_vector(const pass_work *work, tn_value value, int64_t channels) {
    const tn_view *view = floats_of(work, value);
    return view != NULL && view->rank == 1 && view->shape[0] == channels ? tn_data(view) : NULL;
}

static int match_product(const pass_work *work, tn_value source, norm_match *match) {
    tn_node_info product;
    use_facts facts;
    if (source.node == TN_NO_NODE || source.output != 0 ||
        !work_node(work, source.node, &product) || !node_is(&product, products) ||
        product.control_count > 0 || product.input_count < 2 || product.input_count > 3 ||
        product.attribute_count > MAX_ATTRIBUTES || work_uses(work, source.node, &facts) != TN_OK ||
        facts.count != 1 || facts.is_output) {
        return 0;
    }
    if (node_is(&product, dense) && !text_is_true(node_attribute(&product, "flatten", "True"))) {
        return 0; /* the channels lie on another axis */
    }
    match->product = source.node;
    match->weight = floats_of(work, product.inputs[1]);
    if (match->weight == NULL || match->weight->rank < 2) {
        return 0;
    }
    match->channels = match->weight->shape[0];
    match->bias =
        product.input_count > 2 ? channel_vector(work, product.inputs[2], match->channels) : NULL;
    return product.input_count == 2 || match->bias != NULL;
}

/* With the statistics of the batch it is no BatchNorm that could be folded. */
static int uses_batch(const tn_node_info *norm) {
    return text_is_true(node_attribute(norm, "training_mode", "False"));
}

/* What is added to the variance, and whether gamma counts: ONNX's operator is another. */
static void read_attributes(const tn_node_info *norm, norm_match *match) {
    const int is_onnx = strncmp(norm->op, "onnx.", 5) == 0;
    match->eps = strtod(is_onnx ? node_attribute(norm, "epsilon", "1e-5")
                                : node_attribute(norm, "eps", "1e-3"),
                        NULL);
    if (!is_onnx && text_is_true(node_attribute(norm, "fix_gamma", "True"))) {
        match->vectors[GAMMA] = NULL;
    }
}

static int match_norm(const pass_work *work, uint32_t number, norm_match *match) {
    tn_node_info norm;
    use_facts facts;
    if (!work_node(work, number, &norm) || !node_is(&norm, norms) || norm.input_count != INPUTS ||
        norm.control_count > 0 || uses_batch(&norm) ||
        strcmp(node_attribute(&norm, "axis", "1"), "1") != 0 ||
        work_uses(work, number, &facts) != TN_OK || facts.highest_output > 0 || facts.is_control ||
        (facts.is_output && norm.visible_output_count != 1) ||
        !match_product(work, norm.inputs[0], match)) {
        return 0;
    }
    match->norm = number;
    for (uint32_t i = GAMMA; i < INPUTS; i++) {
        match->vectors[i] = channel_vector(work, norm.inputs[i], match->channels);
        if (match->vectors[i] == NULL) {
            return 0;
        }
    }
    read_attributes(&norm, match);
    return 1;
}

static void compute(const norm_match *match, float *weight, float *bias) {
    const float *source = tn_data(match->weight);
    const int64_t inner =
        match->channels == 0 ? 0 : tn_element_count(match->weight) / match->channels;
    for (int64_t i = 0; i < match->channels; i++) {
        const double gamma = match->vectors[GAMMA] == NULL ? 1 : (double)match->vectors[GAMMA][i];
        const double scale = gamma / sqrt((double)match->vectors[VARIANCE][i] + match->eps);
        const double shift = match->bias == NULL ? 0 : (double)match->bias[i];
        bias[i] = (float)((shift - (double)match->vectors[MEAN][i]) * scale +
                          (double)match->vectors[BETA][i]);
        for (int64_t j = 0; j < inner; j++) {
            weight[i * inner + j] = (float)((double)source[i * inner + j] * scale);
        }
    }
}

/* Makes the two new parameters. */
static tn_status add_parameters(const pass_work *work, const norm_match *match, tn_value *out) {
    tn_tensor *weight = NULL, *bias = NULL;
    tn_node_info product;
    char stem[1024];
    work_node(work, match->product, &product);
    snprintf(stem, sizeof stem, "%s", product.name);
    tn_status status = work->tensors->create(work->host, TN_F32, match->weight->rank,
                                             match->weight->shape, &weight);
    if (status == TN_OK) {
        status = work->tensors->create(work->host, TN_F32, 1, &match->channels, &bias);
    }
    if (status == TN_OK) {
        compute(match, tn_data(work->tensors->view(work->host, weight)),
                tn_data(work->tensors->view(work->host, bias)));
        status = work_add_parameter(work, stem, "weight_folded", weight, &out[0]);
    }
    if (status == TN_OK) {
        status = work_add_parameter(work, stem, "bias_folded", bias, &out[1]);
    }
    work->tensors->release(work->host, weight);
    work->tensors->release(work->host, bias);
    return status;
}

/* Parameters that the two nodes alone have read. */
static tn_status remove_parameters(const pass_work *work, const tn_value *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info info;
        if (work_node(work, values[i].node, &info) && info.op == NULL) {
            TN_TRY(work_remove_unused(work, values[i].node));
        }
    }
    return TN_OK;
}

/* The product once more, with the new parameters, in the place of both nodes. */
static tn_status put_product(const pass_work *work, const norm_match *match,
                             const tn_value *inputs) {
    tn_option options[MAX_ATTRIBUTES];
    tn_node_info product;
    char name[1024];
    uint32_t count = 0, added;
    use_facts facts;
    int done;
    work_node(work, match->product, &product);
    snprintf(name, sizeof name, "%s", product.name);
    for (uint32_t i = 0; i < product.attribute_count; i++) {
        if (strcmp(product.attributes[i].name, "no_bias") != 0) {
            options[count++] = product.attributes[i];
        }
    }
    TN_TRY(work->graphs->add_node(work->host, work->graph, product.op, NULL, options, count, inputs,
                                  3, &added));
    TN_TRY(work_uses(work, match->norm, &facts));
    TN_TRY(work_forward(work, match->norm, (tn_value){added, 0}, &done));
    if (!done) {
        return tn_fail(work->host, TN_INTERNAL, "node '%s': its BatchNorm cannot be taken out",
                       name);
    }
    TN_TRY(work->graphs->remove_node(work->host, work->graph, match->product));
    /* An output has the BatchNorm's name now; elsewhere the product is known by its own. */
    return facts.is_output ? TN_OK : work->graphs->rename(work->host, work->graph, added, name);
}

static tn_status fold(const pass_work *work, const norm_match *match) {
    tn_value inputs[3], read[INPUTS + 3];
    tn_node_info norm, product;
    uint32_t read_count = 0;
    TN_TRY(add_parameters(work, match, &inputs[1]));
    work_node(work, match->norm, &norm);
    work_node(work, match->product, &product);
    inputs[0] = product.inputs[0];
    for (uint32_t i = 1; i < INPUTS; i++) {
        read[read_count++] = norm.inputs[i];
    }
    for (uint32_t i = 1; i < product.input_count; i++) {
        read[read_count++] = product.inputs[i];
    }
    TN_TRY(put_product(work, match, inputs));
    return remove_parameters(work, read, read_count);
}

static tn_status fold_if_matched(const pass_work *work, uint32_t number, const void *context) {
    norm_match match;
    (void)context;
    return match_norm(work, number, &match) ? fold(work, &match) : TN_OK;
}

static tn_status run(tn_pass_call *call) {
    return work_visit_nodes(call, fold_if_matched, NULL);
}

const tn_pass fold_batch_norm = {
    .struct_size = TN_PASS_SIZE,
    .doc = "Folds a BatchNorm into the weights of the Convolution or FullyConnected before it. "
           "Results differ by rounding. Needs the parameters, in float32, and that nothing else "
           "reads the product.",
    .run = run,
};
