/*
 * What belongs to the whole process or thread and a plugin must leave alone: floating-point mode,
 * signal dispositions, locale, working directory, umask. Compared around every piece of a plugin's
 * code that runs while it is loaded, and put back when it changed.
 */
#ifndef TENON_PLUGIN_PROCESS_STATE_H
#define TENON_PLUGIN_PROCESS_STATE_H

#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tenon/api.h>

enum { TNI_SIGNAL_COUNT = 65 };

typedef struct tni_process_state {
    uint64_t float_control; /* the control bits, not the sticky flags that any division sets */
    struct sigaction signals[TNI_SIGNAL_COUNT];
    char *locale;
    locale_t thread_locale;
    int directory;    /* descriptor of the working directory, or -1 */
    int process_file; /* descriptor of /proc/thread-self/status, or -1 */
    mode_t umask;
    bool knows_umask;
} tni_process_state;

/* Must be finished, also after a failure. */
tn_status tni_process_state_save(tni_process_state *state);

/* Puts back what differs. Writes the names of what had changed, separated by ", ", at most `size`
 * bytes, and returns whether there was any. */
bool tni_process_state_restore(const tni_process_state *state, char *changed, size_t size);

void tni_process_state_finish(tni_process_state *state);

#endif
