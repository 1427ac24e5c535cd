/* Makes plugins of MXNet's extension libraries. */
#include "extension.h"
#include "recognise.h"

static tn_status init(tn_host *host) {
    struct random_states *states;
    TN_TRY(random_states_create(host, &states));
    host->plugin_state = states;
    return TN_OK;
}

static void fini(tn_host *host) {
    random_states_destroy(host, host->plugin_state);
}

static tn_status load(tn_foreign_call *call) {
    struct extension *extension;
    TN_TRY(extension_create(call, call->host->plugin_state, &extension));
    call->plugin = &extension->plugin;
    call->state = extension;
    return TN_OK;
}

static void unload(const tn_host *host, void *state) {
    (void)host;
    extension_destroy(state);
}

static const tn_loader loader = {
    .struct_size = TN_LOADER_SIZE,
    .doc = "Extension libraries of MXNet 1.7 to 2.0: operators, partitioners and graph passes.",
    .recognise = recognise_extension,
    .load = load,
    .unload = unload,
};

static const tn_entry entries[] = {TN_ENTRY_LOADER("mxnet", &loader)};
TN_PLUGIN_WITH("loader-mxnet", "0.1.0", "error/1,log/1,memory/1,graph/1,tensor/1,sparse/1,random/1",
               "", init, fini, entries);
