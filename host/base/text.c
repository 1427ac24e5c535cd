#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool make_room(tni_text *text, size_t more) {
    if (text->failed) {
        return false;
    }
    if (text->capacity - text->size > more) {
        return true;
    }
    const size_t capacity = (text->size + more + 1) * 2;
    char *data = realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void tni_text_add_bytes(tni_text *text, const char *bytes, size_t size) {
    if (make_room(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
        text->data[text->size] = '\0';
    }
}

void tni_text_add(tni_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, arguments);
    if (size >= 0 && make_room(text, (size_t)size)) {
        vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
    va_end(arguments);
}

tn_status tni_text_status(const tni_text *text) {
    return text->failed ? tni_fail_memory(text->capacity) : TN_OK;
}

const char *tni_text_get(const tni_text *text) {
    return text->data == NULL ? "" : text->data;
}

void tni_text_finish(tni_text *text) {
    free(text->data);
    *text = (tni_text){0};
}

/* How many bytes the character at `bytes` has, 0 when it is none. What begins with 0xe0 or 0xf0
 * must not be shorter, and surrogates and what is beyond Unicode are no characters. */
static size_t character_size(const unsigned char *bytes) {
    const unsigned char first = bytes[0];
    if (first < 0x80) {
        return 1;
    }
    const size_t size = first >= 0xc2 && first <= 0xdf   ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < size; i++) {
        if (bytes[i] < (i == 1 ? low : 0x80) || bytes[i] > (i == 1 ? high : 0xbf)) {
            return 0;
        }
    }
    return size;
}

bool tni_is_utf8(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        const size_t size = character_size(at);
        if (size == 0) {
            return false;
        }
        at += size;
    }
    return true;
}
