#include "npy.h"
#include "npz.h"
#include "services.h"
#include "zip.h"

#define ARRAY_ENDING ".npy"

/* `name` has room for the entry's name and a zero byte. */
static void array_name(const struct zip_entry *entry, char *name) {
    const size_t ending = sizeof ARRAY_ENDING - 1;
    size_t length = entry->name_length;
    memcpy(name, entry->name, length);
    if (length > ending && memcmp(name + length - ending, ARRAY_ENDING, ending) == 0) {
        length -= ending;
    }
    name[length] = '\0';
}

static tn_status deliver(const tn_host *host, const struct zip_entry *entry, uint8_t *unpacked,
                         char *name, const tn_tensor_sink *sink) {
    TN_TRY(zip_unpack(host, entry, unpacked));
    array_name(entry, name);
    if (entry->size < NPY_MAGIC_SIZE || memcmp(unpacked, NPY_MAGIC, NPY_MAGIC_SIZE) != 0) {
        tn_log(host, TN_LOG_WARNING, "entry '%.200s' of the .npz file is no array", name);
        return TN_OK;
    }
    tn_tensor *tensor = NULL;
    TN_TRY(npy_read(host, unpacked, entry->size, &tensor));
    const tn_status status = sink->add(sink->context, name, tensor);
    tensor_service(host)->release(host, tensor);
    return status;
}

static tn_status read_entry(const tn_host *host, const struct zip_entry *entry,
                            const tn_tensor_sink *sink) {
    const tn_memory_service *memory = memory_service(host);
    uint8_t *unpacked = memory->allocate(host, (uint64_t)entry->size + entry->name_length + 1);
    if (unpacked == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the %u bytes of entry '%.*s'",
                       (unsigned)entry->size, (int)entry->name_length, entry->name);
    }
    const tn_status status = deliver(host, entry, unpacked, (char *)unpacked + entry->size, sink);
    memory->free(host, unpacked);
    return status;
}

tn_status npz_read(const tn_host *host, const uint8_t *data, uint64_t size,
                   const tn_tensor_sink *sink) {
    struct zip_archive archive;
    TN_TRY(zip_open(host, data, size, &archive));
    while (archive.entries_left > 0) {
        struct zip_entry entry;
        TN_TRY(zip_next(host, &archive, &entry));
        TN_TRY(read_entry(host, &entry, sink));
    }
    if (archive.next_header != archive.directory_end) {
        return tn_fail(host, TN_CORRUPT, "byte %llu: the zip directory has more than its entries",
                       (unsigned long long)archive.next_header);
    }
    return TN_OK;
}
