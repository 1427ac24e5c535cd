/*
 * The runtime object. Everything the library keeps hangs on it; floors above own what their
 * pointers point to, and host/run/runtime.c ends them in order.
 */
#ifndef TENON_PLUGIN_RUNTIME_H
#define TENON_PLUGIN_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>

#include <tenon/plugin/host.h>
#include <tenon/runtime.h>

#include "base/map.h"
#include "plugin/registry.h"

typedef struct tni_service {
    const char *name;
    uint32_t version;
    const void *table;
} tni_service;

enum { TNI_MAX_SERVICES = 16 };

struct tn_runtime {
    tn_runtime_options options;

    /* One [load] call at a time: a flag and who has it, not a lock that is held, since plugin code
     * runs meanwhile. See load.h. */
    pthread_mutex_t load_lock;
    pthread_cond_t load_ended;
    pthread_t loading_thread;
    bool is_loading;
    uint32_t nested_loads; /* of waiting plugins, by the thread that loads */

    tni_service services[TNI_MAX_SERVICES];
    uint32_t service_count;

    tni_plugin **plugins; /* in the order they were met; guarded by the registry's lock */
    uint32_t plugin_count, plugin_capacity;
    tni_plugin *last_loaded; /* they are ended in the reverse order of their loading */
    struct tni_registry *registry;
    struct tni_ledger *ledger;
    struct tni_strings *strings; /* strings.h */

    _Atomic uint64_t seed, seed_turn;

    tn_graph_service graph_service; /* host/run fills it in */
    /* host/run: runs one node of a graph on host tensors; as the service's `compute`. */
    tn_status (*compute_node)(const tn_host *host, const tn_graph *graph, uint32_t node,
                              tn_tensor *const *inputs, uint32_t input_count, tn_tensor **outputs,
                              uint32_t output_count);
    struct tni_source_file *sources; /* host/tensor: files that are being read */
    pthread_mutex_t source_lock;
    struct tni_device_table *devices;      /* host/device */
    struct tni_scheduler *scheduler;       /* host/schedule; made by the first task */
    struct tni_invoke_cache *invoke_cache; /* host/run; made by the first eager call */
    pthread_mutex_t invoke_lock;           /* for making it */
    /* Ends what is only kept for reuse and holds plugins; an unload calls it before it waits. */
    void (*drop_idle)(tn_runtime *runtime);
};

/* Offers a service table to plugins. Called while the runtime is created, before any load. */
tn_status tni_runtime_add_service(tn_runtime *runtime, const char *name, uint32_t version,
                                  const void *table);

/* host->find_service of every plugin. */
const void *tni_find_service(const tn_host *host, const char *name, uint32_t version);

/* What a plugin's function returned, made fit to be passed on: a code that is none becomes
 * INTERNAL, and a failure without a text gets its status's sentence. Call tni_error_clear before
 * the function. */
tn_status tni_plugin_status(tn_status status);

/* The services of this floor (error, log, memory, attrs, function), the registry and the ledger. */
tn_status tni_plugin_floor_init(tn_runtime *runtime);

/* Finishes every plugin in reverse order, then frees registry and ledger. The libraries stay
 * mapped: what a plugin left behind (a thread, a thread's destructor) must not run into a hole. */
void tni_plugin_floor_finish(tn_runtime *runtime);

/* Logs through the embedding program's sink. */
__attribute__((format(printf, 4, 5))) void tni_log(const tn_runtime *runtime, uint32_t level,
                                                   const char *source, const char *format, ...);

#endif
