/*
 * Whether more threads than one are worth it at the moment. On a processor that another program
 * wants, a thread is stopped in the middle of its share for as long as that program's turn lasts,
 * and the loop waits for it: two threads may then take longer than one.
 */
#ifndef TENON_BACKENDS_CPU_GAIN_H
#define TENON_BACKENDS_CPU_GAIN_H

#include <stdint.h>

/* All in nanoseconds. Zeros to begin with. */
typedef struct cpu_gain {
    int64_t credit; /* what the threads have saved lately, at most a little */
    int64_t sum;    /* what they have saved since they came back */
    int64_t pause;  /* how long they stayed out the last time */
    uint64_t paused_until;
} cpu_gain;

/* One loop, as the thread saw it that called for it. */
typedef struct cpu_loop_times {
    uint64_t begin, own_end, end; /* own_end: when it had no more ranges to run */
    int64_t own_ranges, other_ranges;
} cpu_loop_times;

uint64_t cpu_now(void);

/* Whether the threads are to take part. */
int cpu_gain_expected(const cpu_gain *gain, uint64_t now);

/* Takes note of a loop that they took part in. */
void cpu_gain_note(cpu_gain *gain, const cpu_loop_times *times);

#endif
