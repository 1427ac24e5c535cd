/* The backend in a whole process, through the embedding API: coming and going, two devices that
 * exchange tensors, and ends without a close. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "common/arrays.h"
#include "common/single_node.h"

extern char **environ;

#define ASSERT_OK(expression) cr_assert_eq((expression), TN_OK, "%s", tn_error_message())

/* A tensor of host memory that counts from `first`. */
static tn_tensor *numbers(tn_runtime *runtime, int64_t count, float first) {
    tn_tensor *tensor;
    ASSERT_OK(tn_tensor_create(runtime, TN_F32, 1, &count, &tensor));
    for (int64_t i = 0; i < count; i++) {
        ((float *)tn_tensor_data(tensor))[i] = first + (float)i;
    }
    return tensor;
}

static void add_once(tn_runtime *runtime, tn_device *device) {
    tn_tensor *input = numbers(runtime, 100, 1), *sum = NULL;
    tn_tensor *const inputs[] = {input, input};
    bool on_device = false;
    ASSERT_OK(
        test_run_node(runtime, device, "elemwise_add", NULL, 0, inputs, 2, 0, &sum, 1, &on_device));
    cr_assert(on_device);
    cr_assert_eq(((float *)tn_tensor_data(sum))[99], 200);
    tn_tensor_release(input);
    tn_tensor_release(sum);
}

static tn_runtime *runtime_with(const char *name, tn_device **out_device) {
    tn_runtime *runtime = test_runtime();
    cr_assert_not_null(runtime);
    if (tn_device_open(runtime, name, out_device) != TN_OK) {
        cr_skip("%s", tn_error_message());
    }
    return runtime;
}

Test(vulkan_process, comes_and_goes_fifty_times, .timeout = 120) {
    for (int round = 0; round < 50; round++) {
        tn_device *device;
        tn_runtime *runtime = runtime_with("vulkan", &device);
        if (round % 10 == 0) {
            add_once(runtime, device);
        }
        tn_device_close(device);
        tn_runtime_destroy(runtime);
    }
}

/* Drivers take themselves down at the end of a process, in an order of their own. */
Test(vulkan_process, ends_with_everything_open, .timeout = 240) {
    char *const arguments[] = {(char *)LEAVE_OPEN, NULL};
    unsetenv("TENON_VK_VALIDATION"); /* a layer would report what is left */
    for (int round = 0; round < 100; round++) {
        pid_t child;
        int status = 0;
        cr_assert_eq(posix_spawn(&child, LEAVE_OPEN, NULL, NULL, arguments, environ), 0);
        cr_assert_eq(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
            cr_skip("no Vulkan device");
        }
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "run %d: status %x", round,
                  (unsigned)status);
    }
}

/* ---- Two devices ---- */

enum { THREADS = 4, ROUNDS = 25, COUNT = 50000 };

typedef struct traveller {
    tn_runtime *runtime;
    tn_device *devices[2];
    int number;
    char error[256];
} traveller;

/* Host, one device, the other, and back by way of the first. */
static tn_status travel(traveller *self, int round) {
    const int64_t count = COUNT + 13 * self->number;
    tn_tensor *host = NULL, *places[3] = {NULL}, *back = NULL;
    tn_status status = tn_tensor_create(self->runtime, TN_F32, 1, &count, &host);
    for (int64_t i = 0; status == TN_OK && i < count; i++) {
        ((float *)tn_tensor_data(host))[i] = (float)(i % 977 + round * 1000 + self->number);
    }
    for (int i = 0; status == TN_OK && i < 3; i++) {
        status = tn_tensor_create_on(self->devices[i % 2], TN_F32, 1, &count, &places[i]);
        status =
            status == TN_OK ? tn_tensor_copy(i == 0 ? host : places[i - 1], places[i]) : status;
    }
    status = status == TN_OK ? tn_tensor_create(self->runtime, TN_F32, 1, &count, &back) : status;
    status = status == TN_OK ? tn_tensor_copy(places[2], back) : status;
    if (status == TN_OK &&
        memcmp(tn_tensor_data(host), tn_tensor_data(back), (size_t)count * sizeof(float)) != 0) {
        snprintf(self->error, sizeof self->error, "round %d: other bytes came back", round);
    }
    tn_tensor_release(host);
    tn_tensor_release(back);
    for (int i = 0; i < 3; i++) {
        tn_tensor_release(places[i]);
    }
    return status;
}

static void *travel_often(void *context) {
    traveller *self = context;
    for (int round = 0; round < ROUNDS && self->error[0] == '\0'; round++) {
        if (travel(self, round) != TN_OK) {
            snprintf(self->error, sizeof self->error, "%s", tn_error_message());
        }
    }
    return NULL;
}

static void exchange(tn_runtime *runtime, tn_device *devices[2]) {
    pthread_t threads[THREADS];
    traveller travellers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        travellers[i] = (traveller){runtime, {devices[i % 2], devices[1 - i % 2]}, i, ""};
        cr_assert_eq(pthread_create(&threads[i], NULL, travel_often, &travellers[i]), 0);
    }
    for (int i = 0; i < 10; i++) { /* work beside it */
        add_once(runtime, devices[i % 2]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_str_eq(travellers[i].error, "");
    }
}

/* Two devices where there is but one: its driver, listed twice. */
Test(vulkan_process, two_devices_exchange_tensors, .timeout = 120) {
    static const char driver[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
    char folder[] = "/tmp/tenon-icd-XXXXXX", copy[64], paths[256], command[256];
    if (access(driver, R_OK) != 0 || mkdtemp(folder) == NULL) {
        cr_skip("lavapipe is not installed");
    }
    snprintf(copy, sizeof copy, "%s/copy.json", folder);
    snprintf(paths, sizeof paths, "%s:%s", driver, copy);
    snprintf(command, sizeof command, "cp %s %s", driver, copy);
    cr_assert_eq(system(command), 0);
    setenv("VK_ICD_FILENAMES", paths, 1);
    setenv("VK_DRIVER_FILES", paths, 1);
    tn_device *devices[2];
    tn_runtime *runtime = runtime_with("vulkan:0", &devices[0]);
    ASSERT_OK(tn_device_open(runtime, "vulkan:1", &devices[1]));
    exchange(runtime, devices);
    cr_expect_eq(test_validation_messages(runtime), 0);
    tn_device_close(devices[0]);
    tn_device_close(devices[1]);
    tn_runtime_destroy(runtime);
    unlink(copy);
    rmdir(folder);
}
