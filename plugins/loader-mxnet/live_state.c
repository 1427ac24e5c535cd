#include "live_state.h"

/* A number is the place in the table and, above it, how many states there had been before. */
enum { PLACE_BITS = 20 };

/* Under the extension's lock. */
static tn_status enter(struct extension *extension, const tn_host *host, struct live_state *state) {
    static _Atomic int64_t serial = 1;
    uint32_t place = 0;
    while (place < extension->state_count && extension->states[place] != NULL) {
        place++;
    }
    if (place == extension->state_capacity) {
        const uint32_t capacity = extension->state_capacity * 2 + 8;
        struct live_state **states = TN_SERVICE(extension->host, memory)
                                         ->allocate(extension->host, capacity * sizeof *states);
        if (states == NULL || capacity > 1u << PLACE_BITS) {
            TN_SERVICE(extension->host, memory)->free(extension->host, states);
            return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for one more state");
        }
        if (extension->state_count > 0) {
            memcpy(states, extension->states, extension->state_count * sizeof *states);
        }
        TN_SERVICE(extension->host, memory)->free(extension->host, extension->states);
        extension->states = states;
        extension->state_capacity = capacity;
    }
    extension->states[place] = state;
    extension->state_count = place == extension->state_count ? place + 1 : extension->state_count;
    state->number = serial++ << PLACE_BITS | place;
    return TN_OK;
}

static void free_state(struct extension *extension, struct live_state *state) {
    pthread_mutex_destroy(&state->lock);
    TN_SERVICE(extension->host, memory)->free(extension->host, state);
}

tn_status live_state_create(struct extension *extension, const tn_host *host, const char *what,
                            const struct call_create *create, struct live_state **out_state) {
    struct call_words words;
    struct live_state *state =
        TN_SERVICE(extension->host, memory)->allocate(extension->host, sizeof *state);
    if (state == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a state");
    }
    *state = (struct live_state){.object = NULL};
    pthread_mutex_init(&state->lock, NULL);
    const int result = call_create_state(&extension->exports, create, &state->object, &words);
    tn_status status = TN_OK;
    if (result != EXTENSION_SUCCEEDED) {
        status = extension_failed(extension, host, TN_INTERNAL, what, result, &words);
    } else if (state->object == NULL) {
        status = extension_is_wrong(extension, host, what, "it gave no state");
    } else {
        pthread_mutex_lock(&extension->lock);
        status = enter(extension, host, state);
        pthread_mutex_unlock(&extension->lock);
    }
    if (status != TN_OK) {
        free_state(extension, state);
        return status;
    }
    *out_state = state;
    return TN_OK;
}

void live_state_destroy(struct extension *extension, const tn_host *host,
                        struct live_state *state) {
    struct call_words words;
    pthread_mutex_lock(&extension->lock);
    extension->states[state->number & ((1 << PLACE_BITS) - 1)] = NULL;
    extension->undestroyed += extension->exports.destroy_state == NULL;
    pthread_mutex_unlock(&extension->lock);
    /* Whoever found it before has it still. */
    pthread_mutex_lock(&state->lock);
    pthread_mutex_unlock(&state->lock);
    if (extension->exports.destroy_state != NULL &&
        call_destroy_state(&extension->exports, state->object, &words) < 0) {
        tn_log(host, TN_LOG_WARNING, "library %s: a state was not destroyed: %s", extension->name,
               words.text);
    }
    free_state(extension, state);
}

struct live_state *live_state_lock(struct extension *extension, int64_t number) {
    const uint64_t place = (uint64_t)number & ((1u << PLACE_BITS) - 1);
    struct live_state *found = NULL;
    pthread_mutex_lock(&extension->lock);
    if (place < extension->state_count && extension->states[place] != NULL &&
        extension->states[place]->number == number) {
        found = extension->states[place];
        pthread_mutex_lock(&found->lock);
    }
    pthread_mutex_unlock(&extension->lock);
    return found;
}

void live_state_unlock(struct live_state *state) {
    pthread_mutex_unlock(&state->lock);
}

void live_states_finish(struct extension *extension) {
    TN_SERVICE(extension->host, memory)->free(extension->host, extension->states);
}
