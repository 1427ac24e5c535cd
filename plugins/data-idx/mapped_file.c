#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mapped_file.h"

static tn_status system_failure(const tn_host *host, const char *what, const char *path) {
    const int code = errno;
    return tn_fail(host, code == ENOENT ? TN_NOT_FOUND : TN_IO, "cannot %s '%.300s': %s", what,
                   path, strerror(code));
}

static tn_status map_descriptor(const tn_host *host, const char *path, int descriptor,
                                struct mapped_file *out_file) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return system_failure(host, "look at", path);
    }
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        return tn_fail(host, TN_CORRUPT, "'%.300s' is empty or no file", path);
    }
    const size_t size = (size_t)status.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
        return system_failure(host, "read", path);
    }
    *out_file = (struct mapped_file){data, size};
    return TN_OK;
}

tn_status mapped_file_open(const tn_host *host, const char *path, struct mapped_file *out_file) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return system_failure(host, "open", path);
    }
    const tn_status status = map_descriptor(host, path, descriptor, out_file);
    close(descriptor);
    return status;
}

void mapped_file_close(struct mapped_file *file) {
    munmap((void *)(uintptr_t)file->data, file->size);
    file->data = NULL;
}
