/* The operator WarpCTC and its kernel: a softmax whose gradient is that of the CTC loss. */
#include "floating.h"
#include "label.h"
#include "operators_more.h"
#include "softmax_rows.h"

typedef struct warp_ctc_attributes {
    int64_t label_length;
    int64_t input_length;
} warp_ctc_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(warp_ctc_attributes, label_length, INT, "0", "[0,inf)",
             "How many labels each sequence has."),
    TN_FIELD(warp_ctc_attributes, input_length, INT, "0", "[0,inf)",
             "How many steps each sequence has."),
};

/* The rows of data are the steps of all sequences, the labels are in one row. */
static tn_shape label_shape(const warp_ctc_attributes *given, const tn_shape *data) {
    tn_shape label = tn_shape_of_rank(1);
    if (data->extents[0] >= 0 && given->input_length > 0) {
        const int64_t sequences = data->extents[0] / given->input_length;
        if (__builtin_mul_overflow(sequences, given->label_length, &label.extents[0])) {
            label.extents[0] = TN_UNKNOWN;
        }
    }
    return label;
}

static tn_status infer(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape;
    const tn_shape matrix = tn_shape_of_rank(2);
    TN_TRY(tn_infer_shape(call->host, "data", &call->inputs[0].shape, &matrix));
    TN_TRY(infer_output_like_data(call));
    const tn_shape label = label_shape(call->attributes, data);
    suggest_label(call, &label, TN_I32);
    return TN_OK;
}

const tn_op warp_ctc_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The softmax of each row of data, a step of a sequence. In training its gradient is "
           "that of the connectionist temporal classification loss.",
    OP_ATTRIBUTES(attributes, warp_ctc_attributes),
    OP_LABELLED,
    .infer = infer,
};

static tn_status run(const tn_run_call *call) {
    return run_softmax_along(call, 1, 2);
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel warp_ctc_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "WarpCTC",
    .target = "cpu",
    .in_place = in_place,
    .in_place_count = 1,
    .supports = supports_floating_data,
    .run = run,
};
