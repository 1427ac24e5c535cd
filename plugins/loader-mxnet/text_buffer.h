/* A text that grows. */
#ifndef LOADER_MXNET_TEXT_BUFFER_H
#define LOADER_MXNET_TEXT_BUFFER_H

#include <tenon/plugin.h>

struct text_buffer {
    const tn_host *host;
    char *data; /* NUL-terminated */
    size_t size, capacity;
    int has_failed; /* there was no memory at some point */
};

__attribute__((format(printf, 2, 3))) void text_add(struct text_buffer *text, const char *format,
                                                    ...);
/* A JSON string with its quotes. */
void text_add_string(struct text_buffer *text, const char *string);

#endif
