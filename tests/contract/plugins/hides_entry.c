/* Its constructor fills in the name of its operator, so that the file alone does not tell it. */
#include "sample.h"

static tn_entry entries[] = {{TN_KIND_OP, NULL, TN_OP_VERSION, 0, &sample_op}};

__attribute__((constructor)) static void fill_in(void) {
    entries[0].name = "hidden";
}

TN_PLUGIN("hides_entry", "1.0", entries);
