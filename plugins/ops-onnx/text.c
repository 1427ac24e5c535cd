#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

tn_status set_text(const tn_host *host, const tn_view *view, int64_t index, const char *bytes,
                   uint64_t size) {
    const tn_string_service *strings = TN_SERVICE(host, string);
    return strings->intern(host, bytes, size, &((const char **)tn_data(view))[index]);
}

static int gives_back(const char *text, double value, int is_single) {
    return is_single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

void text_of_number(double value, int is_single, char *buffer, size_t size) {
    const double magnitude = fabs(value);
    int digits = 1;
    if (!isfinite(value)) {
        snprintf(buffer, size, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    do {
        snprintf(buffer, size, "%.*e", digits - 1, value);
    } while (!gives_back(buffer, value, is_single) && digits++ < 17);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
        return;
    }
    const int exponent = magnitude == 0 ? 0 : atoi(strchr(buffer, 'e') + 1);
    const int behind = digits - 1 - exponent;
    snprintf(buffer, size, "%.*f", behind > 1 ? behind : 1, value);
}
