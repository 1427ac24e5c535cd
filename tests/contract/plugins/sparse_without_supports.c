/* A kernel that says it looks at storages, and has nothing to look with. */
#include "sample.h"

static const tn_kernel kernel = {.struct_size = TN_KERNEL_SIZE,
                                 .flags = TN_KERNEL_SPARSE,
                                 .op = "good",
                                 .target = "cpu",
                                 .run = sample_run};
static const tn_kernel fine = SAMPLE_KERNEL("good");
static const tn_entry entries[] = {TN_ENTRY_OP("good", &sample_op),
                                   TN_ENTRY_KERNEL("good.cpu", &fine),
                                   TN_ENTRY_KERNEL("sparse.cpu", &kernel)};
TN_PLUGIN("sparse_without_supports", "1.0", entries);
