#include "plugin/signature.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "plugin/names.h"

static const char *const type_names[TNI_VALUE_COUNT] = {
    "void", "i8",  "i16", "i32", "i64",  "u8",   "u16",
    "u32",  "u64", "f32", "f64", "text", "view", "pointer",
};

const char *tni_value_type_text(tni_value_type type) {
    return type_names[type];
}

/* Reads one type and moves the cursor behind it. */
static bool read_type(const char **cursor, tni_value_type *out) {
    const size_t size = strcspn(*cursor, "(),");
    for (int type = 0; type < TNI_VALUE_COUNT; type++) {
        if (strlen(type_names[type]) == size && memcmp(type_names[type], *cursor, size) == 0) {
            *out = (tni_value_type)type;
            *cursor += size;
            return true;
        }
    }
    return false;
}

static tn_status malformed(const char *text, const char *cursor, const char *expected) {
    return tni_fail(TN_INVALID_ARGUMENT, "signature '%s': %s is expected at '%s'", text, expected,
                    cursor);
}

static tn_status read_arguments(const char *text, const char *cursor, tni_signature *signature) {
    while (*cursor != ')') {
        if (signature->argument_count == TNI_MAX_ARGUMENTS) {
            return tni_fail(TN_INVALID_ARGUMENT, "signature '%s': more than %d arguments", text,
                            TNI_MAX_ARGUMENTS);
        }
        tni_value_type type;
        const char *at = cursor;
        if (!read_type(&cursor, &type) || type == TNI_VALUE_VOID) {
            return malformed(text, at, "the type of an argument");
        }
        signature->arguments[signature->argument_count++] = type;
        if (*cursor == ',' && cursor[1] != ')') {
            cursor++;
        } else if (*cursor != ')') {
            return malformed(text, cursor, "',' or ')'");
        }
    }
    return cursor[1] == '\0' ? TN_OK : malformed(text, cursor + 1, "the end");
}

tn_status tni_signature_parse(const char *text, tni_signature *out_signature) {
    if (!tni_text_is_printable(text, TNI_MAX_NAME)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "a signature is a text of at most %d printable characters", TNI_MAX_NAME);
    }
    tni_signature signature = {0};
    const char *cursor = text;
    if (!read_type(&cursor, &signature.result)) {
        return malformed(text, text, "the type of the result");
    }
    if (*cursor != '(') {
        return malformed(text, cursor, "'('");
    }
    TNI_TRY(read_arguments(text, cursor + 1, &signature));
    *out_signature = signature;
    return TN_OK;
}
