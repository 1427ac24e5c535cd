#include "vulkan_fixture.h"

#include <stdlib.h>

#include "device.h"
#include "instance.h"

static _Thread_local char error_text[1200];
static atomic_uint log_counts[4];

const char *fixture_error(void) {
    return error_text;
}

uint32_t fixture_log_count(uint32_t level) {
    uint32_t count = 0;
    for (; level < 4; level++) {
        count += atomic_load(&log_counts[level]);
    }
    return count;
}

static tn_status fail(const tn_host *host, tn_status status, const char *message) {
    (void)host;
    snprintf(error_text, sizeof error_text, "%s", message);
    return status;
}

static void write_log(const tn_host *host, uint32_t level, const char *message) {
    (void)host;
    atomic_fetch_add(&log_counts[level], 1);
    if (getenv("TENON_TEST_LOG") != NULL || level == TN_LOG_ERROR) {
        fprintf(stderr, "# %s\n", message);
    }
}

/* Knows the types that the backend's options have. */
static tn_status parse(const tn_host *host, const char *where, const tn_attribute *table,
                       uint32_t count, uint32_t stride, const tn_option *options,
                       uint32_t option_count, void *out, uint64_t size) {
    (void)size;
    (void)stride;
    for (uint32_t i = 0; i < count; i++) {
        const char *value = table[i].default_value;
        for (uint32_t o = 0; o < option_count; o++) {
            value = strcmp(options[o].name, table[i].name) == 0 ? options[o].value : value;
        }
        char *field = (char *)out + table[i].offset;
        if (table[i].type == TN_ATTRIBUTE_STRING) {
            memcpy(field, &value, sizeof value);
        } else if (table[i].type == TN_ATTRIBUTE_BOOL) {
            const int32_t number = strcmp(value, "true") == 0;
            memcpy(field, &number, sizeof number);
        } else {
            const int64_t number = strtoll(value, NULL, 10);
            memcpy(field, &number, sizeof number);
        }
    }
    for (uint32_t o = 0; o < option_count; o++) {
        uint32_t i = 0;
        while (i < count && strcmp(options[o].name, table[i].name) != 0) {
            i++;
        }
        if (i == count) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "%s: unknown option '%s'", where,
                           options[o].name);
        }
    }
    return TN_OK;
}

static void release(const tn_host *host, const tn_attribute *table, uint32_t count, uint32_t stride,
                    void *out) {
    (void)host;
    (void)table;
    (void)count;
    (void)stride;
    (void)out;
}

static const void *find_service(const tn_host *host, const char *name, uint32_t version) {
    static const tn_error_service error = {.struct_size = sizeof error, .fail = fail};
    static const tn_log_service log = {.struct_size = sizeof log, .write = write_log};
    static const tn_attrs_service attrs = {
        .struct_size = sizeof attrs, .parse = parse, .release = release};
    (void)host;
    (void)version;
    return strcmp(name, "error") == 0   ? (const void *)&error
           : strcmp(name, "log") == 0   ? (const void *)&log
           : strcmp(name, "attrs") == 0 ? (const void *)&attrs
                                        : NULL;
}

tn_host fixture_host = {
    .struct_size = TN_HOST_SIZE,
    .name = "fixture",
    .version = "0",
    .find_service = find_service,
};

/* Drivers leave notes of their own on stderr without it. */
static void set_environment(void) {
    setenv("LP_NUM_THREADS", "0", 0);
    setenv("XDG_RUNTIME_DIR", "/tmp", 0);
}

void fixture_start(void) {
    uint32_t count = 0;
    set_environment();
    const int is_set = getenv("TENON_VK_VALIDATION") != NULL;
    if (!is_set) {
        setenv("TENON_VK_VALIDATION", "core,sync", 1);
    }
    ASSERT_OK(vulkan_plugin_init(&fixture_host));
    tn_status status = vulkan_count(&fixture_host, &count);
    if (status == TN_UNAVAILABLE && !is_set && strstr(error_text, "not installed") != NULL) {
        unsetenv("TENON_VK_VALIDATION");
        status = vulkan_count(&fixture_host, &count);
    }
    if (status == TN_UNAVAILABLE) {
        vulkan_plugin_fini(&fixture_host);
        cr_skip("no Vulkan device: %s", error_text);
    }
    cr_assert_eq(status, TN_OK, "%s", error_text);
    cr_assert_gt(count, 0);
}

void fixture_stop(void) {
    if (fixture_host.plugin_state != NULL) {
        vulkan_plugin_fini(&fixture_host);
    }
    cr_assert_eq(vulkan_validation_message_count(), 0);
}

vulkan_device *fixture_open_with(const char *name, const char *value) {
    const tn_option option = {name, value};
    void *device = NULL;
    ASSERT_OK(vulkan_open(&fixture_host, 0, &option, name != NULL ? 1 : 0, &device));
    return device;
}

vulkan_device *fixture_open(void) {
    return fixture_open_with(NULL, NULL);
}

void fixture_close(vulkan_device *device) {
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    if (vulkan_memory_usage(device, &usage) == TN_OK) {
        cr_assert_eq(usage.count, 0, "%llu buffers leak", (unsigned long long)usage.count);
    }
    vulkan_close(&fixture_host, device);
}

void *fixture_stream(vulkan_device *device) {
    void *stream = NULL;
    ASSERT_OK(vulkan_create_stream(device, &stream));
    return stream;
}

void fixture_finish(void *stream) {
    uint64_t ticket = 0;
    ASSERT_OK(vulkan_submit(stream, &ticket));
    ASSERT_OK(vulkan_wait(stream, ticket, UINT64_MAX));
}

vulkan_buffer *fixture_buffer(vulkan_device *device, uint64_t size, uint32_t memory) {
    void *buffer = NULL;
    ASSERT_OK(vulkan_allocate(device, size, 256, memory, &buffer));
    return buffer;
}

void fixture_pattern(unsigned char *bytes, uint64_t size, uint32_t seed) {
    uint32_t state = seed * 2654435761u + 1;
    for (uint64_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
}

void fixture_expect(void *stream, const vulkan_buffer *buffer, uint64_t offset,
                    const unsigned char *bytes, uint64_t size) {
    unsigned char *read = malloc(size + 1);
    memset(read, 0xee, size + 1);
    ASSERT_OK(vulkan_copy_to_host(stream, read, buffer, offset, size));
    fixture_finish(stream);
    cr_assert_eq(memcmp(read, bytes, size), 0, "%llu bytes at %llu differ",
                 (unsigned long long)size, (unsigned long long)offset);
    cr_assert_eq(read[size], 0xee);
    free(read);
}
