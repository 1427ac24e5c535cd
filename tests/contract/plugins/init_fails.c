/* Its init fails and says why. */
#include "sample.h"

static tn_status init(tn_host *host) {
    return tn_fail(host, TN_UNAVAILABLE, "no licence for the moon");
}

static const tn_entry entries[] = {TN_ENTRY_OP("init_fails", &sample_op)};
TN_PLUGIN_WITH("init_fails", "1.0", "error/1", "", init, NULL, entries);
