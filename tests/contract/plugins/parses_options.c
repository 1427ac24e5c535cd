/* Has the host parse options by a table, in init, and checks what comes back. */
#include "sample.h"

typedef struct options {
    const char *name;
    tn_ints sizes;
    int64_t count;
} options;

static const tn_attribute table[] = {
    TN_FIELD(options, name, STRING, "nobody", NULL, "A name."),
    TN_FIELD(options, sizes, INTS, "(1, 2)", "[0,9]", "Some sizes."),
    TN_FIELD(options, count, INT, NULL, "[1,inf)", "How many."),
};

static tn_status check(const tn_host *host, const tn_attrs_service *attrs) {
    options parsed;
    const tn_option given[] = {{"count", "3"}, {"sizes", "[4,5,6]"}};
    TN_TRY(
        attrs->parse(host, "zoo", table, 3, TN_ATTRIBUTE_STRIDE, given, 2, &parsed, sizeof parsed));
    const int good = strcmp(parsed.name, "nobody") == 0 && parsed.sizes.count == 3 &&
                     parsed.sizes.values[2] == 6 && parsed.count == 3;
    attrs->release(host, table, 3, TN_ATTRIBUTE_STRIDE, &parsed);
    return good && parsed.name == NULL ? TN_OK : TN_INTERNAL;
}

static tn_status init(tn_host *host) {
    const tn_attrs_service *attrs = TN_SERVICE(host, attrs);
    options parsed = {.count = 77};
    const tn_option bad[] = {{"count", "0"}};
    TN_TRY(check(host, attrs));
    const tn_status status =
        attrs->parse(host, "zoo", table, 3, TN_ATTRIBUTE_STRIDE, bad, 1, &parsed, sizeof parsed);
    return parsed.count == 77 ? status : TN_INTERNAL;
}

static const tn_entry entries[] = {TN_ENTRY_OP("parses_options", &sample_op)};
TN_PLUGIN_WITH("parses_options", "1.0", "attrs/1", "", init, NULL, entries);
