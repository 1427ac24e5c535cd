/* By an author who knew nothing behind `infer` of an operator and `release` of a kernel. What lies
 * there is not a gradient and not a table. */
#include "sample.h"

static const tn_op older = {.struct_size = TN_STRUCT_END(tn_op, infer),
                            .doc = "Older.",
                            .infer = tn_infer_elementwise,
                            .gradient = (tn_status(*)(tn_gradient_call *))1};
static const tn_kernel kernel = {.struct_size = TN_STRUCT_END(tn_kernel, release),
                                 .op = "older",
                                 .target = "cpu",
                                 .run = sample_run,
                                 .attributes = (const tn_attribute *)1,
                                 .attribute_count = 1};
static const tn_entry entries[] = {TN_ENTRY_OP("older", &older),
                                   TN_ENTRY_KERNEL("older.cpu", &kernel),
                                   TN_ENTRY_OP("known", &sample_op)};
TN_PLUGIN("older_struct", "1.0", entries);
