/*
 * The plugin "ops-onnx": operators with the meaning that ONNX gives them, where no other operator
 * has exactly that, and plain C kernels for them.
 */
#include "families.h"
#include "random.h"
#include "text_kernels.h"

#define ENTRIES(OP, NAME) TN_ENTRY_OP(NAME, &OP##_op), TN_ENTRY_KERNEL(NAME, &OP##_kernel),

#define KERNEL_ENTRY(KERNEL, NAME) TN_ENTRY_KERNEL(NAME, &KERNEL),

static const tn_entry entries[] = {OPERATOR_FAMILIES(ENTRIES) TEXT_KERNELS(KERNEL_ENTRY)};

TN_PLUGIN_WITH("ops-onnx", "0.1.0", "error/1,memory/1,tensor/1,graph/1,string/1,random/1",
               "parallel/1", random_init, random_fini, entries);
