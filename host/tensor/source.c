#include "tensor/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "plugin/runtime.h"
#include "tensor/tensor.h"

/* Smaller tensors are copied: a page more or less is not worth keeping a whole file. */
enum { SMALLEST_IN_PLACE = 4096 };

/* The memory of one file, counted: the reading, and each tensor in it. */
struct tni_source_file {
    atomic_uint references;
    tni_mapping mapping; /* address NULL: `memory` is it */
    void *memory;
    uint64_t size;
    struct tni_source_file *next; /* in the runtime's list of those that are being read */
};

static const char *begin_of(const struct tni_source_file *file) {
    return file->memory != NULL ? file->memory : file->mapping.data;
}

static void release_file(void *context) {
    struct tni_source_file *file = context;
    if (atomic_fetch_sub_explicit(&file->references, 1, memory_order_acq_rel) == 1) {
        tni_unmap_file(&file->mapping);
        tni_free(file->memory);
        tni_free(file);
    }
}

static tn_status read_whole(int descriptor, const char *path, struct tni_source_file *file) {
    const off_t size = lseek(descriptor, 0, SEEK_END);
    if (size < 0) {
        return tni_fail(TN_IO, "%s: its size cannot be told", path);
    }
    file->size = (uint64_t)size;
    file->memory = tni_allocate_aligned(file->size + 1);
    if (file->memory == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint64_t done = 0; done < file->size;) {
        const ssize_t count =
            pread(descriptor, (char *)file->memory + done, file->size - done, (off_t)done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return tni_fail(TN_IO, "%s: %s", path,
                            count < 0 ? "it cannot be read" : "it was shortened while it was read");
        }
        done += (uint64_t)count;
    }
    return TN_OK;
}

static tn_status open_memory(const tn_runtime *runtime, int descriptor, const char *path,
                             struct tni_source_file *file) {
    TNI_TRY(tni_map_descriptor(descriptor, path, &file->mapping));
    file->size = file->mapping.size;
    if ((runtime->options.flags & TN_RUNTIME_READS_FILES) == 0) {
        return TN_OK;
    }
    tni_unmap_file(&file->mapping);
    return read_whole(descriptor, path, file);
}

tn_status tni_source_open_file(tn_runtime *runtime, int descriptor, const char *path,
                               tn_source *out_source) {
    struct tni_source_file *file = tni_allocate(1, sizeof *file);
    if (file == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    atomic_init(&file->references, 1);
    const tn_status status = open_memory(runtime, descriptor, path, file);
    if (status != TN_OK) {
        release_file(file);
        return status;
    }
    *out_source = (tn_source){.struct_size = TN_STRUCT_END(tn_source, internal),
                              .path = path,
                              .data = begin_of(file),
                              .size = file->size,
                              .internal = file};
    pthread_mutex_lock(&runtime->source_lock);
    file->next = runtime->sources;
    runtime->sources = file;
    pthread_mutex_unlock(&runtime->source_lock);
    return TN_OK;
}

tn_status tni_source_open(tn_runtime *runtime, const char *path, tn_source *out_source) {
    int descriptor;
    TNI_TRY(tni_open_file(path, &descriptor));
    const tn_status status = tni_source_open_file(runtime, descriptor, path, out_source);
    close(descriptor);
    return status;
}

void tni_source_close(tn_runtime *runtime, tn_source *source) {
    struct tni_source_file *file = source->internal;
    pthread_mutex_lock(&runtime->source_lock);
    struct tni_source_file **place = &runtime->sources;
    while (*place != file) {
        place = &(*place)->next;
    }
    *place = file->next;
    pthread_mutex_unlock(&runtime->source_lock);
    *source = (tn_source){0};
    release_file(file);
}

/* The file in which these bytes lie, with a count for the caller; NULL: in none that is read. */
static struct tni_source_file *acquire_file(tn_runtime *runtime, const char *bytes, uint64_t size) {
    pthread_mutex_lock(&runtime->source_lock);
    struct tni_source_file *file = runtime->sources;
    while (file != NULL && !(bytes >= begin_of(file) && bytes <= begin_of(file) + file->size &&
                             size <= (uint64_t)(begin_of(file) + file->size - bytes))) {
        file = file->next;
    }
    if (file != NULL) {
        atomic_fetch_add_explicit(&file->references, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&runtime->source_lock);
    return file;
}

static tn_status make_in_place(tn_runtime *runtime, struct tni_source_file *file, tn_dtype dtype,
                               int32_t rank, const int64_t *extents, const void *bytes,
                               uint64_t size, tn_tensor **out_tensor) {
    tni_storage *storage;
    TNI_TRY(tni_storage_wrap((void *)(uintptr_t)bytes, size, release_file, file, &storage));
    atomic_fetch_add_explicit(&file->references, 1, memory_order_relaxed);
    const tn_status status = tni_tensor_over(runtime, storage, 0, dtype, rank, extents, out_tensor);
    tni_storage_release(storage);
    return status;
}

/* Pages of the file that are not looked at again need not stay in memory beside the copy. */
static void forget(const struct tni_source_file *file, const char *bytes, uint64_t size) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)bytes + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)bytes + size) / page * page;
    if (file != NULL && file->mapping.address != NULL && begin < end) {
        madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
}

static tn_status make_copy(tn_runtime *runtime, const struct tni_source_file *file, tn_dtype dtype,
                           int32_t rank, const int64_t *extents, const void *bytes, uint64_t size,
                           tn_tensor **out_tensor) {
    TNI_TRY(tn_tensor_create(runtime, dtype, rank, extents, out_tensor));
    if (size > 0) {
        memcpy((*out_tensor)->view.data, bytes, size);
        forget(file, bytes, size);
    }
    return TN_OK;
}

tn_status tni_tensor_of_bytes(tn_runtime *runtime, tn_dtype dtype, int32_t rank,
                              const int64_t *extents, const void *bytes, tn_tensor **out_tensor) {
    uint64_t size;
    if (dtype == TN_STRING) {
        return tni_fail(TN_INVALID_ARGUMENT, "strings are not bytes of a file: intern each");
    }
    TNI_TRY(tni_tensor_size(dtype, rank, extents, &size));
    struct tni_source_file *file = acquire_file(runtime, bytes, size);
    const bool is_aligned = (uintptr_t)bytes % TN_DTYPE_SIZE(dtype) == 0;
    const tn_status status =
        file != NULL && is_aligned && size >= SMALLEST_IN_PLACE
            ? make_in_place(runtime, file, dtype, rank, extents, bytes, size, out_tensor)
            : make_copy(runtime, file, dtype, rank, extents, bytes, size, out_tensor);
    if (file != NULL) {
        release_file(file);
    }
    return status;
}
