/* What the system says of itself: the processor's name, cores, memory. */
#include "cpu.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t facts_once = PTHREAD_ONCE_INIT;
static char machine_name[128];
static char machine_vendor[64];
static char machine_features[256];
static uint32_t machine_max_clock;

static void trim_end(char *text) {
    size_t size = strlen(text);
    while (size > 0 && isspace((unsigned char)text[size - 1])) {
        text[--size] = '\0';
    }
}

/* The value of the first line "KEY : value". x86 says "model name", some others "Model" or "cpu".
 */
static int find_line(FILE *file, const char *key, char *value, size_t size) {
    char line[512];
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(key);
        const char *colon = strchr(line, ':');
        if (colon == NULL || strncmp(line, key, length) != 0 ||
            strspn(line + length, " \t") != (size_t)(colon - line) - length) {
            continue;
        }
        snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        trim_end(value);
        return value[0] != '\0';
    }
    return 0;
}

/* The limit that the governor works with; without one, the clock now. */
static uint32_t find_clock(FILE *info) {
    char value[64] = "";
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
    if (file != NULL) {
        const int is_read = fgets(value, sizeof value, file) != NULL;
        fclose(file);
        if (is_read) {
            return (uint32_t)(strtoul(value, NULL, 10) / 1000);
        }
    }
    return find_line(info, "cpu MHz", value, sizeof value) ? (uint32_t)strtod(value, NULL) : 0;
}

static void add_feature(int is_there, const char *name) {
    const size_t used = strlen(machine_features);
    if (is_there) {
        snprintf(machine_features + used, sizeof machine_features - used, "%s%s",
                 used > 0 ? "," : "", name);
    }
}

/* Extensions of the instruction set that kernels may care for. */
static void find_features(void) {
#if defined(__x86_64__)
    add_feature(__builtin_cpu_supports("sse4.2"), "sse4.2");
    add_feature(__builtin_cpu_supports("avx"), "avx");
    add_feature(__builtin_cpu_supports("avx2"), "avx2");
    add_feature(__builtin_cpu_supports("fma"), "fma");
    add_feature(__builtin_cpu_supports("avx512f"), "avx512f");
    add_feature(__builtin_cpu_supports("avx512bw"), "avx512bw");
    add_feature(__builtin_cpu_supports("avx512vl"), "avx512vl");
    add_feature(__builtin_cpu_supports("avx512vnni"), "avx512vnni");
#else
    add_feature(0, "");
#endif
}

static void find_facts(void) {
    find_features();
    static const char *const keys[] = {"model name", "Model", "cpu", "Hardware"};
    FILE *file = fopen("/proc/cpuinfo", "re");
    for (size_t i = 0; file != NULL && i < sizeof keys / sizeof keys[0]; i++) {
        if (find_line(file, keys[i], machine_name, sizeof machine_name)) {
            break;
        }
    }
    if (file != NULL) {
        find_line(file, "vendor_id", machine_vendor, sizeof machine_vendor);
        machine_max_clock = find_clock(file);
        fclose(file);
    }
    if (machine_name[0] == '\0') {
        snprintf(machine_name, sizeof machine_name, "CPU");
    }
}

const char *cpu_machine_name(void) {
    pthread_once(&facts_once, find_facts);
    return machine_name;
}

const char *cpu_machine_vendor(void) {
    pthread_once(&facts_once, find_facts);
    return machine_vendor;
}

const char *cpu_machine_features(void) {
    pthread_once(&facts_once, find_facts);
    return machine_features;
}

uint32_t cpu_machine_max_clock(void) {
    pthread_once(&facts_once, find_facts);
    return machine_max_clock;
}

/* Counts what this process may use, not what the machine has: a container or taskset gets a pool
 * of its own size. The set is as large as the kernel's, which may be beyond CPU_SETSIZE. */
uint32_t cpu_core_count(void) {
    for (size_t cores = 1024; cores <= 1u << 18; cores *= 2) {
        cpu_set_t *set = CPU_ALLOC(cores);
        if (set == NULL) {
            return 1;
        }
        const int failed = sched_getaffinity(0, CPU_ALLOC_SIZE(cores), set);
        const int count = failed ? 0 : CPU_COUNT_S(CPU_ALLOC_SIZE(cores), set);
        CPU_FREE(set);
        if (count > 0) {
            return (uint32_t)count;
        }
    }
    return 1;
}

void cpu_machine_memory(uint64_t *out_total, uint64_t *out_available) {
    *out_total = 0;
    *out_available = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    if (file == NULL) {
        return;
    }
    char value[64];
    if (find_line(file, "MemTotal", value, sizeof value)) {
        *out_total = strtoull(value, NULL, 10) * 1024;
    }
    if (find_line(file, "MemAvailable", value, sizeof value)) {
        *out_available = strtoull(value, NULL, 10) * 1024;
    }
    fclose(file);
}

/* No number identifies a processor to an ordinary process, so that its name stands for it: the same
 * in every process, and different where the results of tuned kernels may differ. */
void cpu_machine_uuid(uint8_t out_uuid[16]) {
    uint64_t halves[2] = {14695981039346656037ull, 0x9e3779b97f4a7c15ull};
    for (const char *at = cpu_machine_name(); *at != '\0'; at++) {
        halves[0] = (halves[0] ^ (unsigned char)*at) * 1099511628211ull;
        halves[1] = (halves[1] ^ (unsigned char)*at) * 1099511628211ull;
    }
    memcpy(out_uuid, halves, sizeof halves);
}
