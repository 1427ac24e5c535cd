/* Counted memory behind tensors. */
#include "tensor/tensor.h"

#include "base/error.h"
#include "base/memory.h"

/* The struct and its bytes are one allocation; the bytes begin at the next cache line. */
enum { HEADER_SIZE = 64 };

_Static_assert(sizeof(tni_storage) <= HEADER_SIZE, "the elements must keep their alignment");

static void init(tni_storage *storage, void *buffer, uint64_t size) {
    *storage = (tni_storage){
        .host_addressable = 1,
        .device_id = {TN_DEVICE_TYPE_CPU, 0},
        .buffer = buffer,
        .size = size,
    };
    atomic_init(&storage->references, 1);
}

tn_status tni_storage_create(uint64_t size, tni_storage **out_storage) {
    uint64_t total;
    if (!tni_add(size, HEADER_SIZE, &total)) {
        return tni_fail_memory(size);
    }
    tni_storage *storage = tni_allocate_aligned(total);
    if (storage == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    init(storage, (char *)storage + HEADER_SIZE, size);
    *out_storage = storage;
    return TN_OK;
}

tn_status tni_storage_wrap(void *buffer, uint64_t size, void (*release)(void *context),
                           void *context, tni_storage **out_storage) {
    tni_storage *storage = tni_allocate(1, sizeof *storage);
    if (storage == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    init(storage, buffer, size);
    storage->release = release;
    storage->context = context;
    *out_storage = storage;
    return TN_OK;
}

void tni_storage_retain(tni_storage *storage) {
    atomic_fetch_add_explicit(&storage->references, 1, memory_order_relaxed);
}

void tni_storage_release(tni_storage *storage) {
    if (storage == NULL ||
        atomic_fetch_sub_explicit(&storage->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    tni_storage_link *link = atomic_load_explicit(&storage->link, memory_order_acquire);
    if (link != NULL) {
        link->end(link);
    }
    if (storage->release != NULL) {
        storage->release(storage->context);
    }
    tni_free(storage);
}
