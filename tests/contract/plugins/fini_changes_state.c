/* Its fini leaves the working directory. */
#include "sample.h"

#include <unistd.h>

static void fini(tn_host *host) {
    if (chdir("/") != 0) {
        tn_log(host, TN_LOG_ERROR, "the root directory is gone");
    }
}

static const tn_entry entries[] = {TN_ENTRY_OP("fini_changes_state", &sample_op)};
TN_PLUGIN_WITH("fini_changes_state", "1.0", "log/1", "", NULL, fini, entries);
