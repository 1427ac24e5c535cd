#include "plugin/names.h"

#include <string.h>

/* Not isalnum: the answer must not depend on the locale of the process. */
static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

bool tni_name_is_valid(const char *name, size_t limit) {
    if (name == NULL || name[0] == '\0') {
        return false;
    }
    for (size_t i = 0; i <= limit; i++) {
        if (name[i] == '\0') {
            return true;
        }
        if (!is_name_character(name[i])) {
            return false;
        }
    }
    return false;
}

bool tni_text_is_printable(const char *text, size_t limit) {
    if (text == NULL) {
        return false;
    }
    for (size_t i = 0; i <= limit; i++) {
        if (text[i] == '\0') {
            return true;
        }
        if (text[i] < 0x20 || text[i] > 0x7e) {
            return false;
        }
    }
    return false;
}

/* A decimal number of one to nine digits without leading zeros, at least 1; 0 for anything else. */
static unsigned parse_version(const char *text, size_t size) {
    if (size == 0 || size > 9 || text[0] == '0') {
        return 0;
    }
    unsigned version = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return 0;
        }
        version = version * 10 + (unsigned)(text[i] - '0');
    }
    return version;
}

int tni_service_list_next(const char **cursor, char name[64], unsigned *out_version) {
    if (**cursor == '\0') {
        return 0;
    }
    const char *item = *cursor;
    const size_t size = strcspn(item, ",");
    const char *slash = memchr(item, '/', size);
    if (slash == NULL || slash == item || slash - item > 63) {
        return -1;
    }
    const size_t name_size = (size_t)(slash - item);
    memcpy(name, item, name_size);
    name[name_size] = '\0';
    const unsigned version = parse_version(slash + 1, size - name_size - 1);
    /* A ',' at the very end would promise an item that is not there. */
    const bool dangling = item[size] == ',' && item[size + 1] == '\0';
    if (!tni_name_is_valid(name, 63) || version == 0 || dangling) {
        return -1;
    }
    *out_version = version;
    *cursor = item + size + (item[size] == ',' ? 1 : 0);
    return 1;
}
