/* An operator whose struct ends before what every operator must have. */
#include "sample.h"

static const tn_op op = {.struct_size = 8, .infer = tn_infer_elementwise};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("small", &op)};
TN_PLUGIN("small_struct", "1.0", entries);
