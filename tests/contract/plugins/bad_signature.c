/* A function whose signature names no type. */
#include "sample.h"

static double half(double x) {
    return x / 2;
}

static const tn_function function = {
    .struct_size = TN_FUNCTION_SIZE, .signature = "f64(double)", .address = (void (*)(void))half};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_FUNCTION("half", &function)};
TN_PLUGIN("bad_signature", "1.0", entries);
