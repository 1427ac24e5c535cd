/* Looks up a function of its own in its init, when it does not offer it yet. */
#include "sample.h"

static int32_t one(void) {
    return 1;
}

static tn_status init(tn_host *host) {
    const tn_function_service *functions = TN_SERVICE(host, function);
    void (*found)(void) = NULL;
    return functions->find(host, "one", "i32()", &found) == TN_NOT_FOUND ? TN_OK : TN_INTERNAL;
}

static const tn_function function = {
    .struct_size = TN_FUNCTION_SIZE, .signature = "i32()", .address = (void (*)(void))one};
static const tn_entry entries[] = {TN_ENTRY_FUNCTION("one", &function)};
TN_PLUGIN_WITH("looks_up_itself", "1.0", "function/1", "", init, NULL, entries);
