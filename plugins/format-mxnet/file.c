#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file.h"

#define PARTIAL_ENDING ".partial"

static tn_status system_failure(const tn_host *host, const char *what, const char *path) {
    const int code = errno;
    return tn_fail(host, code == ENOENT ? TN_NOT_FOUND : TN_IO, "cannot %s '%.300s': %s", what,
                   path, strerror(code));
}

tn_status source_open(const tn_host *host, const char *path, tn_source *out_source) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return system_failure(host, "open", path);
    }
    const tn_status status = TN_SERVICE(host, tensor)->map_file(host, descriptor, path, out_source);
    close(descriptor);
    return status;
}

void source_close(const tn_host *host, tn_source *source) {
    TN_SERVICE(host, tensor)->unmap_file(host, source);
}

static tn_status write_bytes(void *context, const void *data, uint64_t size) {
    const struct output_file *file = context;
    if (fwrite(data, 1, size, file->stream) != size) {
        return system_failure(file->host, "write", file->path);
    }
    return TN_OK;
}

tn_status output_file_open(const tn_host *host, const char *path, struct output_file *out_file) {
    const size_t path_size = strlen(path) + sizeof PARTIAL_ENDING;
    void *partial_path;
    TN_TRY(tn_allocate(host, path_size, 1, &partial_path));
    snprintf(partial_path, path_size, "%s" PARTIAL_ENDING, path);
    FILE *stream = fopen(partial_path, "wb");
    if (stream == NULL) {
        const tn_status status = system_failure(host, "write", partial_path);
        tn_free(host, partial_path);
        return status;
    }
    *out_file = (struct output_file){
        .host = host, .path = path, .partial_path = partial_path, .stream = stream};
    out_file->sink = (tn_byte_sink){TN_STRUCT_END(tn_byte_sink, write), 0, out_file, write_bytes};
    return TN_OK;
}

tn_status output_file_close(struct output_file *file, tn_status status) {
    if (fclose(file->stream) != 0 && status == TN_OK) {
        status = system_failure(file->host, "write", file->path);
    }
    if (status == TN_OK && rename(file->partial_path, file->path) != 0) {
        status = system_failure(file->host, "write", file->path);
    }
    if (status != TN_OK) {
        unlink(file->partial_path);
    }
    tn_free(file->host, file->partial_path);
    return status;
}
