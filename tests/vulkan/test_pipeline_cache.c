/* The pipeline cache on disk: what is read, what is refused, what is written. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache_file.h"
#include "device.h"
#include "instance.h"
#include "kernel_fixture.h"

/* ---- The file's content, of a made-up device ---- */

static vulkan_physical_device made_up(void) {
    vulkan_physical_device device = {
        .properties = {.vendorID = 0x10de, .deviceID = 0x2335, .driverVersion = 42}};
    memcpy(device.properties.pipelineCacheUUID, "0123456789abcdef", 16);
    snprintf(device.driver, sizeof device.driver, "made up 1.0");
    return device;
}

enum { PAYLOAD = 100, FILE_SIZE = sizeof(vulkan_cache_header) + PAYLOAD };

/* A file as it is to be. */
static void make_content(const vulkan_physical_device *device, unsigned char *content) {
    unsigned char *payload = content + sizeof(vulkan_cache_header);
    VkPipelineCacheHeaderVersionOne inner = {
        .headerSize = sizeof inner,
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID = device->properties.vendorID,
        .deviceID = device->properties.deviceID,
    };
    memcpy(inner.pipelineCacheUUID, device->properties.pipelineCacheUUID, VK_UUID_SIZE);
    for (int i = 0; i < PAYLOAD; i++) {
        payload[i] = (unsigned char)(i * 7);
    }
    memcpy(payload, &inner, sizeof inner);
    const vulkan_cache_header header = vulkan_cache_header_of(device, payload, PAYLOAD);
    memcpy(content, &header, sizeof header);
}

Test(vulkan_cache_file, what_is_written_is_read) {
    const vulkan_physical_device device = made_up();
    unsigned char content[FILE_SIZE];
    char name[128];
    make_content(&device, content);
    cr_assert_null(vulkan_cache_refusal(&device, content, sizeof content));
    vulkan_cache_file_name(&device, name, sizeof name);
    cr_assert_str_eq(name, "vulkan-10de-2335-0000002a-30313233343536373839616263646566.bin");
}

