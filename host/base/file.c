#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static tn_status system_failure(const char *path, const char *what) {
    const int code = errno;
    char reason[128];
    const char *text = strerror_r(code, reason, sizeof reason);
    return tni_fail(code == ENOENT   ? TN_NOT_FOUND
                    : code == ENOMEM ? TN_OUT_OF_MEMORY
                                     : TN_IO,
                    "%s: %s: %s", path, what, text);
}

tn_status tni_map_descriptor(int descriptor, const char *path, tni_mapping *out_mapping) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return system_failure(path, "cannot be examined");
    }
    if (!S_ISREG(status.st_mode)) {
        return tni_fail(TN_IO, "%s: not a regular file", path);
    }
    if (status.st_size == 0) {
        *out_mapping = (tni_mapping){"", 0, NULL};
        return TN_OK;
    }
    const size_t size = (size_t)status.st_size;
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) {
        return system_failure(path, "cannot be mapped");
    }
    *out_mapping = (tni_mapping){address, size, address};
    return TN_OK;
}

tn_status tni_open_file(const char *path, int *out_descriptor) {
    *out_descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return *out_descriptor < 0 ? system_failure(path, "cannot be opened") : TN_OK;
}

tn_status tni_map_file(const char *path, tni_mapping *out_mapping) {
    int descriptor;
    TNI_TRY(tni_open_file(path, &descriptor));
    const tn_status status = tni_map_descriptor(descriptor, path, out_mapping);
    close(descriptor);
    return status;
}

void tni_unmap_file(tni_mapping *mapping) {
    if (mapping->address != NULL) {
        munmap(mapping->address, (size_t)mapping->size);
    }
    *mapping = (tni_mapping){"", 0, NULL};
}

tn_status tni_writer_open(tni_writer *writer, const char *path) {
    const size_t size = strlen(path) + sizeof ".XXXXXX";
    *writer = (tni_writer){tni_copy_text(path), tni_allocate(size, 1), -1};
    if (writer->path == NULL || writer->temporary == NULL) {
        tni_writer_finish(writer);
        return TN_OUT_OF_MEMORY;
    }
    snprintf(writer->temporary, size, "%s.XXXXXX", path);
    writer->descriptor = mkstemp(writer->temporary);
    if (writer->descriptor < 0) {
        const tn_status status = system_failure(path, "cannot be created");
        tni_writer_finish(writer);
        return status;
    }
    return TN_OK;
}

tn_status tni_writer_write(tni_writer *writer, const void *data, uint64_t size) {
    const char *bytes = data;
    while (size > 0) {
        const ssize_t written = write(writer->descriptor, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return system_failure(writer->path, "cannot be written");
        }
        bytes += written;
        size -= (uint64_t)written;
    }
    return TN_OK;
}

tn_status tni_writer_commit(tni_writer *writer) {
    /* mkstemp makes private files; a model is as readable as any other new file. Reading the mask
     * means setting it, which other threads would see: the usual mask is assumed. */
    if (fchmod(writer->descriptor, 0644) != 0 || rename(writer->temporary, writer->path) != 0) {
        return system_failure(writer->path, "cannot be put in place");
    }
    tni_free(writer->temporary);
    writer->temporary = NULL;
    return TN_OK;
}

void tni_writer_finish(tni_writer *writer) {
    if (writer->descriptor >= 0) {
        close(writer->descriptor);
        if (writer->temporary != NULL) {
            unlink(writer->temporary);
        }
    }
    tni_free(writer->path);
    tni_free(writer->temporary);
    *writer = (tni_writer){NULL, NULL, -1};
}

bool tni_ends_with_any(const char *text, const char *endings) {
    const size_t size = strlen(text);
    for (const char *word = endings; word != NULL && *word != '\0';) {
        const char *comma = strchr(word, ',');
        const size_t length = comma != NULL ? (size_t)(comma - word) : strlen(word);
        if (length > 0 && length <= size && memcmp(text + size - length, word, length) == 0) {
            return true;
        }
        word = comma != NULL ? comma + 1 : NULL;
    }
    return false;
}
