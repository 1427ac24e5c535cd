/* What goes wrong on purpose, and what must hold afterwards: no crash, no leak, and it works again.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "instance.h"
#include "kernel_fixture.h"
#include "stream.h"

TestSuite(vulkan_faults, .init = fixture_start, .fini = fixture_stop);

static vulkan_fault *fault_of(const char *text) {
    char error[256];
    vulkan_fault *fault = vulkan_fault_parse(text, error, sizeof error);
    cr_assert_not_null(fault, "%s: %s", text, error);
    return fault;
}

static void take_fault_off(vulkan_device *device) {
    vulkan_fault_destroy(device->fault);
    device->fault = NULL;
}

/* sum = 1 + 1, made and run from nothing. */
static tn_status add_once(vulkan_device *device) {
    static const float ones[4] = {1, 1, 1, 1};
    static const uint32_t access[] = {TN_ACCESS_READ, TN_ACCESS_READ, TN_ACCESS_WRITE};
    static const add_push push = {4, 1.0f};
    float sums[4] = {0};
    void *stream = NULL, *kernel = NULL, *buffers[2] = {NULL};
    uint64_t ticket = 0;
    const kernel_request request = {
        .shader = "add", .binding_count = 3, .push_size = sizeof push, .access = access};
    tn_status status = vulkan_create_stream(device, &stream);
    for (int i = 0; i < 2 && status == TN_OK; i++) {
        status = vulkan_allocate(device, sizeof ones, 256, TN_MEMORY_DEVICE, &buffers[i]);
    }
    status = status == TN_OK ? try_kernel(device, &request, &kernel) : status;
    if (status == TN_OK) {
        const tn_binding bindings[] = {whole(buffers[0]), whole(buffers[0]), whole(buffers[1])};
        status = vulkan_copy_from_host(stream, buffers[0], 0, ones, sizeof ones);
        status = status == TN_OK ? vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, bindings, 3,
                                                 &push, sizeof push)
                                 : status;
    }
    status =
        status == TN_OK ? vulkan_copy_to_host(stream, sums, buffers[1], 0, sizeof sums) : status;
    status = status == TN_OK ? vulkan_submit(stream, &ticket) : status;
    status = status == TN_OK ? vulkan_wait(stream, ticket, UINT64_MAX) : status;
    cr_assert(status != TN_OK || (sums[0] == 2.0f && sums[3] == 2.0f), "a wrong sum: %g",
              (double)sums[0]);
    vulkan_destroy_kernel(device, kernel);
    vulkan_free(device, buffers[0]);
    vulkan_free(device, buffers[1]);
    if (stream != NULL) {
        vulkan_destroy_stream(device, stream);
    }
    return status;
}

/* Every call that making and running a kernel needs fails at its first, second and third time. */
Test(vulkan_faults, every_call_of_a_kernel_may_fail, .timeout = 120) {
    static const char *const disabled[] = {"unified,rebar", "push_descriptor,pipeline_cache"};
    static const char *const results[] = {"OUT_OF_HOST_MEMORY", "OUT_OF_DEVICE_MEMORY", "UNKNOWN"};
    int failed = 0;
    for (int call = 0; call < VULKAN_CALL_COUNT; call++) {
        const char *name = vulkan_call_name((vulkan_call)call);
        if (strstr(name, "Destroy") != NULL || strstr(name, "Cmd") != NULL) {
            continue;
        }
        for (int nth = 1; nth <= 3; nth++) {
            char text[128];
            vulkan_device *device = fixture_open_with("disable", disabled[(call + nth) % 2]);
            snprintf(text, sizeof text, "%s:%d:%s", name, nth, results[(call + nth) % 3]);
            device->fault = fault_of(text);
            failed += add_once(device) != TN_OK;
            take_fault_off(device);
            ASSERT_OK(add_once(device));
            fixture_close(device);
        }
    }
    cr_assert_gt(failed, 12, "%d", failed);
}

Test(vulkan_faults, the_second_device_does_not_open) {
    vulkan_plugin *plugin = vulkan_plugin_of(&fixture_host);
    vulkan_fault *fault = fault_of("vkCreateDevice:2:OUT_OF_DEVICE_MEMORY");
    plugin->fault = fault;
    vulkan_device *first = fixture_open();
    void *second = NULL;
    ASSERT_FAILS(vulkan_open(&fixture_host, 0, NULL, 0, &second), TN_OUT_OF_MEMORY,
                 "vkCreateDevice");
    cr_assert_null(second);
    ASSERT_OK(add_once(first));
    vulkan_device *third = fixture_open();
    ASSERT_OK(add_once(third));
    fixture_close(third);
    fixture_close(first);
    plugin->fault = NULL;
    vulkan_fault_destroy(fault);
}

Test(vulkan_faults, a_loss_that_a_wait_finds) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 64, TN_MEMORY_DEVICE);
    uint64_t ticket;
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 64, 1));
    ASSERT_OK(vulkan_submit(stream, &ticket));
    device->fault = fault_of("vkWaitSemaphores:1:DEVICE_LOST");
    ASSERT_FAILS(vulkan_wait(stream, ticket, UINT64_MAX), TN_DEVICE_LOST, "vkWaitSemaphores");
    ASSERT_FAILS(vulkan_fill(stream, buffer, 0, 64, 1), TN_DEVICE_LOST, "open it again");
    take_fault_off(device);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* What was recorded is gone, the stream is as new. */
