/* Links a library that is not there. */
#include "sample.h"

int needed_library_value(void);

static tn_status init(tn_host *host) {
    (void)host;
    return needed_library_value() - 1;
}

static const tn_entry entries[] = {TN_ENTRY_OP("needs_library", &sample_op)};
TN_PLUGIN_WITH("needs_library", "1.0", "", "", init, NULL, entries);
