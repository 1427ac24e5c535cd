/*
 * A runtime: the plugins that are loaded, what they offer, and the devices that are open. A
 * process may hold several; they do not see each other.
 */
#ifndef TENON_RUNTIME_H
#define TENON_RUNTIME_H

#include <tenon/api.h>

typedef struct tn_runtime tn_runtime;

typedef struct tn_runtime_options {
    uint32_t struct_size;  /* TN_RUNTIME_OPTIONS_SIZE */
    uint32_t thread_count; /* threads that run graphs, the caller's included; 0: one a processor */
    /* NULL: nothing is logged. [any] `source` is "tenon" or the plugin's name. */
    void (*log)(void *context, uint32_t level, const char *source, const char *message);
    void *log_context;
} tn_runtime_options;

#define TN_RUNTIME_OPTIONS_SIZE TN_STRUCT_END(tn_runtime_options, log_context)

/* A runtime with no plugins. `options` may be NULL. */
TN_API tn_status tn_runtime_create(const tn_runtime_options *options, tn_runtime **out_runtime);

/* [any] What the random numbers of the plugins' operators follow from: with the same seed the same
 * runs, one after another, give the same. Before it is set the seed is 0. */
TN_API void tn_runtime_set_seed(tn_runtime *runtime, uint64_t seed);

/* [serial] Everything made from the runtime must be gone already; plugins are finished in the
 * reverse order of their loading. */
TN_API void tn_runtime_destroy(tn_runtime *runtime);

#endif
