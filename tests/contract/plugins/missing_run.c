/* A kernel that cannot run. */
#include "sample.h"

static const tn_kernel kernel = {
    .struct_size = TN_KERNEL_SIZE, .op = "good", .target = "cpu", .priority = 7};
static const tn_kernel fine = SAMPLE_KERNEL("good");
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_KERNEL("fine.cpu", &fine),
                                   TN_ENTRY_KERNEL("missing.cpu", &kernel)};
TN_PLUGIN("missing_run", "1.0", entries);
