/* A device backend that runs device code and does not say what it can do. */
#include "sample.h"

static tn_status never_called(const tn_host *host, uint32_t *out_count) {
    (void)host;
    (void)out_count;
    return TN_INTERNAL;
}

static tn_device_backend backend = {.struct_size = TN_DEVICE_BACKEND_SIZE, .count = never_called};

static void fill_between(size_t first, size_t end) {
    for (size_t place = first; place < end; place += sizeof backend.count) {
        memcpy((char *)&backend + place, &backend.count, sizeof backend.count);
    }
}

__attribute__((constructor)) static void fill(void) {
    fill_between(offsetof(tn_device_backend, info), offsetof(tn_device_backend, parallel_for));
    fill_between(offsetof(tn_device_backend, create_module),
                 offsetof(tn_device_backend, begin_recording));
}

static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_DEVICE("mute", &backend)};
TN_PLUGIN("no_limits", "1.0", entries);
