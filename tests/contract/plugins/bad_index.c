/* An operator that changes an input which it does not have. */
#include "sample.h"

static const uint32_t mutated[] = {0, 3};
static const tn_op op = {.struct_size = TN_OP_SIZE,
                         .input_names = sample_inputs,
                         .input_name_count = 1,
                         .mutated_inputs = mutated,
                         .mutated_input_count = 2,
                         .infer = tn_infer_elementwise};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("index", &op)};
TN_PLUGIN("bad_index", "1.0", entries);
