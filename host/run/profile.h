/*
 * What a session notes of its runs: when each step began and ended. The records are made ahead of a
 * run, one for each instruction, so that threads and devices fill them in without a lock.
 */
#ifndef TENON_RUN_PROFILE_H
#define TENON_RUN_PROFILE_H

#include "run/plan.h"

/* The most records that a profile keeps; the runs after that are not noted. */
enum { TNI_PROFILE_LIMIT = 1u << 20 };

struct tni_profile {
    tn_step_time *times;
    uint32_t count, capacity;
    uint32_t run_count;
    uint32_t first; /* of the run that goes on */
    tni_arena memory;
};

/* Notes that a run of the plan begins, makes room for it, and sets plan->profile. */
tn_status tni_profile_begin(tni_profile *profile, tni_plan *plan);

/* Ends the notes on the run: reads the device's time stamps; forgets a run that failed. */
tn_status tni_profile_end(tni_profile *profile, tni_plan *plan, bool has_failed);

void tni_profile_destroy(tni_profile *profile);

/* Instructions `first` up to `first + count` with their times; says which one failed. */
tn_status tni_profile_run(const tni_plan *plan, uint32_t first, uint32_t count,
                          uint32_t *out_failed);

#endif