Test(vulkan_faults, a_command_buffer_that_cannot_be_ended) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    vulkan_buffer *buffer = fixture_buffer(device, 64, TN_MEMORY_DEVICE);
    uint32_t value = 0;
    uint64_t ticket;
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 64, 1));
    fixture_finish(stream);
    ASSERT_OK(vulkan_fill(stream, buffer, 0, 64, 2));
    device->fault = fault_of("vkEndCommandBuffer:1:OUT_OF_HOST_MEMORY");
    ASSERT_FAILS(vulkan_submit(stream, &ticket), TN_OUT_OF_MEMORY, "vkEndCommandBuffer");
    take_fault_off(device);
    ASSERT_OK(vulkan_copy_to_host(stream, &value, buffer, 0, 4));
    fixture_finish(stream);
    cr_assert_eq(value, 1, "%u", value);
    vulkan_free(device, buffer);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Work that nothing will ever let begin: waits end, and so does closing. Only what the work uses is
 * left. */
Test(vulkan_faults, work_that_never_ends, .timeout = 60) {
    vulkan_device *device = fixture_open_with("close_timeout", "200");
    vulkan_stream *never = fixture_stream(device);
    vulkan_stream *blocked = fixture_stream(device);
    atomic_store(&never->submitted, 1); /* a batch that nobody hands over */
    ASSERT_OK(vulkan_wait_stream(blocked, never, 1));
    uint64_t ticket;
    ASSERT_OK(vulkan_submit(blocked, &ticket));
    const int64_t begin = milliseconds();
    ASSERT_FAILS(vulkan_wait(blocked, ticket, 100000000), TN_TIMEOUT, "not complete");
    const int64_t waited = milliseconds() - begin;
    cr_assert_geq(waited, 99, "%lld ms", (long long)waited);
    const uint32_t errors = fixture_log_count(TN_LOG_ERROR);
    vulkan_destroy_stream(device, blocked);
    cr_assert_eq(fixture_log_count(TN_LOG_ERROR), errors + 1, "it says so");
    ASSERT_FAILS(vulkan_wait(blocked, ticket, UINT64_MAX), TN_DEVICE_LOST, "is lost");
    vulkan_close(&fixture_host, device);
    vulkan_device *other = fixture_open();
    ASSERT_OK(add_once(other));
    fixture_close(other);
    /* The test's own end: the work is let go, so that the driver can be left. */
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = never->timeline->semaphore,
        .value = 1,
    };
    cr_assert_eq(device->vk.SignalSemaphore(device->handle, &info), VK_SUCCESS);
    atomic_store(&device->lost, 0);
    vulkan_destroy_stream(device, blocked);
    vulkan_destroy_stream(device, never);
    fixture_close(device);
}

/* Memory runs out for real: an error after some allocations, and room again when they are freed. */
static int use_up_memory(void) {
    enum { MOST = 64 };
    const uint64_t size = (uint64_t)512 << 20;
    void *device = NULL, *buffers[MOST], *again = NULL;
    int count = 0;
    uint32_t devices;
    if (vulkan_plugin_init(&fixture_host) != TN_OK ||
        vulkan_count(&fixture_host, &devices) != TN_OK ||
        vulkan_open(&fixture_host, 0, NULL, 0, &device) != TN_OK) {
        return 10;
    }
    /* As much room as three such blocks need, beyond what is mapped already. */
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
        return 11;
    }
    fclose(file);
    const rlim_t limit = pages * (rlim_t)sysconf(_SC_PAGESIZE) + 3 * size + size / 2;
    if (setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) != 0) {
        return 12;
    }
    tn_status status = TN_OK;
    while (count < MOST && status == TN_OK) {
        status = vulkan_allocate(device, size, 256, TN_MEMORY_DEVICE, &buffers[count]);
        count += status == TN_OK ? 1 : 0;
    }
    if (status != TN_OUT_OF_MEMORY || count == 0 || count > 4 ||
        strstr(fixture_error(), "cannot allocate 536870912 bytes") == NULL) {
        return 13;
    }
    vulkan_free(device, buffers[--count]);
    if (vulkan_allocate(device, size, 256, TN_MEMORY_DEVICE, &again) != TN_OK) {
        return 14;
    }
    vulkan_free(device, again);
    while (count > 0) {
        vulkan_free(device, buffers[--count]);
    }
    vulkan_close(&fixture_host, device);
    vulkan_plugin_fini(&fixture_host);
    return 0;
}

Test(vulkan_real_shortage, address_space, .timeout = 60) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    cr_skip("a sanitizer has taken the address space");
#endif
    setenv("LP_NUM_THREADS", "0", 0);
    setenv("XDG_RUNTIME_DIR", "/tmp", 0);
    setenv("TENON_VK_VALIDATION", "", 1);
    const pid_t child = fork(); /* before anything of Vulkan is there */
    if (child == 0) {
        _exit(use_up_memory());
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 10) {
        cr_skip("no Vulkan device");
    }
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}
