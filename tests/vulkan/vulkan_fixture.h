/*
 * The backend's own sources under a host of a few lines: errors and log lines are kept, and the
 * tests reach everything that the plugin hides. Without a Vulkan device they are skipped.
 */
#ifndef TENON_TESTS_VULKAN_FIXTURE_H
#define TENON_TESTS_VULKAN_FIXTURE_H

#include <criterion/criterion.h>

#include "backend.h"

/* The host that the backend sees; the plugin's state hangs on it. */
extern tn_host fixture_host;

/* The text of this thread's last failure. */
const char *fixture_error(void);

/* Lines of the log so far of at least that level. */
uint32_t fixture_log_count(uint32_t level);

/* Starts the plugin and counts devices; skips the test with the reason when there is none. The
 * environment is as the test has set it before. The validation layer checks where it is installed,
 * unless the test has set TENON_VK_VALIDATION itself. */
void fixture_start(void);

/* Ends the plugin and asserts that the layer had nothing to say. */
void fixture_stop(void);

/* The device number 0 with options ("disable", "…", …, NULL), opened and closed. */
vulkan_device *fixture_open(void);
vulkan_device *fixture_open_with(const char *name, const char *value);
void fixture_close(vulkan_device *device);

void *fixture_stream(vulkan_device *device);

/* Submits and waits for all. */
void fixture_finish(void *stream);

vulkan_buffer *fixture_buffer(vulkan_device *device, uint64_t size, uint32_t memory);

/* Bytes that differ from their neighbours. */
void fixture_pattern(unsigned char *bytes, uint64_t size, uint32_t seed);

/* Reads the range, waits for all, and asserts that it holds these bytes. */
void fixture_expect(void *stream, const vulkan_buffer *buffer, uint64_t offset,
                    const unsigned char *bytes, uint64_t size);

#define ASSERT_OK(expression)                                                                      \
    do {                                                                                           \
        const tn_status assert_status = (expression);                                              \
        cr_assert_eq(assert_status, TN_OK, "%s: %d: %s", #expression, (int)assert_status,          \
                     fixture_error());                                                             \
    } while (0)

#define ASSERT_FAILS(expression, expected, text)                                                   \
    do {                                                                                           \
        const tn_status assert_status = (expression);                                              \
        cr_assert_eq(assert_status, (expected), "%s: %d: %s", #expression, (int)assert_status,     \
                     fixture_error());                                                             \
        cr_assert_not_null(strstr(fixture_error(), (text)), "no '%s' in: %s", (text),              \
                           fixture_error());                                                       \
    } while (0)

#endif
