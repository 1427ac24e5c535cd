#include "text_buffer.h"

static int reserve(struct text_buffer *text, size_t more) {
    if (text->has_failed || more > SIZE_MAX / 4 - text->size) {
        text->has_failed = 1;
        return 0;
    }
    if (text->size + more + 1 <= text->capacity) {
        return 1;
    }
    const size_t capacity = 2 * (text->size + more) + 256;
    char *data = TN_SERVICE(text->host, memory)->allocate(text->host, capacity);
    if (data == NULL) {
        text->has_failed = 1;
        return 0;
    }
    if (text->size > 0) {
        memcpy(data, text->data, text->size);
    }
    data[text->size] = '\0';
    TN_SERVICE(text->host, memory)->free(text->host, text->data);
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void text_add(struct text_buffer *text, const char *format, ...) {
    char piece[128];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size < sizeof piece && reserve(text, (size_t)size)) {
        memcpy(text->data + text->size, piece, (size_t)size + 1);
        text->size += (size_t)size;
    }
}

void text_add_string(struct text_buffer *text, const char *string) {
    const size_t size = strlen(string);
    if (size > SIZE_MAX / 16 || !reserve(text, 6 * size + 2)) {
        text->has_failed = 1;
        return;
    }
    char *at = text->data + text->size;
    *at++ = '"';
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)string[i];
        if (c < 0x20) {
            at += snprintf(at, 7, "\\u%04x", c);
        } else {
            if (c == '"' || c == '\\') {
                *at++ = '\\';
            }
            *at++ = (char)c;
        }
    }
    *at++ = '"';
    *at = '\0';
    text->size = (size_t)(at - text->data);
}
