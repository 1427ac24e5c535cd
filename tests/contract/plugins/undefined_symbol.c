/* Calls what nobody defines. */
#include "sample.h"

void nobody_defines_this(void);

static tn_status init(tn_host *host) {
    (void)host;
    nobody_defines_this();
    return TN_OK;
}

static const tn_entry entries[] = {TN_ENTRY_OP("undefined_symbol", &sample_op)};
TN_PLUGIN_WITH("undefined_symbol", "1.0", "", "", init, NULL, entries);
