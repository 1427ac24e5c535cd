/* Whether threads of the CPU's pool are worth it: what is decided from the times of loops. */
#include <criterion/criterion.h>

#include "gain.h"

enum { MS = 1000000 };

/* A loop of eight ranges of 100 µs, of which the caller ran half and then waited. Returns its end.
 */
static uint64_t note_loop(cpu_gain *gain, uint64_t begin, int64_t waited) {
    const cpu_loop_times times = {.begin = begin,
                                  .own_end = begin + 4 * 100000,
                                  .end = begin + 4 * 100000 + (uint64_t)waited,
                                  .own_ranges = 4,
                                  .other_ranges = 4};
    cpu_gain_note(gain, &times);
    return times.end;
}

Test(cpu_gain, threads_that_share_the_work_go_on) {
    cpu_gain gain = {0};
    uint64_t now = 1;
    for (int i = 0; i < 1000; i++) {
        now = note_loop(&gain, now, 10000);
        cr_assert(cpu_gain_expected(&gain, now));
    }
}

Test(cpu_gain, one_short_wait_is_forgiven_when_something_was_saved) {
    cpu_gain gain = {0};
    uint64_t now = 1;
    for (int i = 0; i < 10; i++) {
        now = note_loop(&gain, now, 0);
    }
    now = note_loop(&gain, now, 1 * MS);
    cr_assert(cpu_gain_expected(&gain, now));
}

Test(cpu_gain, a_thread_that_was_stopped_stays_out_for_a_while) {
    cpu_gain gain = {0};
    const uint64_t now = note_loop(&gain, 1, 4 * MS);
    cr_assert_not(cpu_gain_expected(&gain, now));
    cr_assert(cpu_gain_expected(&gain, now + 2 * MS));
}

Test(cpu_gain, pauses_grow_to_64_milliseconds_while_threads_cost) {
    cpu_gain gain = {0};
    uint64_t now = 1;
    for (int i = 0; i < 20; i++) {
        now = note_loop(&gain, now, 4 * MS);
        const uint64_t resumed = gain.paused_until;
        cr_assert_gt(resumed, now);
        now = resumed;
    }
    cr_assert_eq(gain.pause, 64 * MS);
}

Test(cpu_gain, threads_that_save_again_have_short_pauses_again) {
    cpu_gain gain = {0};
    uint64_t now = 1;
    for (int i = 0; i < 20; i++) {
        note_loop(&gain, now, 4 * MS);
        now = gain.paused_until;
    }
    for (int i = 0; i < 100; i++) {
        now = note_loop(&gain, now, 0);
    }
    now = note_loop(&gain, now, 4 * MS);
    cr_assert_not(cpu_gain_expected(&gain, now));
    cr_assert(cpu_gain_expected(&gain, now + 2 * MS));
}

Test(cpu_gain, a_loop_without_a_range_of_its_own_says_nothing) {
    cpu_gain gain = {0};
    const cpu_loop_times times = {.begin = 1, .own_end = 1, .end = 100 * MS, .other_ranges = 8};
    cpu_gain_note(&gain, &times);
    cr_assert(cpu_gain_expected(&gain, times.end));
}
