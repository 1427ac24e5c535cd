/* The default of an attribute lies outside its own range. */
#include "sample.h"

typedef struct attributes {
    int64_t axis;
} attributes;

static const tn_attribute table[] = {TN_FIELD(attributes, axis, INT, "40", "[0,31]", "The axis.")};
static const tn_op op = {.struct_size = TN_OP_SIZE,
                         .attributes = table,
                         .attribute_count = 1,
                         .attribute_stride = TN_ATTRIBUTE_STRIDE,
                         .attributes_size = sizeof(attributes),
                         .infer = tn_infer_elementwise};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("bad", &op)};
TN_PLUGIN("bad_attributes", "1.0", entries);
