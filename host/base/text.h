/* A text that grows: for JSON, lists of reasons, listings. */
#ifndef TENON_BASE_TEXT_H
#define TENON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <tenon/api.h>

typedef struct tni_text {
    char *data; /* NUL-terminated once anything was added */
    size_t size;
    size_t capacity;
    bool failed; /* out of memory at some point: the text is not whole */
} tni_text;

__attribute__((format(printf, 2, 3))) void tni_text_add(tni_text *text, const char *format, ...);
void tni_text_add_bytes(tni_text *text, const char *bytes, size_t size);

/* TN_OUT_OF_MEMORY when any addition failed. */
tn_status tni_text_status(const tni_text *text);

/* The text, never NULL. */
const char *tni_text_get(const tni_text *text);

void tni_text_finish(tni_text *text);

/* Whether a text is UTF-8, as JSON must be. */
bool tni_is_utf8(const char *text);

#endif
