#include "extension.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "live_state.h"
#include "operators.h"
#include "partitioners.h"
#include "passes.h"

struct memory_block {
    _Alignas(16) struct memory_block *next;
};

/* Which symbol fills in which field, and in which versions a library has it. */
static const struct {
    const char *name;
    size_t field;
    int first_version, last_version;
} symbols[] = {
#define SYMBOL(name, field, first, last)                                                           \
    { name, offsetof(struct extension_exports, field), first, last }
    SYMBOL("_opVersion", version, 7, 11),
    SYMBOL("initialize", initialize, 7, 11),
    SYMBOL("_opCallFree", free_memory, 7, 11),
    SYMBOL("_msgSize", message_count, 8, 11),
    SYMBOL("_msgGet", message, 8, 11),
    SYMBOL("_opRegSize", op_count, 7, 11),
    SYMBOL("_opRegGet", op, 7, 11),
    SYMBOL("_opCallParseAttrs", parse, 7, 11),
    SYMBOL("_opCallInferShape", infer_shape, 7, 11),
    SYMBOL("_opCallInferType", infer_type, 7, 11),
    SYMBOL("_opCallInferSType", infer_storage, 7, 11),
    SYMBOL("_opCallMutateInputs", mutate, 7, 11),
    SYMBOL("_opCallFCompute", compute, 7, 11),
    SYMBOL("_opCallFStatefulCompute", compute_stateful, 7, 11),
    SYMBOL("_opCallCreateOpState", create_state_7, 7, 9),
    SYMBOL("_opCallCreateOpState", create_state, 10, 11),
    SYMBOL("_opCallDestroyOpState", destroy_state, 11, 11),
    SYMBOL("_partRegSize", partitioner_count, 7, 11),
    SYMBOL("_partRegGetCount", partitioner, 7, 11),
    SYMBOL("_partRegGet", strategy, 7, 11),
    SYMBOL("_partCallSupportedOps", supported_ops, 7, 11),
    SYMBOL("_partCallCreateSelector", create_selector, 7, 11),
    SYMBOL("_partCallSelect", select, 7, 11),
    SYMBOL("_partCallSelectInput", select_input, 7, 11),
    SYMBOL("_partCallSelectOutput", select_output, 7, 11),
    SYMBOL("_partCallFilter", filter, 7, 11),
    SYMBOL("_partCallReset", reset, 7, 11),
    SYMBOL("_partCallReviewSubgraph", review, 7, 11),
    SYMBOL("_passRegSize", pass_count, 7, 11),
    SYMBOL("_passRegGet", pass, 7, 11),
    SYMBOL("_passCallGraphPass", run_pass, 7, 11),
};

void *extension_allocate_memory(struct extension *extension, size_t count, size_t size) {
    struct memory_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size) {
        block = TN_SERVICE(extension->host, memory)
                    ->allocate(extension->host, sizeof *block + count * size);
    }
    if (block == NULL) {
        return NULL;
    }
    memset(block, 0, sizeof *block + count * size);
    pthread_mutex_lock(&extension->lock);
    block->next = extension->memory;
    extension->memory = block;
    pthread_mutex_unlock(&extension->lock);
    return block + 1;
}

tn_status extension_add_entry(struct extension *extension, const char *kind, const char *name,
                              uint32_t version, uint32_t flags, const void *impl) {
    if (extension->entry_count == extension->entry_capacity) {
        const uint32_t capacity = extension->entry_capacity * 2 + 16;
        tn_entry *entries = extension_allocate_memory(extension, capacity, sizeof *entries);
        if (entries == NULL) {
            return tn_fail(extension->host, TN_OUT_OF_MEMORY, "no memory for entries");
        }
        if (extension->entry_count > 0) {
            memcpy(entries, extension->entries, extension->entry_count * sizeof *entries);
        }
        extension->entries = entries;
        extension->entry_capacity = capacity;
    }
    extension->entries[extension->entry_count++] = (tn_entry){kind, name, version, flags, impl};
    return TN_OK;
}

/* The messages that came since the last look, joined. The list only grows, and each text that is
 * asked for is lost memory, so only failures look. */
static void take_messages(struct extension *extension, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    if (extension->exports.message_count == NULL) {
        return;
    }
    pthread_mutex_lock(&extension->lock);
    const int count = call_message_count(&extension->exports);
    for (; extension->messages_seen < count; extension->messages_seen++) {
        const char *message = call_message(&extension->exports, extension->messages_seen);
        if (message != NULL && used < size) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", message);
        }
    }
    pthread_mutex_unlock(&extension->lock);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
}

void extension_forget_messages(struct extension *extension) {
    if (extension->exports.message_count != NULL) {
        pthread_mutex_lock(&extension->lock);
        extension->messages_seen = call_message_count(&extension->exports);
        pthread_mutex_unlock(&extension->lock);
    }
}

tn_status extension_failed(struct extension *extension, const tn_host *host, tn_status status,
                           const char *what, int result, const struct call_words *words) {
    char messages[512];
    if (result == EXTENSION_NO_MEMORY) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "library %s: %s: it found no memory",
                       extension->name, what);
    }
    take_messages(extension, messages, sizeof messages);
    tn_set_error(host, status, "library %s: %s: %s%s%s", extension->name, what,
                 result == EXTENSION_THREW ? words->text : "it reports a failure",
                 messages[0] != '\0' ? ": " : "", messages);
    return status;
}

