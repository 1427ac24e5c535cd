/* Texts. */
#include "families.h"

/* A list of texts, which attributes of nodes cannot hold, as a constant. */
static tn_status add_texts(struct onnx_node *node, const char *name, tn_value *out_value) {
    const char **texts;
    uint32_t count;
    TN_TRY(onnx_strings(node, name, &texts, &count));
    const int64_t extent = count;
    const tn_status status = onnx_add_constant(node, TN_STRING, 1, &extent, texts, out_value);
    tn_free(node->host, (void *)texts);
    return status;
}

static tn_status finish_with_attributes(struct onnx_node *node, const char *op,
                                        const tn_value *inputs, uint32_t count) {
    struct onnx_options options = onnx_options(node);
    const tn_status status = onnx_copy_attributes(node, &options);
    if (status != TN_OK) {
        onnx_options_finish(&options);
        return status;
    }
    return onnx_finish(node, op, &options, inputs, count);
}

/* Letters are Unicode's, whatever the locale: no other rule is offered. */
static tn_status string_normalizer(struct onnx_node *node) {
    tn_value inputs[2];
    onnx_ignore(node, "locale");
    TN_TRY(onnx_input(node, 0, &inputs[0]));
    TN_TRY(add_texts(node, "stopwords", &inputs[1]));
    return finish_with_attributes(node, "onnx.StringNormalizer", inputs, 2);
}

static tn_status tf_idf_vectorizer(struct onnx_node *node) {
    const int64_t *numbers;
    uint32_t count;
    tn_value inputs[2];
    TN_TRY(onnx_input(node, 0, &inputs[0]));
    if (onnx_has_attribute(node, "pool_strings")) {
        TN_TRY(add_texts(node, "pool_strings", &inputs[1]));
    } else {
        TN_TRY(onnx_ints(node, "pool_int64s", &numbers, &count));
        const int64_t extent = count;
        TN_TRY(onnx_add_constant(node, TN_I64, 1, &extent, numbers, &inputs[1]));
    }
    return finish_with_attributes(node, "onnx.TfIdfVectorizer", inputs, 2);
}

static tn_status string_split(struct onnx_node *node) {
    uint32_t number;
    tn_value data;
    TN_TRY(onnx_input(node, 0, &data));
    struct onnx_options options = onnx_options(node);
    const tn_status status = onnx_copy_attributes(node, &options);
    if (status != TN_OK) {
        onnx_options_finish(&options);
        return status;
    }
    TN_TRY(onnx_add_node(node, "onnx.StringSplit", &options, &data, 1, &number));
    TN_TRY(onnx_set_output(node, 0, (tn_value){number, 0}));
    return onnx_set_output(node, 1, (tn_value){number, 1});
}

const struct onnx_mapping text_mappings[] = {
    {"RegexFullMatch", 20, onnx_same, NULL, 1},
    {"StringConcat", 20, onnx_same, NULL, 2},
    {"StringNormalizer", 10, string_normalizer, NULL, 0},
    {"StringSplit", 20, string_split, NULL, 0},
    {"TfIdfVectorizer", 9, tf_idf_vectorizer, NULL, 0},
    {0},
};
