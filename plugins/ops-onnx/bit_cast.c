/* onnx.BitCast: the bits of elements as those of another type. */
#include "families.h"
#include "one_output.h"
#include "operator.h"

typedef struct bit_cast_attributes {
    tn_dtype to;
} bit_cast_attributes;

static const tn_attribute table[] = {
    TN_FIELD(bit_cast_attributes, to, DTYPE, NULL, NULL, "The dtype, of as many bits."),
};

static tn_status infer(tn_infer_call *call) {
    const bit_cast_attributes *own = call->attributes;
    const tn_dtype from = call->inputs[0].dtype;
    if (from != 0 && (TN_DTYPE_SIZE(from) != TN_DTYPE_SIZE(own->to) ||
                      TN_DTYPE_IS_OPAQUE(from) != TN_DTYPE_IS_OPAQUE(own->to))) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%s does not have the bits of %s",
                       tn_dtype_name(from), tn_dtype_name(own->to));
    }
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, own->to));
    return tn_infer_same_shape(call->host, "the output", &call->outputs[0].shape,
                               &call->inputs[0].shape);
}

const tn_op bit_cast_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The bits of each element as an element of another type.",
    OP_ATTRIBUTES(table, bit_cast_attributes),
    OP_INPUTS(data_name),
    OP_OUTPUT,
    .infer = infer,
};

const tn_kernel bit_cast_kernel = {
    CPU_KERNEL("onnx.BitCast"), .flags = TN_KERNEL_COPIES_INPUT, .in_place = first_to_first,
    .in_place_count = 1,        .run = copy_first_input,
};
