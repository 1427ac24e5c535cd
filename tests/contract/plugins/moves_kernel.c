/* Its constructor gives the kernel to another operator than the file says. */
#include "sample.h"

static tn_kernel kernel = SAMPLE_KERNEL("moved");
static const tn_entry entries[] = {TN_ENTRY_OP("moved", &sample_op),
                                   TN_ENTRY_KERNEL("moved.cpu", &kernel)};

__attribute__((constructor)) static void move_kernel(void) {
    kernel.op = "good";
}

TN_PLUGIN("moves_kernel", "1.0", entries);
