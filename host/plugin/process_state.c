#include "plugin/process_state.h"

#include <fcntl.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/trust.h"

/* The control bits of the floating-point unit. The sticky exception flags are masked out: any
 * computation may set them. */
#if defined(__x86_64__)
#define MXCSR_FLAGS 0x3fu

static uint32_t read_mxcsr(void) {
    uint32_t word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    return word;
}

static uint64_t read_float_control(void) {
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (read_mxcsr() & ~MXCSR_FLAGS) | (uint64_t)x87 << 32;
}

static void write_float_control(uint64_t control) {
    const uint32_t mxcsr = (uint32_t)control | (read_mxcsr() & MXCSR_FLAGS);
    const uint16_t x87 = (uint16_t)(control >> 32);
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    __asm__ volatile("fldcw %0" : : "m"(x87));
}
#elif defined(__aarch64__)
static uint64_t read_float_control(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}

static void write_float_control(uint64_t control) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
static uint64_t read_float_control(void) {
    return (uint64_t)fegetround();
}

static void write_float_control(uint64_t control) {
    fesetround((int)control);
}
#endif

/* Read from /proc: the system call can only tell the umask by changing it, and for a moment every
 * thread would make files with another one. */
static bool read_umask(int process_file, mode_t *out) {
    char text[256]; /* the line is the second one */
    const ssize_t size = pread(process_file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    const char *line = strstr(text, "\nUmask:\t");
    if (line == NULL) {
        return false;
    }
    *out = (mode_t)strtoul(line + 8, NULL, 8);
    return true;
}

static bool same_disposition(const struct sigaction *a, const struct sigaction *b) {
    /* The kernel knows 64 signals; what follows their bits in sigset_t is not filled in. */
    return a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags &&
           memcmp(&a->sa_mask, &b->sa_mask, 64 / 8) == 0;
}

tn_status tni_process_state_save(tni_process_state *state) {
    memset(state, 0, sizeof *state);
    state->float_control = read_float_control();
    for (int signal = 1; signal < TNI_SIGNAL_COUNT; signal++) {
        sigaction(signal, NULL, &state->signals[signal]);
    }
    state->thread_locale = uselocale((locale_t)0);
    state->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    state->process_file = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    state->knows_umask = read_umask(state->process_file, &state->umask);
    const char *locale = setlocale(LC_ALL, NULL);
    state->locale = tni_copy_text(locale != NULL ? locale : "C");
    return state->locale == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

static bool restore_signals(const tni_process_state *state, char *name, size_t size) {
    bool changed = false;
    for (int signal = 1; signal < TNI_SIGNAL_COUNT; signal++) {
        struct sigaction now = {0};
        if (sigaction(signal, NULL, &now) == 0 &&
            !same_disposition(&now, &state->signals[signal])) {
            sigaction(signal, &state->signals[signal], NULL);
            if (!changed) {
                snprintf(name, size, "the handling of signal %d (SIG%s)", signal,
                         sigabbrev_np(signal) != NULL ? sigabbrev_np(signal) : "RT");
            }
            changed = true;
        }
    }
    return changed;
}

static bool restore_locale(const tni_process_state *state) {
    const bool thread_changed = uselocale((locale_t)0) != state->thread_locale;
    if (thread_changed) {
        uselocale(state->thread_locale);
    }
    const char *locale = setlocale(LC_ALL, NULL);
    if (locale == NULL || strcmp(locale, state->locale) == 0) {
        return thread_changed;
    }
    setlocale(LC_ALL, state->locale);
    return true;
}

static bool restore_directory(const tni_process_state *state) {
    struct stat before, now;
    if (state->directory < 0 || fstat(state->directory, &before) != 0 ||
        (stat(".", &now) == 0 && tni_is_same_file(&before, &now))) {
        return false;
    }
    return fchdir(state->directory) == 0;
}

static bool restore_umask(const tni_process_state *state) {
    mode_t now;
    if (!state->knows_umask || !read_umask(state->process_file, &now) || now == state->umask) {
        return false;
    }
    umask(state->umask);
    return true;
}

static void add_name(char *list, size_t size, const char *name) {
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

bool tni_process_state_restore(const tni_process_state *state, char *changed, size_t size) {
    char signal[64];
    changed[0] = '\0';
    if (read_float_control() != state->float_control) {
        write_float_control(state->float_control);
        add_name(changed, size, "the floating-point mode");
    }
    if (restore_signals(state, signal, sizeof signal)) {
        add_name(changed, size, signal);
    }
    if (restore_locale(state)) {
        add_name(changed, size, "the locale");
    }
    if (restore_directory(state)) {
        add_name(changed, size, "the working directory");
    }
    if (restore_umask(state)) {
        add_name(changed, size, "the umask");
    }
    return changed[0] != '\0';
}

void tni_process_state_finish(tni_process_state *state) {
    if (state->directory >= 0) {
        close(state->directory);
    }
    if (state->process_file >= 0) {
        close(state->process_file);
    }
    tni_free(state->locale);
    state->locale = NULL;
    state->directory = -1;
    state->process_file = -1;
}
