/* Its constructor gives the operator another name than the file says. */
#include "sample.h"

static tn_entry entries[] = {TN_ENTRY_OP("promised", &sample_op)};

__attribute__((constructor)) static void rename_entry(void) {
    entries[0].name = "delivered";
}

TN_PLUGIN("renames_entry", "1.0", entries);
