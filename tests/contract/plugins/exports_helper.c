/* Two plugins are made of this file. Each exports a function `helper` of its own, and must call
 * that one, not the other's. */
#include "sample.h"

TN_EXPORT int64_t helper(void);
int64_t helper(void) {
    return WHICH;
}

static int64_t call_helper(void) {
    return helper();
}

static const tn_function function = {
    .struct_size = TN_FUNCTION_SIZE, .signature = "i64()", .address = (void (*)(void))call_helper};
static const tn_entry entries[] = {TN_ENTRY_FUNCTION("call_helper_" TN_TEXT(WHICH), &function),
                                   TN_ENTRY_OP("helper_" TN_TEXT(WHICH), &sample_op)};
TN_PLUGIN("helper_" TN_TEXT(WHICH), "1.0", entries);
