/* Its init changes what belongs to the whole process; which thing, the build says. */
#include "sample.h"

#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static tn_status init(tn_host *host) {
    (void)host;
    CHANGE;
    return TN_OK;
}

static const tn_entry entries[] = {TN_ENTRY_OP("changes_state", &sample_op)};
TN_PLUGIN_WITH("changes_state", "1.0", "", "", init, NULL, entries);
