#include "entries_dense.h"
#include "entries_elementwise.h"
#include "entries_onnx.h"

#define KERNEL_ENTRY(NAME, KERNEL) TN_ENTRY_KERNEL(NAME, &KERNEL),

static const tn_entry entries[] = {DENSE_KERNELS(KERNEL_ENTRY) ELEMENTWISE_KERNELS(KERNEL_ENTRY)
                                       ONNX_KERNELS(KERNEL_ENTRY)};

TN_PLUGIN_WITH("kernels-vulkan", "0.1.0", "error/1,memory/1,dispatch/1", "", NULL, NULL, entries);
