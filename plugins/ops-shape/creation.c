/* _zeros, _ones, _full and zeros_like, ones_like: tensors filled with one value. */
#include "extents.h"
#include "fill.h"
#include "operator.h"
#include "operators.h"

typedef struct full_attributes {
    tn_ints shape;
    const char *ctx;
    tn_dtype dtype;
    double value;
} full_attributes;

#define SHAPE_CTX_DTYPE                                                                            \
    TN_FIELD_OR_NONE(full_attributes, shape, INTS, "None", "[-1,inf)",                             \
                     "The output's extents; None, or -1 for one of them, is as whatever uses the " \
                     "output has it."),                                                            \
        UNUSED_TEXT(full_attributes, ctx),                                                         \
        TN_FIELD(full_attributes, dtype, DTYPE, "float32", NULL, "The output's element type.")

static const tn_attribute constant_table[] = {SHAPE_CTX_DTYPE};

static const tn_attribute full_table[] = {
    SHAPE_CTX_DTYPE,
    TN_FIELD(full_attributes, value, FLOAT, NULL, NULL, "The value of every element."),
};

static tn_status full_infer(tn_infer_call *call) {
    const full_attributes *given = call->attributes;
    tn_shape fact = tn_shape_of(0, NULL);
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, given->dtype));
    if (given->shape.count < 0) {
        return TN_OK;
    }
    for (int64_t i = 0; i < given->shape.count; i++) {
        TN_TRY(extents_append(call->host, &fact, given->shape.values[i]));
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

static tn_status fill_output(const tn_run_call *call, double value) {
    const tn_view *output = call->outputs[0];
    unsigned char element[8];
    element_from_double(output->dtype, value, element);
    fill_elements(call->host, tn_data(output), tn_element_count(output), element,
                  TN_DTYPE_SIZE(output->dtype));
    return TN_OK;
}

tn_status zeros_run(const tn_run_call *call) {
    return fill_output(call, 0.0);
}

tn_status ones_run(const tn_run_call *call) {
    return fill_output(call, 1.0);
}

tn_status full_run(const tn_run_call *call) {
    const full_attributes *given = call->attributes;
    return fill_output(call, given->value);
}

const tn_op zeros_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Zeros.",
    OP_ATTRIBUTES(constant_table, full_attributes),
    OP_OUTPUT,
    .infer = full_infer,
};

const tn_op ones_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Ones.",
    OP_ATTRIBUTES(constant_table, full_attributes),
    OP_OUTPUT,
    .infer = full_infer,
};

const tn_op full_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "One value in every element. Integers take the part of it before the point.",
    OP_ATTRIBUTES(full_table, full_attributes),
    OP_OUTPUT,
    .infer = full_infer,
};

const tn_op zeros_like_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Zeros of the input's shape and element type.",
    OP_INPUTS(data_name),
    .infer = tn_infer_elementwise,
    .gradient = gradient_none,
};

const tn_op ones_like_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Ones of the input's shape and element type.",
    OP_INPUTS(data_name),
    .infer = tn_infer_elementwise,
    .gradient = gradient_none,
};
