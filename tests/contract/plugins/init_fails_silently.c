/* Its init fails with a number that is no status. */
#include "sample.h"

static tn_status init(tn_host *host) {
    (void)host;
    return -1;
}

static const tn_entry entries[] = {TN_ENTRY_OP("init_fails_silently", &sample_op)};
TN_PLUGIN_WITH("init_fails_silently", "1.0", "", "", init, NULL, entries);
