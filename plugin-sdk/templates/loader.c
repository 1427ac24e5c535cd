/*
 * A loader: it makes plugins of libraries that know nothing of Tenon. Here every library that
 * exports `double @NAME@_apply(double)` becomes a plugin with one function, named after its file:
 * `tenon call apply.library 3 --plugin ./@NAME@.so --plugin ./library.so`. This line builds it;
 * nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <dlfcn.h>

#include <tenon/plugin.h>

static const char symbol[] = "@NAME@_apply";

/* The library is not run to find out what it is: its symbols tell. */
static int32_t recognise(const tn_host *host, const tn_foreign_file *file,
                         tn_foreign_identity *out_identity) {
    (void)host;
    snprintf(out_identity->description, sizeof out_identity->description, "@NAME@ library");
    return tn_defines_symbol(file, symbol) ? 100 : 0;
}

/* What one library becomes. */
typedef struct made_plugin {
    tn_plugin plugin;
    tn_entry entry;
    tn_function function;
    char name[256];
} made_plugin;

static tn_status load(tn_foreign_call *call) {
    made_plugin *made =
        (made_plugin *)TN_SERVICE(call->host, memory)->allocate(call->host, sizeof *made);
    if (made == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the plugin");
    }
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "apply.%s", call->name);
    made->function = (tn_function){.struct_size = TN_FUNCTION_SIZE,
                                   .doc = "What the library applies to a number.",
                                   .signature = "f64(f64)"};
    void *address = dlsym(call->library, symbol);
    memcpy(&made->function.address, &address, sizeof address);
    made->entry = (tn_entry)TN_ENTRY_FUNCTION(made->name, &made->function);
    made->plugin = (tn_plugin){.struct_size = TN_PLUGIN_SIZE,
                               .contract_major = TN_CONTRACT_MAJOR,
                               .contract_minor = TN_CONTRACT_MINOR,
                               .needs_minor = TN_NEEDS_MINOR,
                               .name = call->name,
                               .version = "1",
                               .entries = &made->entry,
                               .entry_count = 1,
                               .entry_stride = sizeof(tn_entry)};
    call->plugin = &made->plugin;
    call->state = made;
    return TN_OK;
}

static void unload(const tn_host *host, void *state) {
    TN_SERVICE(host, memory)->free(host, state);
}

static const tn_loader loader = {.struct_size = TN_LOADER_SIZE,
                                 .doc = "Libraries that export @NAME@_apply.",
                                 .recognise = recognise,
                                 .load = load,
                                 .unload = unload};

static const tn_entry entries[] = {TN_ENTRY_LOADER("@NAME@", &loader)};
TN_PLUGIN_WITH("@NAME@", "0.1.0", "error/1,memory/1", "", NULL, NULL, entries);
