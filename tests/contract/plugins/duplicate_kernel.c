/* A second kernel, of the same name, for the operator of "good": that is no clash. */
#include "sample.h"

static const tn_kernel kernel = SAMPLE_KERNEL("good");
static const tn_entry entries[] = {TN_ENTRY_KERNEL("good.cpu", &kernel)};
TN_PLUGIN("duplicate_kernel", "1.0", entries);
