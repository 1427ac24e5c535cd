/* Logs a line in init and one in fini, and keeps a state of its own for each runtime. */
#include "sample.h"

static tn_status init(tn_host *host) {
    static int count;
    count++;
    host->plugin_state = &count;
    tn_log(host, TN_LOG_INFO, "init number %d in %s", count, host->name);
    return TN_OK;
}

static void fini(tn_host *host) {
    const int *count = (const int *)host->plugin_state;
    tn_log(host, 77, "fini, count %d", *count);
}

static const tn_entry entries[] = {TN_ENTRY_OP("logs_in_init", &sample_op)};
TN_PLUGIN_WITH("logs_in_init", "1.0", "log/1", "", init, fini, entries);
