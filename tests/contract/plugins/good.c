/* Nothing is wrong with this one. */
#include "sample.h"

static const tn_kernel kernel = SAMPLE_KERNEL("good");
static const tn_entry entries[] = {TN_ENTRY_OP("good", &sample_op),
                                   TN_ENTRY_KERNEL("good.cpu", &kernel)};
TN_PLUGIN("good", "1.0", entries);
