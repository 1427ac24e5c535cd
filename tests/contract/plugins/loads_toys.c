/*
 * A loader of libraries that define `toy` (foreign_toy.c). What is wrong with one is said by
 * further symbols, and the loader then does what a loader must not.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "sample.h"

typedef struct toy {
    tn_plugin plugin;
    tn_entry entry;
    const tn_foreign_call *call;
} toy;

static int32_t recognise(const tn_host *host, const tn_foreign_file *file,
                         tn_foreign_identity *out_identity) {
    (void)host;
    snprintf(out_identity->description, sizeof out_identity->description, "toy");
    if (tn_defines_symbol(file, "toy_is_broken")) {
        out_identity->verdict = TN_INCOMPATIBLE;
        snprintf(out_identity->reason, sizeof out_identity->reason, "it is broken");
        snprintf(out_identity->remedy, sizeof out_identity->remedy, "glue it");
    }
    return tn_defines_symbol(file, "toy") ? 50 : 0;
}

static tn_status init(tn_host *host) {
    host->plugin_state = NULL;
    return TN_OK;
}

static tn_status load(tn_foreign_call *call) {
    if (tn_defines_symbol(call->file, "toy_is_lost")) {
        return tn_fail(call->host, TN_UNAVAILABLE, "it is under the sofa");
    }
    toy *made = calloc(1, sizeof *made);
    made->entry = (tn_entry)TN_ENTRY_OP(dlsym(call->library, "toy"), &sample_op);
    made->plugin = (tn_plugin){.struct_size = TN_PLUGIN_SIZE,
                               .contract_major = TN_CONTRACT_MAJOR,
                               .contract_minor = TN_CONTRACT_MINOR,
                               .needs_minor = TN_NEEDS_MINOR,
                               .name = call->name,
                               .version = "3.1",
                               .entries = &made->entry,
                               .entry_count = 1,
                               .entry_stride = sizeof(tn_entry),
                               .init = init};
    if (tn_defines_symbol(call->file, "toy_is_renamed")) {
        made->plugin.name = "bear";
    }
    call->plugin = tn_defines_symbol(call->file, "toy_is_gone") ? NULL : &made->plugin;
    call->state = made;
    return TN_OK;
}

static void unload(const tn_host *host, void *state) {
    tn_log(host, TN_LOG_INFO, "unload");
    free(state);
}

static const tn_loader loader = {.struct_size = TN_LOADER_SIZE,
                                 .doc = "Toys.",
                                 .recognise = recognise,
                                 .load = load,
                                 .unload = unload};
static const tn_entry entries[] = {TN_ENTRY_LOADER("toy", &loader)};
TN_PLUGIN_WITH("loads_toys", "1.0", "error/1,log/1", "", NULL, NULL, entries);
