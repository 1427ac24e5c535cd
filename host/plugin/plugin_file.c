#include "plugin/plugin_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/cpu_variant.h"
#include "plugin/elf_note.h"
#include "plugin/trust.h"

enum { FIRST_READ = 4096, MAX_EXTENT = 16 << 20 };

static tn_status system_failure(const char *what) {
    const int error = errno;
    char text[128];
    const tn_status status = error == ENOENT || error == ENOTDIR ? TN_NOT_FOUND : TN_IO;
    return tni_fail(status, "%s: %s", what, strerror_r(error, text, sizeof text));
}

/* The path is resolved after the file was opened: it must still lead to the same file. */
static tn_status resolve(const char *path, tni_plugin_file *file) {
    file->real_path = realpath(path, NULL);
    if (file->real_path == NULL) {
        return system_failure("its path cannot be resolved");
    }
    struct stat status;
    if (stat(file->real_path, &status) != 0 || !tni_is_same_file(&status, &file->status)) {
        return tni_fail(TN_IO, "the file was replaced while it was looked at");
    }
    return TN_OK;
}

static tn_status examine(const char *path, tni_plugin_file *file) {
    if (fstat(file->descriptor, &file->status) != 0) {
        return system_failure("it cannot be examined");
    }
    if (!S_ISREG(file->status.st_mode)) {
        return tni_fail(TN_CORRUPT, "not a plugin: not a regular file");
    }
    return resolve(path, file);
}

tn_status tni_plugin_file_open_exactly(const char *path, tni_plugin_file *out_file) {
    tni_plugin_file file = TNI_PLUGIN_FILE_NONE;
    /* Not blocking: the path may be that of a pipe. */
    file.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file.descriptor < 0) {
        return system_failure("it cannot be opened");
    }
    const tn_status status = examine(path, &file);
    if (status == TN_OK) {
        *out_file = file;
    } else {
        tni_plugin_file_close(&file);
    }
    return status;
}

tn_status tni_plugin_file_open(const char *path, tni_plugin_file *out_file) {
    char *variant;
    TNI_TRY(tni_cpu_variant(path, &variant));
    const tn_status status =
        tni_plugin_file_open_exactly(variant != NULL ? variant : path, out_file);
    tni_free(variant);
    return status;
}

void tni_plugin_file_close(tni_plugin_file *file) {
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    free(file->real_path);
    *file = TNI_PLUGIN_FILE_NONE;
}

/* Reads exactly `size` bytes. Reading, not mapping: a mapped file that somebody shortens raises a
 * signal. */
static tn_status read_start(const tni_plugin_file *file, void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        const ssize_t count =
            pread(file->descriptor, (char *)buffer + done, size - done, (off_t)done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return system_failure("it cannot be read");
        }
        if (count == 0) {
            return tni_fail(TN_IO, "the file was shortened while it was read");
        }
        done += (size_t)count;
    }
    return TN_OK;
}

/* The headers first; once they are there it is known how far the notes reach. */
static tn_status read_further(const tni_plugin_file *file, const void *start, size_t start_size,
                              tn_identity *out_identity) {
    const uint64_t file_size = (uint64_t)file->status.st_size;
    uint64_t size = start_size;
    uint64_t extent = tni_note_extent(start, start_size, file_size);
    void *bytes = NULL;
    tn_status status = TN_OK;
    while (status == TN_OK && extent > size && extent <= MAX_EXTENT) {
        tni_free(bytes);
        size = extent;
        bytes = tni_allocate(size, 1);
        status = bytes == NULL ? TN_OUT_OF_MEMORY : read_start(file, bytes, size);
        if (status == TN_OK) {
            extent = tni_note_extent(bytes, size, file_size);
        }
    }
    if (status == TN_OK) {
        status = tni_note_read(bytes != NULL ? bytes : start, size, file_size, out_identity);
    }
    tni_free(bytes);
    return status;
}

tn_status tni_plugin_file_identity(const tni_plugin_file *file, tn_identity *out_identity) {
    _Alignas(8) unsigned char start[FIRST_READ];
    const size_t size =
        file->status.st_size < FIRST_READ ? (size_t)file->status.st_size : FIRST_READ;
    TNI_TRY(read_start(file, start, size));
    return read_further(file, start, size, out_identity);
}
