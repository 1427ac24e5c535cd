#include "tensor/dataset_options.h"

#include <string.h>

#include "base/error.h"

/* Cuts the option at *cursor off behind its comma, takes the backslashes out in place, and moves
 * the cursor to the next option, or to NULL. */
static char *cut_option(char **cursor) {
    char *begin = *cursor;
    char *to = begin;
    for (char *from = begin;; from++) {
        if (*from == '\\' && (from[1] == ',' || from[1] == '\\')) {
            from++;
        } else if (*from == ',' || *from == '\0') {
            *cursor = *from == ',' ? from + 1 : NULL;
            *to = '\0';
            return begin;
        }
        *to++ = *from;
    }
}

static tn_status parse_option(char *text, tn_option *out) {
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "'%s' is no option: expected NAME=VALUE; write a comma inside a value as "
                        "'\\,'",
                        text);
    }
    *equals = '\0';
    *out = (tn_option){text, equals + 1};
    return TN_OK;
}

static uint32_t count_commas(const char *text) {
    uint32_t count = 0;
    for (; *text != '\0' && count < UINT32_MAX - 1; text++) {
        count += *text == ',';
    }
    return count;
}

tn_status tni_description_parse(const char *text, tni_arena *arena, tni_description *out) {
    char *copy = tni_arena_text(arena, text);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    char *colon = strchr(copy, ':');
    tni_description parsed = {.kind = copy};
    if (colon != NULL) {
        *colon = '\0';
    }
    if (copy[0] == '\0') {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "'%s' names no kind of data set: expected KIND:option=value,…", text);
    }
    if (colon != NULL && colon[1] != '\0') {
        tn_option *options =
            tni_arena_allocate(arena, count_commas(colon + 1) + 1, sizeof *options);
        if (options == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        char *cursor = colon + 1;
        while (cursor != NULL) {
            TNI_TRY(parse_option(cut_option(&cursor), &options[parsed.option_count]));
            parsed.option_count++;
        }
        parsed.options = options;
    }
    *out = parsed;
    return TN_OK;
}
