/* Faults on purpose, by the number of a call. */
#include "fault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

/* When the calls of one function fail. `first` 0: never. */
typedef struct fault_rule {
    unsigned long long first;
    unsigned long long count; /* 0: all from the first on */
    VkResult result;
    atomic_ullong calls;
} fault_rule;

struct vulkan_fault {
    fault_rule rules[VULKAN_CALL_COUNT];
};

static const char *const call_names[] = {
#define CALL_NAME(name) "vk" #name,
    VULKAN_FUNCTIONS(CALL_NAME)
#undef CALL_NAME
};

const char *vulkan_call_name(vulkan_call call) {
    return call_names[call];
}

/* With "vk" in front or without. */
static int find_call(const char *name, size_t size, vulkan_call *out_call) {
    for (int call = 0; call < VULKAN_CALL_COUNT; call++) {
        const char *full = call_names[call];
        if ((strlen(full) == size && memcmp(full, name, size) == 0) ||
            (strlen(full + 2) == size && memcmp(full + 2, name, size) == 0)) {
            *out_call = (vulkan_call)call;
            return 1;
        }
    }
    return 0;
}

/* The number at *at, which ends with ':', ',' or the text. */
static int read_number(const char **at, unsigned long long *out_number) {
    char *end;
    if (**at < '0' || **at > '9') {
        return 0;
    }
    *out_number = strtoull(*at, &end, 10);
    *at = end;
    return *end == ':' || *end == ',' || *end == '\0';
}

/* One "call:nth:result[:count]"; *at is left behind it. On failure the reason is given. */
static const char *parse_rule(vulkan_fault *fault, const char **at) {
    vulkan_call call;
    unsigned long long first, count = 1;
    size_t size = strcspn(*at, ":,");
    if (!find_call(*at, size, &call)) {
        return "no function of that name is called";
    }
    *at += size;
    if (**at != ':' || (++*at, !read_number(at, &first)) || first == 0 || **at != ':') {
        return "expected a number from 1 and a result after the function";
    }
    ++*at;
    size = strcspn(*at, ":,");
    VkResult result;
    if (!vulkan_result_find(*at, size, &result) || result == VK_SUCCESS) {
        return "expected a result such as OUT_OF_DEVICE_MEMORY, DEVICE_LOST or "
               "INITIALIZATION_FAILED";
    }
    *at += size;
    if (**at == ':' && (++*at, !read_number(at, &count))) {
        return "expected a number of calls after the result";
    }
    fault_rule *rule = &fault->rules[call];
    rule->first = first;
    rule->count = count;
    rule->result = result;
    return **at == ',' || **at == '\0' ? NULL : "expected ',' or the end";
}

vulkan_fault *vulkan_fault_parse(const char *text, char *error, size_t error_size) {
    error[0] = '\0';
    if (text == NULL || text[0] == '\0') {
        return NULL;
    }
    vulkan_fault *fault = calloc(1, sizeof *fault);
    if (fault == NULL) {
        snprintf(error, error_size, "no memory for the table of faults");
        return NULL;
    }
    for (const char *at = text; *at != '\0';) {
        const char *begin = at;
        const char *reason = parse_rule(fault, &at);
        if (reason != NULL) {
            snprintf(error, error_size, "TENON_VK_FAULT at '%.80s': %s", begin, reason);
            free(fault);
            return NULL;
        }
        at += *at == ',';
    }
    return fault;
}

void vulkan_fault_destroy(vulkan_fault *fault) {
    free(fault);
}

int vulkan_fault_due(vulkan_fault *fault, vulkan_call call) {
    fault_rule *rule = &fault->rules[call];
    if (rule->first == 0) {
        return 0;
    }
    const unsigned long long number = atomic_fetch_add(&rule->calls, 1) + 1;
    return number >= rule->first && (rule->count == 0 || number - rule->first < rule->count);
}

VkResult vulkan_fault_result(const vulkan_fault *fault, vulkan_call call) {
    return fault->rules[call].result;
}
