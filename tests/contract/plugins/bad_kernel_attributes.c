/* A kernel reads an attribute into a place outside its struct. */
#include "sample.h"

typedef struct attributes {
    int64_t axis;
} attributes;

static const tn_attribute table[] = {
    {"axis", TN_ATTRIBUTE_INT, 0, 8, "1", NULL, NULL, "The axis."}};
static const tn_kernel kernel = {.struct_size = TN_KERNEL_SIZE,
                                 .op = "good",
                                 .target = "cpu",
                                 .run = sample_run,
                                 .attributes = table,
                                 .attribute_count = 1,
                                 .attribute_stride = TN_ATTRIBUTE_STRIDE,
                                 .attributes_size = sizeof(attributes)};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_KERNEL("outside.cpu", &kernel)};
TN_PLUGIN("bad_kernel_attributes", "1.0", entries);
