/* The devices that are open, and how a name leads to one. */
#ifndef TENON_DEVICE_DEVICE_TABLE_H
#define TENON_DEVICE_DEVICE_TABLE_H

#include "base/map.h"
#include "device/device.h"
#include "plugin/runtime.h"

struct tni_device_table {
    pthread_mutex_t lock; /* of everything but `cpu` */
    tn_device *open;
    /* Structs of closed devices, for the next one. They are not freed before the table is, so that
     * a thread that has just read `cpu` may still look at `users`. */
    tn_device *spare;
    _Atomic(tn_device *) cpu; /* the open device that runs host loops, or NULL */
    tni_map reasons;          /* by backend: why it cannot work here, as last asked */
};

/* The runtime's table, made when it is first asked for. NULL with an error text without memory. */
struct tni_device_table *tni_device_table_of(tn_runtime *runtime);

/* One device of a backend. */
typedef struct tni_device_place {
    const tni_entry *entry; /* borrowed, without a lease */
    uint32_t index;
} tni_device_place;

/* The place that a name means: "cpu", "vulkan:1", "vulkan:discrete", "vulkan:NAME",
 * "vulkan:UUID". */
tn_status tni_device_find(tn_runtime *runtime, const char *name, tni_device_place *out_place);

/* What the backend says of the device. Texts are never NULL. */
tn_status tni_device_info(tni_device_place place, tn_device_info *out_info);

/* How many devices a backend has. */
tn_status tni_device_count(const tni_entry *entry, uint32_t *out_count);

/* Opens a device, or gives it once more. The way to a backend without a registry, for tests. */
tn_status tni_device_open_place(tn_runtime *runtime, tni_device_place place,
                                tn_device **out_device);

/* True and one more user, unless the device has none and is about to be closed. */
bool tni_device_try_retain(tn_device *device);

/* Ends an open device whose users are gone, and gives back its lease. */
void tni_device_end(tn_device *device);

/* Frees the modules that kernels left in the device's cache. */
void tni_device_end_modules(tn_device *device);

/* Copies what both sides know of a struct that begins with its struct_size; what only the caller
 * knows becomes zero. */
tn_status tni_give_struct(void *out, const void *known, uint32_t known_size);

#endif
