/* What the system says of itself: the processor's name, cores, memory. */
#include "cpu.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t name_once = PTHREAD_ONCE_INIT;
static char machine_name[128];

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

static void find_name(void) {
    static const char *const keys[] = {"model name", "Model", "cpu", "Hardware"};
    FILE *file = fopen("/proc/cpuinfo", "re");
    for (size_t i = 0; file != NULL && i < sizeof keys / sizeof keys[0]; i++) {
        if (find_line(file, keys[i], machine_name, sizeof machine_name)) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (machine_name[0] == '\0') {
        snprintf(machine_name, sizeof machine_name, "CPU");
    }
}

const char *cpu_machine_name(void) {
    pthread_once(&name_once, find_name);
    return machine_name;
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
