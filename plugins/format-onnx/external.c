#include "external.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the bytes are. */
struct place {
    const char *location;
    uint64_t offset, length;
    int has_length;
};

static tn_status read_number(const tn_host *host, const char *path, const char *key,
                             const char *text, uint64_t *out_number) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number > INT64_MAX) {
        return tn_fail(host, TN_CORRUPT, "%s.external_data: %s is '%.60s', expected a number", path,
                       key, text);
    }
    *out_number = number;
    return TN_OK;
}

static tn_status read_place(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                            struct place *place) {
    *place = (struct place){0};
    for (size_t i = 0; i < proto->n_external_data; i++) {
        const Onnx__StringStringEntryProto *entry = proto->external_data[i];
        if (entry->key == NULL || entry->value == NULL) {
            return tn_fail(host, TN_CORRUPT, "%s.external_data[%zu]: expected a key and a value",
                           path, i);
        }
        if (strcmp(entry->key, "location") == 0) {
            place->location = entry->value;
        } else if (strcmp(entry->key, "offset") == 0) {
            TN_TRY(read_number(host, path, "offset", entry->value, &place->offset));
        } else if (strcmp(entry->key, "length") == 0) {
            TN_TRY(read_number(host, path, "length", entry->value, &place->length));
            place->has_length = 1;
        } /* a checksum and other keys are not read */
    }
    if (place->location == NULL || place->location[0] == '\0') {
        return tn_fail(host, TN_CORRUPT, "%s.external_data: has no location", path);
    }
    return TN_OK;
}

static tn_status refuse(const tn_host *host, const char *path, const char *location) {
    return tn_fail(host, TN_DENIED,
                   "%s.external_data: location '%.200s' leaves the model's folder: expected a "
                   "file in it or below it",
                   path, location);
}

/* No absolute path and no "..", before anything is looked up. */
static int stays_inside(const char *location) {
    if (location[0] == '/') {
        return 0;
    }
    for (const char *part = location; part != NULL;) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return 0;
        }
        part = strchr(part, '/');
        part = part != NULL ? part + 1 : NULL;
    }
    return 1;
}

/* The real path of the file, which lies below the model's real folder. */
static tn_status find_file(const tn_host *host, const char *path, const char *model_path,
                           const char *location, char *out_file) {
    char folder[PATH_MAX], wanted[PATH_MAX], real_folder[PATH_MAX];
    const char *slash = strrchr(model_path, '/');
    const int folder_size = slash == NULL ? 1 : (int)(slash - model_path) + 1;
    if (!stays_inside(location)) {
        return refuse(host, path, location);
    }
    const char *base = slash == NULL ? "." : model_path;
    if (snprintf(folder, sizeof folder, "%.*s", folder_size, base) >= (int)sizeof folder ||
        snprintf(wanted, sizeof wanted, "%.*s/%s", folder_size, base, location) >=
            (int)sizeof wanted) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s.external_data: the path is too long", path);
    }
    if (realpath(folder, real_folder) == NULL || realpath(wanted, out_file) == NULL) {
        return tn_fail(host, errno == ENOENT ? TN_NOT_FOUND : TN_IO,
                       "%s.external_data: '%.200s' beside the model: %s", path, location,
                       strerror(errno));
    }
    const size_t size = strlen(real_folder);
    const int is_root = strcmp(real_folder, "/") == 0;
    if (!is_root && (strncmp(out_file, real_folder, size) != 0 || out_file[size] != '/')) {
        return refuse(host, path, location);
    }
    return TN_OK;
}

static tn_status check_file(const tn_host *host, int file, const char *path,
                            const struct place *place, uint64_t size) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return tn_fail(host, TN_IO, "%s.external_data: '%.200s' is no regular file", path,
                       place->location);
    }
    const uint64_t file_size = (uint64_t)status.st_size;
    if (place->has_length && place->length != size) {
        return tn_fail(host, TN_CORRUPT,
                       "%s.external_data: length is %llu, but the shape asks for %llu bytes", path,
                       (unsigned long long)place->length, (unsigned long long)size);
    }
    if (place->offset > file_size || size > file_size - place->offset) {
        return tn_fail(host, TN_CORRUPT,
                       "%s.external_data: %llu bytes at %llu, but '%.200s' has only %llu", path,
                       (unsigned long long)size, (unsigned long long)place->offset, place->location,
                       (unsigned long long)file_size);
    }
    return TN_OK;
}

tn_status external_open(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                        const char *model_path, uint64_t size, struct external_file *out_file) {
    struct place place;
    char name[PATH_MAX];
    if (model_path == NULL) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "%s.external_data: the model comes from memory, so no file lies beside it",
                       path);
    }
    TN_TRY(read_place(host, proto, path, &place));
    TN_TRY(find_file(host, path, model_path, place.location, name));
    const int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        return tn_fail(host, TN_IO, "%s.external_data: '%.200s': %s", path, place.location,
                       strerror(errno));
    }
    tn_status status = check_file(host, file, path, &place, size);
    if (status == TN_OK) {
        status = TN_SERVICE(host, tensor)->map_file(host, file, place.location, &out_file->source);
    }
    close(file);
    TN_TRY(status);
    if (place.offset > out_file->source.size || size > out_file->source.size - place.offset) {
        external_close(host, out_file); /* shortened since it was looked at */
        return tn_fail(host, TN_IO, "%s.external_data: '%.200s' is shortened meanwhile", path,
                       place.location);
    }
    out_file->bytes = (const char *)out_file->source.data + place.offset;
    return TN_OK;
}

void external_close(const tn_host *host, struct external_file *file) {
    TN_SERVICE(host, tensor)->unmap_file(host, &file->source);
}
