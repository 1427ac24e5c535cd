#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 4096 };

static _Thread_local char message[MESSAGE_SIZE];

const char *tn_error_message(void) {
    return message;
}

void tni_error_clear(void) {
    message[0] = '\0';
}

void tni_error_set(const char *format, ...) {
    /* Through a second buffer: an argument may be the present message. */
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof message);
}

tn_status tni_in(tn_status status, const char *format, ...) {
    if (status == TN_OK) {
        return status;
    }
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t used = strlen(text);
    if (used + 2 < sizeof text) {
        memcpy(text + used, ": ", 3);
        strncat(text, message, sizeof text - used - 3);
    }
    memcpy(message, text, sizeof message);
    return status;
}

tn_status tni_error_complete(tn_status status) {
    if (status != TN_OK && message[0] == '\0') {
        return tni_fail(status, "%s", tn_status_sentence(status));
    }
    return status;
}

tn_status tni_fail_memory(uint64_t size) {
    return tni_fail(TN_OUT_OF_MEMORY, "out of memory: %llu bytes could not be had",
                    (unsigned long long)size);
}
