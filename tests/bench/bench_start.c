/*
 * Whole processes: from the start to the first result and to the end, and the most memory, beside
 * an empty C program in the same run.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "child.h"

enum { RUNS = 41, MOST_WORDS = 8 };

#define CPU_PLUGIN BENCH_BUILD "/backends/cpu.so"
#define MATH_PLUGIN BENCH_BUILD "/plugins/ops-math.so"
#define MODEL BENCH_SOURCE "/docs/examples/fashion-mnist/fashion-mnist-symbol.json"

typedef struct start {
    double first_result, end; /* nanoseconds */
    double computed;          /* nanoseconds of all processors, to the end */
    double memory;            /* KiB */
} start;

static void give_up(const char *what) {
    fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double nanoseconds(struct timeval time) {
    return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

/* Memory counts pages of files too, the C library's among them. */
static start run_child(char *const *words) {
    int ends[2], status;
    posix_spawn_file_actions_t actions;
    pid_t child;
    child_result result;
    struct rusage usage;
    if (pipe(ends) != 0 || posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) != 0) {
        give_up("pipe");
    }
    const double begin = bench_seconds() * 1e9;
    if (posix_spawn(&child, words[0], &actions, NULL, words, environ) != 0) {
        give_up(words[0]);
    }
    close(ends[1]);
    const ssize_t size = read(ends[0], &result, sizeof result);
    if (wait4(child, &status, 0, &usage) != child || status != 0 ||
        size != (ssize_t)sizeof result) {
        fprintf(stderr, "bench: %s failed\n", words[0]);
        exit(1);
    }
    const double end = bench_seconds() * 1e9;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    return (start){(double)result.nanoseconds - begin, end - begin,
                   nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
                   (double)usage.ru_maxrss};
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static bench_figure summarise(double *figures) {
    qsort(figures, RUNS, sizeof *figures, compare);
    return (bench_figure){figures[0], figures[RUNS / 2]};
}

static void print_part(const char *what, const char *part, double *figures, double per,
                       const char *unit, const char *aim) {
    char line[128];
    snprintf(line, sizeof line, "%s, %s", what, part);
    bench_print(line, summarise(figures), per, unit, aim);
}

static void measure(const char *what, const char *const *words, const char *time_aim,
                    const char *memory_aim) {
    double first[RUNS], end[RUNS], computed[RUNS], memory[RUNS];
    char *copies[MOST_WORDS + 1] = {NULL};
    for (int i = 0; i < MOST_WORDS && words[i] != NULL; i++) {
        copies[i] = (char *)(uintptr_t)words[i];
    }
    run_child(copies); /* brings the files into the page cache */
    for (int i = 0; i < RUNS; i++) {
        const start once = run_child(copies);
        first[i] = once.first_result;
        end[i] = once.end;
        computed[i] = once.computed;
        memory[i] = once.memory;
    }
    print_part(what, "to the first result", first, 1e6, "ms", time_aim);
    print_part(what, "to the end", end, 1e6, "ms", "");
    print_part(what, "processor time", computed, 1e6, "ms", "");
    print_part(what, "peak memory", memory, 1024, "MiB", memory_aim);
}

int main(void) {
    measure("an empty C program",
            (const char *const[]){BENCH_BUILD "/tests/bench/child_empty", NULL}, "", "");
    const char *const child = BENCH_BUILD "/tests/bench/child_start";
    measure("one node, its two plugins",
            (const char *const[]){child, "node", CPU_PLUGIN, MATH_PLUGIN, NULL}, "5", "8");
    measure("one node, all plugins", (const char *const[]){child, "node", NULL}, "", "");
    measure("demo network, all plugins", (const char *const[]){child, "model", MODEL, NULL}, "",
            "");
    return 0;
}
