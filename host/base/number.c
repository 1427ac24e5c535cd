#include "base/number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool tni_read_integer(const char **cursor, int64_t *out) {
    const char *at = *cursor;
    const bool negative = *at == '-';
    if (*at == '-' || *at == '+') {
        at++;
    }
    if (!isdigit((unsigned char)*at)) {
        return false;
    }
    int64_t value = 0;
    for (; isdigit((unsigned char)*at); at++) {
        const int64_t digit = *at - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) {
            return false; /* summed on the negative side, which holds INT64_MIN too */
        }
    }
    if (!negative && value == INT64_MIN) {
        return false;
    }
    *out = negative ? value : -value;
    *cursor = at;
    return true;
}

static bool read_word(const char **cursor, const char *word, double value, double *out) {
    const size_t size = strlen(word);
    if (strncasecmp(*cursor, word, size) != 0) {
        return false;
    }
    *cursor += size;
    *out = value;
    return true;
}

/* The run of characters that a decimal number can be made of, and no more: strtod knows hexadecimal
 * and the locale's decimal point, which no model file means. */
static size_t number_size(const char *text) {
    size_t size = strspn(text, "+-");
    const size_t digits = strspn(text + size, "0123456789.");
    if (digits == 0) {
        return 0;
    }
    size += digits;
    if (text[size] == 'e' || text[size] == 'E') {
        const size_t sign = text[size + 1] == '+' || text[size + 1] == '-' ? 1 : 0;
        const size_t exponent = strspn(text + size + 1 + sign, "0123456789");
        size += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return size;
}

bool tni_read_float(const char **cursor, double *out) {
    const char *at = *cursor;
    const double sign = *at == '-' ? -1.0 : 1.0;
    const char *unsigned_part = at + (*at == '-' || *at == '+');
    if (read_word(&unsigned_part, "infinity", sign * (double)INFINITY, out) ||
        read_word(&unsigned_part, "inf", sign * (double)INFINITY, out) ||
        read_word(&unsigned_part, "nan", (double)NAN, out)) {
        *cursor = unsigned_part;
        return true;
    }
    const size_t size = number_size(at);
    char copy[512];
    if (size == 0 || size >= sizeof copy) {
        return false;
    }
    memcpy(copy, at, size);
    copy[size] = '\0';
    char *point = strchr(copy, '.');
    if (point != NULL && localeconv()->decimal_point[1] == '\0') {
        *point = localeconv()->decimal_point[0];
    }
    char *end;
    const double value = strtod(copy, &end);
    if (end != copy + size || isinf(value)) {
        return false;
    }
    *out = value;
    *cursor = at + size;
    return true;
}
