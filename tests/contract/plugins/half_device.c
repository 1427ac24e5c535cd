/* A device backend that can begin a recording and not end it. */
#include "sample.h"

static tn_status never_called(const tn_host *host, uint32_t *out_count) {
    (void)host;
    (void)out_count;
    return TN_INTERNAL;
}

static tn_device_backend backend = {.struct_size = TN_DEVICE_BACKEND_SIZE, .count = never_called};

/* Everything that is required is there, and then one thing of a group. */
__attribute__((constructor)) static void fill(void) {
    const size_t first = offsetof(tn_device_backend, count);
    for (size_t place = first; place < offsetof(tn_device_backend, parallel_for);
         place += sizeof backend.count) {
        memcpy((char *)&backend + place, (char *)&backend + first, sizeof backend.count);
    }
    memcpy(&backend.begin_recording, &backend.count, sizeof backend.count);
}

static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_DEVICE("half", &backend)};
TN_PLUGIN("half_device", "1.0", entries);
