#include "operator.h"

const char *const data_name[1] = {"data"};
const char *const output_name[1] = {"output"};
const tn_in_place first_to_first[1] = {{0, 0}};

tn_status copy_first_input(const tn_run_call *call) {
    const uint64_t size = tn_byte_size(call->outputs[0]);
    if (size > 0) {
        memmove(tn_data(call->outputs[0]), tn_data(call->inputs[0]), size);
    }
    return TN_OK;
}