Test(vulkan_cache_file, damage_is_seen) {
    const vulkan_physical_device device = made_up();
    unsigned char content[FILE_SIZE + 8] = {0};
    make_content(&device, content);
    for (size_t size = 0; size < FILE_SIZE; size++) {
        cr_assert_not_null(vulkan_cache_refusal(&device, content, size), "%zu bytes", size);
    }
    cr_assert_not_null(vulkan_cache_refusal(&device, content, FILE_SIZE + 1));
    for (size_t bit = 0; bit < FILE_SIZE * 8; bit++) {
        content[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_not_null(vulkan_cache_refusal(&device, content, FILE_SIZE), "bit %zu", bit);
        content[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

Test(vulkan_cache_file, other_drivers_are_seen) {
    const vulkan_physical_device device = made_up();
    unsigned char content[FILE_SIZE];
    make_content(&device, content);
    vulkan_physical_device other = made_up();
    other.properties.driverVersion++;
    cr_assert_str_eq(vulkan_cache_refusal(&other, content, sizeof content),
                     "it is of another device or driver");
    other = made_up();
    other.properties.pipelineCacheUUID[15] ^= 1;
    cr_assert_not_null(vulkan_cache_refusal(&other, content, sizeof content));
    other = made_up();
    other.driver[0] = 'M';
    cr_assert_not_null(vulkan_cache_refusal(&other, content, sizeof content));
    /* Our header is right, the driver's within is not. */
    vulkan_cache_header header;
    content[sizeof header + 4] = 9;
    header = vulkan_cache_header_of(&device, content + sizeof header, PAYLOAD);
    memcpy(content, &header, sizeof header);
    cr_assert_str_eq(vulkan_cache_refusal(&device, content, sizeof content),
                     "the driver's header is another's");
}

/* ---- On a device ---- */

static char folder[] = "/tmp/tenon-cache-XXXXXX";
static char path[400];

static void start(void) {
    cr_assert_not_null(mkdtemp(folder));
    char below[200];
    snprintf(below, sizeof below, "%s/below/deeper", folder);
    setenv("TENON_CACHE_DIR", below, 1);
    fixture_start();
}

static void stop(void) {
    char name[300];
    fixture_stop();
    (void)unlink(path);
    snprintf(name, sizeof name, "%s/below/deeper", folder);
    (void)chmod(name, 0700);
    (void)rmdir(name);
    snprintf(name, sizeof name, "%s/below", folder);
    (void)rmdir(name);
    cr_assert_eq(rmdir(folder), 0, "something was left behind");
}

TestSuite(vulkan_cache, .init = start, .fini = stop);

/* Opens, makes a pipeline, closes. */
static void use_once(const char *disable) {
    vulkan_device *device = fixture_open_with("disable", disable);
    char name[128];
    vulkan_cache_file_name(device->physical, name, sizeof name);
    snprintf(path, sizeof path, "%s/below/deeper/%s", folder, name);
    vulkan_destroy_kernel(device, make_add(device));
    fixture_close(device);
}

static size_t read_cache(unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    const size_t got = file != NULL ? fread(bytes, 1, size, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return got;
}

static void write_cache(const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

Test(vulkan_cache, is_written_at_close_and_read_at_open) {
    static unsigned char first[1 << 20], second[1 << 20];
    struct stat stat_first, stat_second;
    use_once("");
    const size_t size = read_cache(first, sizeof first);
    cr_assert_gt(size, sizeof(vulkan_cache_header) + 31, "%s", path);
    cr_assert_eq(stat(path, &stat_first), 0);
    cr_assert_eq(stat_first.st_mode & 0777, 0600);
    const uint32_t warnings = fixture_log_count(TN_LOG_WARNING);
    use_once("");
    cr_assert_eq(fixture_log_count(TN_LOG_WARNING), warnings);
    cr_assert_eq(read_cache(second, sizeof second), size);
    cr_assert_eq(stat(path, &stat_second), 0);
    cr_assert(stat_first.st_ino == stat_second.st_ino || memcmp(first, second, size) != 0,
              "the same bytes were written again");
}

Test(vulkan_cache, bad_files_are_ignored_and_replaced) {
    static unsigned char good[1 << 20], bad[1 << 20];
    use_once("");
    const size_t size = read_cache(good, sizeof good);
    for (int kind = 0; kind < 4; kind++) {
        size_t bad_size = size;
        memcpy(bad, good, size);
        switch (kind) {
        case 0: bad[size - 1] ^= 1; break;
        case 1: bad_size = size / 2; break;
        case 2: bad_size = 0; break;
        default: bad[8]++; break; /* the version */
        }
        write_cache(bad, bad_size);
        const uint32_t warnings = fixture_log_count(TN_LOG_WARNING);
        use_once("");
        cr_assert_eq(fixture_log_count(TN_LOG_WARNING), warnings + 1, "kind %d", kind);
        cr_assert_eq(read_cache(bad, sizeof bad), size);
        cr_assert_eq(memcmp(bad, good, size), 0, "kind %d", kind);
    }
}

Test(vulkan_cache, files_of_others_are_ignored) {
    use_once("");
    cr_assert_eq(chmod(path, 0666), 0);
    const uint32_t warnings = fixture_log_count(TN_LOG_WARNING);
    use_once("");
    cr_assert_eq(fixture_log_count(TN_LOG_WARNING), warnings + 1);
}

Test(vulkan_cache, a_file_that_is_too_large_is_ignored) {
    use_once("");
    cr_assert_eq(truncate(path, (off_t)VULKAN_CACHE_MAX_BYTES + 1), 0);
    const uint32_t warnings = fixture_log_count(TN_LOG_WARNING);
    use_once("");
    cr_assert_eq(fixture_log_count(TN_LOG_WARNING), warnings + 1);
}

Test(vulkan_cache, can_be_off) {
    use_once("pipeline_cache");
    cr_assert_neq(access(path, F_OK), 0);
}

Test(vulkan_cache, folders_that_cannot_be_written) {
    char name[300];
    use_once("");
    cr_assert_eq(unlink(path), 0);
    snprintf(name, sizeof name, "%s/below/deeper", folder);
    cr_assert_eq(chmod(name, 0500), 0);
    use_once(""); /* works all the same, and says so when it could not write */
    cr_assert(access(path, F_OK) != 0 || geteuid() == 0);
}

Test(vulkan_cache, two_that_close_at_once) {
    static unsigned char bytes[1 << 20];
    vulkan_device *one = fixture_open(), *two = fixture_open();
    use_once("");
    vulkan_destroy_kernel(one, make_add(one));
    vulkan_destroy_kernel(two, make_add(two));
    const vulkan_physical_device *physical = one->physical;
    fixture_close(one);
    fixture_close(two);
    const size_t size = read_cache(bytes, sizeof bytes);
    cr_assert_null(vulkan_cache_refusal(physical, bytes, size));
}

Test(vulkan_cache, faults) {
    static const char *const faults[] = {
        "vkGetPipelineCacheData:1:OUT_OF_HOST_MEMORY",
        "vkGetPipelineCacheData:2:OUT_OF_HOST_MEMORY",
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char error[200];
        vulkan_device *device = fixture_open();
        vulkan_destroy_kernel(device, make_add(device));
        vulkan_fault *fault = vulkan_fault_parse(faults[i], error, sizeof error);
        device->fault = fault;
        fixture_close(device);
        vulkan_fault_destroy(fault);
    }
    use_once("");
    cr_assert_eq(access(path, R_OK), 0);
}

/* ---- Processes that end in the middle ---- */

/* Writes the file again and again until it is killed. */
static void write_for_ever(void) {
    for (;;) {
        uint32_t count;
        void *device = NULL;
        char name[128];
        if (vulkan_plugin_init(&fixture_host) != TN_OK ||
            vulkan_count(&fixture_host, &count) != TN_OK ||
            vulkan_open(&fixture_host, 0, NULL, 0, &device) != TN_OK) {
            _exit(77);
        }
        vulkan_destroy_kernel(device, make_add(device));
        vulkan_cache_file_name(((const vulkan_device *)device)->physical, name, sizeof name);
        snprintf(path, sizeof path, "%s/below/deeper/%s", folder, name);
        (void)unlink(path); /* what is there already is not written again */
        vulkan_close(&fixture_host, device);
        vulkan_plugin_fini(&fixture_host);
    }
}

static void set_cache_folder(void) {
    char below[200];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/below/deeper", folder);
    setenv("TENON_CACHE_DIR", below, 1);
    setenv("XDG_RUNTIME_DIR", "/tmp", 0);
    setenv("TENON_VK_VALIDATION", "", 1);
}

/* Two processes write the file; whenever they are killed, it is whole or not there. */
Test(vulkan_cache_processes, killed_while_they_write, .timeout = 120) {
    char command[300];
    set_cache_folder();
    int is_there = 1;
    for (int round = 0; round < 12 && is_there; round++) {
        pid_t children[2];
        for (int i = 0; i < 2; i++) {
            children[i] = fork(); /* nothing of Vulkan is there yet */
            if (children[i] == 0) {
                write_for_ever();
            }
        }
        usleep((useconds_t)(100000 + round * 7321));
        for (int i = 0; i < 2; i++) {
            int status = 0;
            kill(children[i], SIGKILL);
            waitpid(children[i], &status, 0);
            is_there &= !(WIFEXITED(status) && WEXITSTATUS(status) == 77);
        }
    }
    if (is_there) {
        cr_assert_eq(vulkan_plugin_init(&fixture_host), TN_OK);
        const uint32_t warnings = fixture_log_count(TN_LOG_WARNING);
        use_once("");
        cr_expect_eq(fixture_log_count(TN_LOG_WARNING), warnings, "the file was damaged");
        cr_expect_eq(access(path, R_OK), 0);
        vulkan_plugin_fini(&fixture_host);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
    if (!is_there) {
        cr_skip("no Vulkan device");
    }
}