tn_status extension_is_wrong(const struct extension *extension, const tn_host *host,
                             const char *what, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tn_fail(host, TN_INTERNAL, "library %s: %s: %s", extension->name, what, text);
}

void extension_free_texts(const struct extension *extension, char **texts, int count) {
    for (int i = 0; texts != NULL && i < count; i++) {
        call_free(&extension->exports, texts[i]);
    }
    if (texts != NULL) {
        call_free(&extension->exports, texts);
    }
}

static tn_status find_symbols(struct extension *extension, const tn_foreign_call *call) {
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (extension->version < symbols[i].first_version ||
            extension->version > symbols[i].last_version) {
            continue;
        }
        void *address = dlsym(call->library, symbols[i].name);
        if (address == NULL || !tn_defines_symbol(call->file, symbols[i].name)) {
            return tn_fail(call->host, TN_CORRUPT,
                           "a library of version %d exports %s, and this one does not",
                           extension->version, symbols[i].name);
        }
        memcpy((char *)&extension->exports + symbols[i].field, &address, sizeof address);
    }
    return TN_OK;
}

/* The release that the library is told it runs in. */
static int host_version(int library_version) {
    const char *wanted = secure_getenv("TENON_MXNET_VERSION");
    const int number = wanted != NULL ? atoi(wanted) : 0;
    if (number > 0) {
        return number;
    }
    return library_version == 7 ? 10700 : library_version == 10 ? 10800 : 20000;
}

static tn_status greet(struct extension *extension, const tn_foreign_call *call) {
    struct call_words words;
    int (*version)(void);
    void *address = dlsym(call->library, "_opVersion");
    memcpy(&version, &address, sizeof version);
    extension->version = version();
    if (extension->version != 7 && extension->version != 10 && extension->version != 11) {
        return tn_fail(call->host, TN_INCOMPATIBLE,
                       "it is of library API version %d; versions 7 (MXNet 1.7), 10 (1.8) and 11 "
                       "(1.9 and 2.0) are loaded",
                       extension->version);
    }
    TN_TRY(find_symbols(extension, call));
    const int told = host_version(extension->version);
    const int result = call_initialize(&extension->exports, told, &words);
    if (result != EXTENSION_SUCCEEDED) {
        char what[64];
        snprintf(what, sizeof what, "initialize(%d)", told);
        return extension_failed(extension, call->host, TN_INCOMPATIBLE, what, result, &words);
    }
    return TN_OK;
}

struct making {
    struct extension *extension;
    const tn_foreign_call *call;
    tn_status status;
};

static tn_status make_plugin(struct extension *extension, const tn_foreign_call *call) {
    TN_TRY(greet(extension, call));
    TN_TRY(operators_add(extension));
    TN_TRY(passes_add(extension));
    TN_TRY(partitioners_add(extension));
    if (extension->entry_count == 0) {
        return tn_fail(call->host, TN_CORRUPT, "it registers no operator, partitioner or pass");
    }
    snprintf(extension->version_text, sizeof extension->version_text, "api-%d", extension->version);
    extension->plugin = (tn_plugin){.struct_size = TN_PLUGIN_SIZE,
                                    .contract_major = TN_CONTRACT_MAJOR,
                                    .contract_minor = TN_CONTRACT_MINOR,
                                    .needs_minor = TN_NEEDS_MINOR,
                                    .name = extension->name,
                                    .version = extension->version_text,
                                    .entries = extension->entries,
                                    .entry_count = extension->entry_count,
                                    .entry_stride = sizeof(tn_entry)};
    return TN_OK;
}

static int make_guarded(void *context) {
    struct making *making = context;
    making->status = make_plugin(making->extension, making->call);
    return EXTENSION_SUCCEEDED;
}

tn_status extension_create(const tn_foreign_call *call, struct random_states *random_states,
                           struct extension **out_extension) {
    struct extension *extension =
        TN_SERVICE(call->host, memory)->allocate(call->host, sizeof *extension);
    if (extension == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a library");
    }
    memset(extension, 0, sizeof *extension);
    extension->host = call->host;
    extension->name = call->name; /* lives as long as the plugin */
    extension->random_states = random_states;
    pthread_mutex_init(&extension->lock, NULL);
    struct call_words words;
    struct making making = {extension, call, TN_OK};
    const int result = call_guarded(make_guarded, &making, &words);
    if (result < 0) {
        making.status =
            extension_failed(extension, call->host, TN_INTERNAL, "registration", result, &words);
    }
    if (making.status != TN_OK) {
        extension_destroy(extension);
        return making.status;
    }
    *out_extension = extension;
    return TN_OK;
}

void extension_destroy(struct extension *extension) {
    const tn_host *host = extension->host;
    if (extension->undestroyed > 0) {
        tn_log(host, TN_LOG_INFO,
               "library %s: %u states of its operators stay in memory: version %d has no function "
               "to destroy one",
               extension->name, (unsigned)extension->undestroyed, extension->version);
    }
    live_states_finish(extension);
    while (extension->memory != NULL) {
        struct memory_block *next = extension->memory->next;
        TN_SERVICE(host, memory)->free(host, extension->memory);
        extension->memory = next;
    }
    pthread_mutex_destroy(&extension->lock);
    TN_SERVICE(host, memory)->free(host, extension);
}
