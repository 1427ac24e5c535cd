/*
 * One extension library in one runtime: its functions, and the plugin that is made of it. Texts and
 * records that it needs until it is unloaded come from its own memory.
 */
#ifndef LOADER_MXNET_EXTENSION_H
#define LOADER_MXNET_EXTENSION_H

#include <pthread.h>

#include <tenon/plugin.h>

#include "calls.h"
#include "random_states.h"

struct live_state;

struct extension {
    const tn_host *host; /* the loader's */
    const char *name;
    int version; /* 7, 10 or 11 */
    struct extension_exports exports;
    struct random_states *random_states;

    tn_plugin plugin;
    char version_text[32];
    tn_entry *entries;
    uint32_t entry_count, entry_capacity;

    pthread_mutex_t lock; /* of what follows */
    int messages_seen;    /* of the library's list of messages */
    struct live_state **states;
    uint32_t state_count, state_capacity;
    uint32_t undestroyed; /* states that the library has no function to destroy */
    struct memory_block *memory;
};

tn_status extension_create(const tn_foreign_call *call, struct random_states *random_states,
                           struct extension **out_extension);
void extension_destroy(struct extension *extension);

/* Zeroed memory that is freed with the extension; NULL when there is none. */
void *extension_allocate_memory(struct extension *extension, size_t count, size_t size);
tn_status extension_add_entry(struct extension *extension, const char *kind, const char *name,
                              uint32_t version, uint32_t flags, const void *impl);

/* Words a call into the library that did not succeed: the library, `what` ("operator my_gemm:
 * inferShape"), and what the library said. The status is INTERNAL unless another is given. */
tn_status extension_failed(struct extension *extension, const tn_host *host, tn_status status,
                           const char *what, int result, const struct call_words *words);
/* The same for what the library gave and must not have given. */
__attribute__((format(printf, 4, 5))) tn_status extension_is_wrong(
    const struct extension *extension, const tn_host *host, const char *what, const char *format,
    ...);
/* Forgets what the library said of a failure that is none. */
void extension_forget_messages(struct extension *extension);

void extension_free_texts(const struct extension *extension, char **texts, int count);

#endif
