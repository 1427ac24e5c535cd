/*
 * Many plugins: reading the notes of 1,000 files, which runs none of their code, and loading 100 of
 * ten operators and ten kernels each, beside what the dynamic loader alone takes for them.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tenon/plugin/identity.h>

#include "bench.h"

enum { LISTED = 1000, LOADED = 100, RUNS = 21, PATH_SIZE = 256 };

#define MARK "q0000q"

/* Below `folder` is a folder with the plugins that are loaded and one with all others. */
static char folder[] = "/tmp/tenon-bench-XXXXXX";
static char loaded_folder[PATH_SIZE], other_folder[PATH_SIZE];
static char paths[LISTED][PATH_SIZE];

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static char *read_template(size_t *out_size) {
    FILE *file = fopen(BENCH_BUILD "/tests/bench/plugin_template.so", "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        give_up("plugin_template.so");
    }
    *out_size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*out_size);
    if (bytes == NULL || fread(bytes, 1, *out_size, file) != *out_size) {
        give_up("plugin_template.so");
    }
    fclose(file);
    return bytes;
}

/* Writes a copy in which every mark, whatever it says by now, is that of the number. */
static void write_copy(char *bytes, size_t size, const char *old_mark, const char *new_mark,
                       const char *path) {
    const size_t length = sizeof MARK - 1;
    for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), old_mark, length));
         at += length) {
        memcpy(at, new_mark, length);
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        give_up(path);
    }
}

static void make_plugins(void) {
    char mark[8] = MARK, next[8];
    size_t size;
    char *bytes = read_template(&size);
    if (mkdtemp(folder) == NULL) {
        give_up(folder);
    }
    snprintf(loaded_folder, PATH_SIZE, "%s/loaded", folder);
    snprintf(other_folder, PATH_SIZE, "%s/others", folder);
    if (mkdir(loaded_folder, 0755) != 0 || mkdir(other_folder, 0755) != 0) {
        give_up(folder);
    }
    for (int i = 0; i < LISTED; i++) {
        snprintf(next, sizeof next, "q%04dq", i % 10000);
        snprintf(paths[i], PATH_SIZE, "%s/%s/%s.so", folder, i < LOADED ? "loaded" : "others",
                 next);
        write_copy(bytes, size, mark, next, paths[i]);
        memcpy(mark, next, sizeof mark);
    }
    free(bytes);
}

static void remove_plugins(void) {
    for (int i = 0; i < LISTED; i++) {
        unlink(paths[i]);
    }
    rmdir(loaded_folder);
    rmdir(other_folder);
    rmdir(folder);
}

static void list_all(void) {
    for (int i = 0; i < LISTED; i++) {
        tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
        bench_check(tn_plugin_inspect(NULL, paths[i], &identity), paths[i]);
        bench_check(identity.verdict, identity.reason);
    }
}

/* The floor of listing: what nobody who looks into each file can be without. */
static void read_all(void) {
    char page[4096];
    for (int i = 0; i < LISTED; i++) {
        const int descriptor = open(paths[i], O_RDONLY);
        if (descriptor < 0 || read(descriptor, page, sizeof page) <= 0) {
            give_up(paths[i]);
        }
        close(descriptor);
    }
}

static void load_all(void) {
    tn_runtime *runtime;
    uint32_t count;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    bench_check(tn_plugin_load_directory(runtime, loaded_folder, 0, &count), loaded_folder);
    bench_check(count == LOADED ? TN_OK : TN_INTERNAL, "a plugin was refused");
}

/* The floor of loading: what no host that uses the dynamic loader can be without. */
static void open_all(void) {
    for (int i = 0; i < LOADED; i++) {
        void *library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL || dlsym(library, TN_PLUGIN_SYMBOL) == NULL) {
            give_up(paths[i]);
        }
    }
}

typedef struct times {
    double passed, computed; /* nanoseconds on the clock, and of a processor */
} times;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static times time_once(void (*body)(void)) {
    const double begin = bench_seconds(), computed = processor_seconds();
    body();
    return (times){(bench_seconds() - begin) * 1e9, (processor_seconds() - computed) * 1e9};
}

/* In a process of its own, since what was opened once is open. */
static times time_in_child(void (*body)(void)) {
    int ends[2], status;
    times result;
    if (pipe(ends) != 0) {
        give_up("pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        result = time_once(body);
        _exit(write(ends[1], &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1);
    }
    close(ends[1]);
    const ssize_t size = read(ends[0], &result, sizeof result);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        size != (ssize_t)sizeof result) {
        fprintf(stderr, "bench: a measured process failed\n");
        exit(1);
    }
    return result;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void print_figures(const char *what, const char *clock, double *figures, const char *aim) {
    char line[128];
    qsort(figures, RUNS, sizeof *figures, compare);
    snprintf(line, sizeof line, "%s%s", what, clock);
    bench_print(line, (bench_figure){figures[0], figures[RUNS / 2]}, 1e6, "ms", aim);
}

static void measure(const char *what, void (*body)(void), const char *aim) {
    double passed[RUNS], computed[RUNS];
    time_in_child(body); /* brings the files into the page cache */
    for (int i = 0; i < RUNS; i++) {
        const times once = time_in_child(body);
        passed[i] = once.passed;
        computed[i] = once.computed;
    }
    print_figures(what, "", passed, aim);
    print_figures(what, ", processor time", computed, "");
}

int main(void) {
    make_plugins();
    atexit(remove_plugins);
    measure("first pages of 1,000 files read (the floor)", read_all, "");
    measure("notes of 1,000 plugins read", list_all, "20");
    measure("dlopen of 100 plugins (the floor)", open_all, "");
    measure("100 plugins of 10 operators loaded", load_all, "10");
    return 0;
}
