/* A loader that cannot take apart what it makes. */
#include "sample.h"

static int32_t recognise(const tn_host *host, const tn_foreign_file *file,
                         tn_foreign_identity *out_identity) {
    (void)host, (void)file, (void)out_identity;
    return 0;
}

static tn_status load(tn_foreign_call *call) {
    (void)call;
    return TN_UNSUPPORTED;
}

static const tn_loader loader = {
    .struct_size = TN_LOADER_SIZE, .doc = "Nothing.", .recognise = recognise, .load = load};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_LOADER("idle", &loader)};
TN_PLUGIN("missing_unload", "1.0", entries);
