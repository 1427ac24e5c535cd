/* Its constructor, which runs before anybody can ask it anything, crashes. */
#include "sample.h"

#include <stdlib.h>

__attribute__((constructor)) static void crash(void) {
    abort();
}

static const tn_entry entries[] = {TN_ENTRY_OP("crashes", &sample_op)};
TN_PLUGIN("crashes", "1.0", entries);
