#include "gain.h"

#include <time.h>

/* What has been saved long ago says nothing: a thread that is stopped costs some milliseconds. */
#define MOST_CREDIT 2000000

/* The longest is as long as it takes to notice that the other program has gone. */
#define SHORTEST_PAUSE 2000000
#define LONGEST_PAUSE 64000000
#define PAUSE_GROWTH 4

uint64_t cpu_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int cpu_gain_expected(const cpu_gain *gain, uint64_t now) {
    return now >= gain->paused_until;
}

static void pause_threads(cpu_gain *gain, uint64_t now) {
    const int64_t longer = PAUSE_GROWTH * gain->pause;
    gain->pause = gain->sum > 0 || longer < SHORTEST_PAUSE ? SHORTEST_PAUSE
                  : longer > LONGEST_PAUSE                 ? LONGEST_PAUSE
                                                           : longer;
    gain->paused_until = now + (uint64_t)gain->pause;
    gain->credit = gain->sum = 0;
}

/* What the others did would have taken the caller as long as its own ranges did; in return it has
 * waited for them. A caller that got no range knows nothing. Threads that have cost more than they
 * saved since they came back stay out longer than the last time. */
void cpu_gain_note(cpu_gain *gain, const cpu_loop_times *times) {
    if (times->own_ranges == 0) {
        return;
    }
    const int64_t range = (int64_t)(times->own_end - times->begin) / times->own_ranges;
    const int64_t waited = (int64_t)(times->end - times->own_end);
    const int64_t saved = times->other_ranges * range - waited;
    gain->sum += saved;
    gain->credit += saved;
    if (gain->credit > MOST_CREDIT) {
        gain->credit = MOST_CREDIT;
    }
    if (gain->credit < 0) {
        pause_threads(gain, times->end);
    }
}
