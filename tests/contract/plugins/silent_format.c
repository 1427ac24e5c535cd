/* A format that reads nothing and writes nothing. */
#include "sample.h"

static int32_t recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    (void)source;
    return 100;
}

static const tn_format format = {.struct_size = TN_FORMAT_SIZE, .recognise = recognise};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_FORMAT("silent", &format)};
TN_PLUGIN("silent_format", "1.0", entries);
