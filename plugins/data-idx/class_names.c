#include "class_names.h"

/* Ends each line with a zero byte and stores where it begins; the text ends with a zero byte. */
static tn_status split_lines(const tn_host *host, char *text, struct class_names *names) {
    while (*text != '\0') {
        const size_t length = strcspn(text, "\r\n");
        char *end = text + length;
        if (length == 0) {
            return tn_fail(host, TN_CORRUPT, "line %u of the class names is empty",
                           (unsigned)names->count + 1);
        }
        names->names[names->count++] = text;
        text = end + (end[0] == '\r' && end[1] == '\n' ? 2 : end[0] != '\0' ? 1 : 0);
        *end = '\0';
    }
    return TN_OK;
}

tn_status class_names_read(const tn_host *host, const void *data, uint64_t size,
                           struct class_names *out_names) {
    const char *text = data;
    uint64_t most = 1; /* the last line need not end */
    for (uint64_t i = 0; i < size; i++) {
        most += text[i] == '\n' || text[i] == '\r';
        if (text[i] == '\0') {
            return tn_fail(host, TN_CORRUPT, "byte %llu of the class names is zero",
                           (unsigned long long)i);
        }
    }
    if (most > UINT32_MAX) {
        return tn_fail(host, TN_CORRUPT, "%llu class names are too many", (unsigned long long)most);
    }
    void *memory = TN_SERVICE(host, memory)->allocate(host, most * sizeof(char *) + size + 1);
    if (memory == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the class names");
    }
    struct class_names names = {memory, 0};
    char *copy = (char *)(names.names + most);
    memcpy(copy, text, size);
    copy[size] = '\0';
    const tn_status status = split_lines(host, copy, &names);
    if (status != TN_OK) {
        class_names_finish(host, &names);
        return status;
    }
    *out_names = names;
    return TN_OK;
}

void class_names_finish(const tn_host *host, struct class_names *names) {
    TN_SERVICE(host, memory)->free(host, names->names);
    names->names = NULL;
}
