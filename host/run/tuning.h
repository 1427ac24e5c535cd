/* What was measured of kernels, and how it decides. */
#ifndef TENON_RUN_TUNING_H
#define TENON_RUN_TUNING_H

#include <stdbool.h>

#include <tenon/tuning.h>

#include "base/map.h"
#include "base/memory.h"
#include "graph/graph.h"

/* A kernel that can compute a node. */
typedef struct tni_candidate {
    const tni_entry *entry;
    const void *attributes;
    int32_t score, priority;
} tni_candidate;

/* What a tuning is asked for a node; candidates from the highest rank down, two at least. */
typedef struct tni_tuning_question {
    const tni_node *node;
    const tn_tensor_type *inputs, *outputs;
    const tni_candidate *candidates;
    uint32_t count;
} tni_tuning_question;

/* What became of a node that a tuning was asked for; else all is 0. */
typedef struct tni_tuned {
    const char *form;     /* NULL: it is known, or was not asked for in a trial */
    const char *measured; /* NULL: it is not known */
    uint32_t candidate_count;
} tni_tuned;

typedef struct tni_tuning_choice {
    char *kernel;   /* the entry's name */
    char *measured; /* for people */
} tni_tuning_choice;

struct tn_tuning {
    tn_runtime *runtime;
    char *machine;   /* processor and threads */
    tni_map choices; /* tni_tuning_choice by form */
    /* While it measures: forms that are not known get candidate number `trial`, or the first where
     * there are fewer. */
    bool is_trial;
    uint32_t trial;
};

/* The number of the candidate to take, in *out_chosen. Texts are the arena's. */
tn_status tni_tuning_choose(const tn_tuning *tuning, const tni_tuning_question *question,
                            tni_arena *arena, uint32_t *out_chosen, tni_tuned *out_tuned);

/* Adds or replaces. */
tn_status tni_tuning_set(tn_tuning *tuning, const char *form, const char *kernel,
                         const char *measured);

#endif
