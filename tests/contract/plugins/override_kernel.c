/* Wants to override a kernel. */
#include "sample.h"

static const tn_kernel kernel = SAMPLE_KERNEL("good");
static const tn_entry entries[] = {
    {TN_KIND_KERNEL, "good.cpu", TN_KERNEL_VERSION, TN_ENTRY_OVERRIDES, &kernel}};
TN_PLUGIN("override_kernel", "1.0", entries);
