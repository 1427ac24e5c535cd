/* Finds a function of the plugin "functions" in its init, and fails when it is not as expected. */
#include "sample.h"

static tn_status init(tn_host *host) {
    const tn_function_service *functions = TN_SERVICE(host, function);
    void (*found)(void) = NULL;
    if (functions->find(host, "add", "f64(f32,f64)", &found) != TN_INVALID_ARGUMENT ||
        functions->find(host, "no_such", "void()", &found) != TN_NOT_FOUND || found != NULL) {
        return TN_INTERNAL;
    }
    TN_TRY(functions->find(host, "add", "f64(f64,f64)", &found));
    return ((double (*)(double, double))found)(2, 3) == 5 ? TN_OK : TN_INTERNAL;
}

static const tn_entry entries[] = {TN_ENTRY_OP("uses_function", &sample_op)};
TN_PLUGIN_WITH("uses_function", "1.0", "function/1", "", init, NULL, entries);
