#include "random_states.h"

#include <tenon/plugin.h>

#include <stdatomic.h>
#include <string.h>

enum { TWISTERS = 1024, WORDS = 624, MAX_BLOCKS = 256 };

/* The state vector in 64-bit words, of which the low halves count, and the place in it. */
struct twister {
    uint64_t words[WORDS];
    uint64_t place;
};

struct random_states {
    const tn_random_service *random;
    _Atomic(struct twister *) blocks[MAX_BLOCKS];
    atomic_bool is_taken[MAX_BLOCKS];
    uint64_t turns[MAX_BLOCKS]; /* of the seed that each was seeded with; whoever has it reads it */
};

static void seed_twister(struct twister *twister, uint32_t seed) {
    twister->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        const uint32_t before = (uint32_t)twister->words[i - 1];
        twister->words[i] = 1812433253u * (before ^ (before >> 30)) + i;
    }
    twister->place = WORDS;
}

tn_status random_states_create(const tn_host *host, struct random_states **out_states) {
    struct random_states *states = TN_SERVICE(host, memory)->allocate(host, sizeof *states);
    if (states == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for random states");
    }
    memset(states, 0, sizeof *states);
    states->random = TN_SERVICE(host, random);
    *out_states = states;
    return TN_OK;
}

void random_states_destroy(const tn_host *host, struct random_states *states) {
    for (uint32_t i = 0; i < MAX_BLOCKS; i++) {
        TN_SERVICE(host, memory)->free(host, atomic_load(&states->blocks[i]));
    }
    TN_SERVICE(host, memory)->free(host, states);
}

/* Block `index`, which the caller has taken, seeded. MXNet seeds state k of the first block with
 * 127 times the user's seed and k. */
static struct twister *ready_block(const tn_host *host, struct random_states *states,
                                   uint32_t index) {
    uint64_t turn;
    const uint64_t seed = states->random->seed(host, &turn);
    struct twister *block = atomic_load_explicit(&states->blocks[index], memory_order_relaxed);
    if (block != NULL && states->turns[index] == turn) {
        return block;
    }
    if (block == NULL) {
        block = TN_SERVICE(host, memory)->allocate(host, TWISTERS * sizeof *block);
        atomic_store(&states->blocks[index], block);
    }
    for (uint32_t k = 0; block != NULL && k < TWISTERS; k++) {
        seed_twister(&block[k], (uint32_t)(seed * 127) + index * TWISTERS + k);
    }
    states->turns[index] = turn;
    return block;
}

void *random_states_take(const tn_host *host, struct random_states *states) {
    for (uint32_t i = 0; i < MAX_BLOCKS; i++) {
        if (!atomic_exchange(&states->is_taken[i], 1)) {
            struct twister *block = ready_block(host, states, i);
            if (block == NULL) {
                atomic_store(&states->is_taken[i], 0);
            }
            return block;
        }
    }
    return NULL;
}

void random_states_give_back(struct random_states *states, const void *block) {
    for (uint32_t i = 0; i < MAX_BLOCKS; i++) {
        if (atomic_load_explicit(&states->blocks[i], memory_order_relaxed) == block) {
            atomic_store_explicit(&states->is_taken[i], 0, memory_order_release);
            return;
        }
    }
}

tn_status random_states_prepare(const tn_host *host, struct random_states *states) {
    if (atomic_load(&states->blocks[0]) != NULL) {
        return TN_OK;
    }
    void *block = random_states_take(host, states);
    if (block == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for random states");
    }
    random_states_give_back(states, block);
    return TN_OK;
}
