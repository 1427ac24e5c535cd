#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>

#include "companion.h"

#define PARAMS_ENDING ".params"

enum { LEAST_EPOCH_DIGITS = 4, MOST_EPOCH_DIGITS = 9 };

static int ends_with(const char *text, size_t length, const char *ending) {
    const size_t ending_length = strlen(ending);
    return length >= ending_length &&
           memcmp(text + length - ending_length, ending, ending_length) == 0;
}

/* The length of PREFIX in "PREFIX-symbol.json" or "PREFIX.json"; 0 when there is none. */
static size_t prefix_length(const char *symbol_path) {
    static const char *const endings[] = {"-symbol.json", ".json"};
    const size_t length = strlen(symbol_path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_with(symbol_path, length, endings[i])) {
            return length - strlen(endings[i]);
        }
    }
    return 0;
}

static tn_status epoch_path(const tn_host *host, const char *symbol_path, size_t prefix,
                            int64_t epoch, char *out_path) {
    const int length = snprintf(out_path, COMPANION_PATH_SIZE, "%.*s-%04lld" PARAMS_ENDING,
                                (int)prefix, symbol_path, (long long)epoch);
    if (length < 0 || length >= COMPANION_PATH_SIZE) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the path '%.80s…' is too long", symbol_path);
    }
    return TN_OK;
}

/* The epoch of a file "NAME-0012.params"; -1 for any other file. */
static int64_t epoch_of(const char *file, const char *name, size_t name_length) {
    const size_t length = strlen(file);
    if (length <= name_length || strncmp(file, name, name_length) != 0 ||
        file[name_length] != '-' || !ends_with(file, length, PARAMS_ENDING)) {
        return -1;
    }
    const char *digits = file + name_length + 1;
    const size_t digit_count = strspn(digits, "0123456789");
    if (digit_count < LEAST_EPOCH_DIGITS || digit_count > MOST_EPOCH_DIGITS ||
        strcmp(digits + digit_count, PARAMS_ENDING) != 0) {
        return -1;
    }
    int64_t epoch = 0;
    for (size_t i = 0; i < digit_count; i++) {
        epoch = epoch * 10 + (digits[i] - '0');
    }
    return epoch;
}

/* The highest epoch among the files beside the symbol, or -1. */
static tn_status highest_epoch(const tn_host *host, const char *symbol_path, size_t prefix,
                               int64_t *out_epoch) {
    char folder[COMPANION_PATH_SIZE];
    size_t folder_length = prefix;
    while (folder_length > 0 && symbol_path[folder_length - 1] != '/') {
        folder_length--;
    }
    if (folder_length == 0) {
        snprintf(folder, sizeof folder, ".");
    } else if (folder_length >= sizeof folder) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the path '%.80s…' is too long", symbol_path);
    } else {
        memcpy(folder, symbol_path, folder_length);
        folder[folder_length] = '\0';
    }
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return tn_fail(host, TN_IO, "cannot list '%.200s' to find parameters beside the symbol: %s",
                       folder, strerror(errno));
    }
    int64_t highest = -1;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const int64_t epoch =
            epoch_of(entry->d_name, symbol_path + folder_length, prefix - folder_length);
        highest = epoch > highest ? epoch : highest;
    }
    closedir(directory);
    *out_epoch = highest;
    return TN_OK;
}

static tn_status copy_path(const tn_host *host, const char *path, char *out_path) {
    const size_t size = strlen(path) + 1;
    if (size > COMPANION_PATH_SIZE) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the path '%.80s…' is too long", path);
    }
    memcpy(out_path, path, size);
    return TN_OK;
}

tn_status companion_find(const tn_host *host, const char *symbol_path,
                         const struct companion_choice *choice, char *out_path) {
    if (choice->path != NULL) {
        return copy_path(host, choice->path, out_path);
    }
    out_path[0] = '\0';
    const size_t prefix = symbol_path != NULL ? prefix_length(symbol_path) : 0;
    int64_t epoch = choice->epoch;
    if (prefix == 0) {
        if (epoch != TN_NONE) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "epoch %lld is asked for, but parameters have a place only beside a "
                           "file PREFIX-symbol.json; give the option params instead",
                           (long long)epoch);
        }
        return TN_OK;
    }
    if (epoch == TN_NONE) {
        TN_TRY(highest_epoch(host, symbol_path, prefix, &epoch));
        if (epoch < 0) {
            return TN_OK;
        }
    }
    return epoch_path(host, symbol_path, prefix, epoch, out_path);
}

tn_status companion_name(const tn_host *host, const char *symbol_path,
                         const struct companion_choice *choice, char *out_path) {
    const size_t prefix = prefix_length(symbol_path);
    if (prefix == 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "an MXNet symbol is written to PREFIX-symbol.json, not to '%.200s'",
                       symbol_path);
    }
    if (choice->path != NULL) {
        return copy_path(host, choice->path, out_path);
    }
    const int64_t epoch = choice->epoch == TN_NONE ? 0 : choice->epoch;
    return epoch_path(host, symbol_path, prefix, epoch, out_path);
}
