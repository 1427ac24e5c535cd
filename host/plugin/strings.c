#include "plugin/strings.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"

struct tni_strings {
    pthread_mutex_t lock;
    tni_map texts; /* a value is the element: a copy of its key */
};

tn_status tni_strings_create(tni_strings **out_strings) {
    tni_strings *strings = tni_allocate(1, sizeof *strings);
    if (strings == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&strings->lock, NULL);
    *out_strings = strings;
    return TN_OK;
}

void tni_strings_destroy(tni_strings *strings) {
    if (strings != NULL) {
        tni_map_finish(&strings->texts, tni_free);
        pthread_mutex_destroy(&strings->lock);
        tni_free(strings);
    }
}

/* Finds the text, or takes `copy` for it. */
static tn_status find_or_add(tni_strings *strings, char *copy, const char **out_string) {
    void *found = tni_map_find(&strings->texts, copy);
    if (found != NULL) {
        tni_free(copy);
        *out_string = found;
        return TN_OK;
    }
    const tn_status status = tni_map_set(&strings->texts, copy, copy);
    if (status != TN_OK) {
        tni_free(copy);
        return status;
    }
    *out_string = copy;
    return TN_OK;
}

tn_status tni_strings_intern(tni_strings *strings, const void *bytes, uint64_t size,
                             const char **out_string) {
    *out_string = NULL;
    if (size == 0) {
        return TN_OK;
    }
    if (bytes == NULL || memchr(bytes, 0, size) != NULL) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "a string element has a byte 0: expected text without any");
    }
    char *copy = tni_allocate(size + 1, 1);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(copy, bytes, size);
    pthread_mutex_lock(&strings->lock);
    const tn_status status = find_or_add(strings, copy, out_string);
    pthread_mutex_unlock(&strings->lock);
    return status;
}
