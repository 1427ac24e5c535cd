/* StringConcat, and onnx.Equal of texts: two tensors of texts, stretched to one shape. */
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"
#include "subgraph.h"
#include "text.h"
#include "text_kernels.h"

static const char *const input_names[] = {"X", "Y"};
static const char *const output_names[] = {"Z"};

static tn_status infer(tn_infer_call *call) {
    tn_shape result = tn_shape_of(0, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        TN_TRY(tn_infer_dtype(call->host, input_names[i], &call->inputs[i].dtype, TN_STRING));
        TN_TRY(stretch_shape(call->host, &call->inputs[i].shape, &result));
    }
    TN_TRY(tn_infer_dtype(call->host, "Z", &call->outputs[0].dtype, TN_STRING));
    return infer_output_shape(call, &result);
}

static void begin(const tn_run_call *call, shape_walk *walk) {
    const tn_view *output = call->outputs[0];
    int64_t strides[TN_MAX_RANK];
    walk_begin(walk, output->rank, output->shape);
    for (uint32_t i = 0; i < 2; i++) {
        stretched_strides(call->inputs[i], output->rank, strides);
        walk_add(walk, strides);
    }
}

static tn_status join(const tn_run_call *call, const char *left, const char *right, int64_t index) {
    const size_t left_size = strlen(left), right_size = strlen(right);
    char *text = TN_SERVICE(call->host, memory)->allocate(call->host, left_size + right_size + 1);
    if (text == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a text");
    }
    memcpy(text, left, left_size);
    memcpy(text + left_size, right, right_size);
    const tn_status status =
        set_text(call->host, call->outputs[0], index, text, left_size + right_size);
    TN_SERVICE(call->host, memory)->free(call->host, text);
    return status;
}

static tn_status run_concat(const tn_run_call *call) {
    shape_walk walk;
    begin(call, &walk);
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        TN_TRY(join(call, text_at(call->inputs[0], walk.offsets[0]),
                    text_at(call->inputs[1], walk.offsets[1]), i));
        walk_on(&walk);
    }
    return TN_OK;
}

const tn_op string_concat_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Each text of X with that of Y behind it, the two being stretched to one shape.",
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};
const tn_kernel string_concat_kernel = {CPU_KERNEL("onnx.StringConcat"),
                                        .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_concat};

/* Equal texts are one pointer. */
static tn_status run_equal(const tn_run_call *call) {
    const char *const *left = tn_data(call->inputs[0]), *const *right = tn_data(call->inputs[1]);
    uint8_t *output = tn_data(call->outputs[0]);
    shape_walk walk;
    begin(call, &walk);
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        output[i] = left[walk.offsets[0]] == right[walk.offsets[1]];
        walk_on(&walk);
    }
    return TN_OK;
}

static const tn_dtype equal_dtypes[] = {TN_STRING, TN_BOOL};

static int32_t supports_texts(const tn_kernel_query *query) {
    return query->inputs[0].dtype == TN_STRING && query->inputs[1].dtype == TN_STRING;
}

const tn_kernel equal_texts_kernel = {CPU_KERNEL("onnx.Equal"), KERNEL_DTYPES(equal_dtypes),
                                      .supports = supports_texts, .run = run_equal};
