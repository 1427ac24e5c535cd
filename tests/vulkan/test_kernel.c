/* Kernels: what is made, refused, shared and launched. */
#include <pthread.h>
#include <stdlib.h>

#include "device.h"
#include "instance.h"
#include "kernel_fixture.h"

TestSuite(vulkan_kernel, .init = fixture_start, .fini = fixture_stop);

static void add_once(const char *disable) {
    enum { COUNT = 1000 };
    float first[COUNT], second[COUNT], sum[COUNT];
    vulkan_device *device = fixture_open_with("disable", disable);
    void *stream = fixture_stream(device);
    void *kernel = make_add(device);
    for (int i = 0; i < COUNT; i++) {
        first[i] = (float)i;
        second[i] = (float)(i % 7);
    }
    vulkan_buffer *a = buffer_of(device, stream, first, sizeof first);
    vulkan_buffer *b = buffer_of(device, stream, second, sizeof second);
    vulkan_buffer *c = fixture_buffer(device, sizeof sum, TN_MEMORY_DEVICE);
    const tn_binding bindings[] = {whole(a), whole(b), whole(c)};
    const add_push push = {COUNT, 2.0f};
    const uint32_t groups[] = {(COUNT + 63) / 64, 1, 1};
    ASSERT_OK(vulkan_launch(stream, kernel, groups, bindings, 3, &push, sizeof push));
    read_buffer(stream, c, sum, sizeof sum);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(sum[i], first[i] + 2.0f * second[i], "%d: %g", i, (double)sum[i]);
    }
    vulkan_free(device, a);
    vulkan_free(device, b);
    vulkan_free(device, c);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel, adds) {
    add_once("");
}

Test(vulkan_kernel, adds_with_descriptor_sets) {
    add_once("push_descriptor");
}

/* ---- Bindings ---- */

static void count_bindings(const char *disable) {
    static const uint32_t counts[] = {1, 2, 31, 32};
    vulkan_device *device = fixture_open_with("disable", disable);
    const uint32_t most = device->physical->properties.limits.maxPerStageDescriptorStorageBuffers;
    void *stream = fixture_stream(device);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t count = counts[i];
        vulkan_buffer *buffers[64];
        tn_binding bindings[64];
        char name[16];
        snprintf(name, sizeof name, "many_%u", count);
        void *kernel =
            make_kernel(device, &(kernel_request){.shader = name, .binding_count = count});
        for (uint32_t b = 0; b < count; b++) {
            const uint32_t value = b + 1;
            buffers[b] = buffer_of(device, stream, &value, sizeof value);
            bindings[b] = whole(buffers[b]);
        }
        ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, bindings, count, NULL, 0));
        uint32_t sum = 0;
        read_buffer(stream, buffers[0], &sum, sizeof sum);
        cr_assert_eq(sum, count * (count + 1) / 2, "%u bindings: %u", count, sum);
        for (uint32_t b = 0; b < count; b++) {
            vulkan_free(device, buffers[b]);
        }
        vulkan_destroy_kernel(device, kernel);
    }
    void *kernel = make_kernel(device, &(kernel_request){.shader = "many_0"});
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, NULL, 0, NULL, 0));
    fixture_finish(stream);
    vulkan_destroy_kernel(device, kernel);
    if (most < 40) {
        ASSERT_FAILS(try_kernel(device, &(kernel_request){.shader = "many_40", .binding_count = 40},
                                &kernel),
                     TN_UNSUPPORTED, "40 bindings, the device takes");
    } else {
        vulkan_destroy_kernel(device, make_kernel(device, &(kernel_request){.shader = "many_40",
                                                                            .binding_count = 40}));
    }
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel, any_number_of_bindings) {
    count_bindings("");
}

Test(vulkan_kernel, any_number_of_bindings_in_sets) {
    count_bindings("push_descriptor");
}

Test(vulkan_kernel, what_does_not_fit_is_refused) {
    vulkan_device *device = fixture_open();
    vulkan_device *other = fixture_open();
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *a = fixture_buffer(device, 256, TN_MEMORY_DEVICE);
    vulkan_buffer *strange = fixture_buffer(other, 256, TN_MEMORY_DEVICE);
    const tn_binding good = whole(a);
    const add_push push = {4, 1.0f};
    const uint32_t one[] = {1, 1, 1};
    const struct {
        tn_binding binding;
        tn_status status;
        const char *text;
    } bad[] = {
        {{NULL, 0, 16}, TN_INVALID_ARGUMENT, "binding 1 is NULL"},
        {{strange, 0, 16}, TN_INVALID_ARGUMENT, "another device"},
        {{a, 0, 257}, TN_OUT_OF_RANGE, "the buffer has 256"},
        {{a, 256, 1}, TN_OUT_OF_RANGE, "takes 1 bytes from 256"},
        {{a, UINT64_MAX - 15, 32}, TN_OUT_OF_RANGE, "the buffer has"},
        {{a, 4, 16}, TN_INVALID_ARGUMENT, "multiples of"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const tn_binding bindings[] = {good, bad[i].binding, good};
        if (bad[i].binding.offset == 4 &&
            device->physical->properties.limits.minStorageBufferOffsetAlignment <= 4) {
            continue;
        }
        ASSERT_FAILS(vulkan_launch(stream, kernel, one, bindings, 3, &push, sizeof push),
                     bad[i].status, bad[i].text);
    }
    const tn_binding bindings[] = {good, good, good};
    ASSERT_FAILS(vulkan_launch(stream, kernel, one, bindings, 2, &push, sizeof push),
                 TN_INVALID_ARGUMENT, "2 bindings given, it has 3");
    ASSERT_FAILS(vulkan_launch(stream, kernel, one, NULL, 3, &push, sizeof push),
                 TN_INVALID_ARGUMENT, "3 bindings given");
    ASSERT_FAILS(vulkan_launch(stream, kernel, one, bindings, 3, &push, 4), TN_INVALID_ARGUMENT,
                 "4 bytes of push constants given, it has 8");
    ASSERT_FAILS(vulkan_launch(stream, kernel, one, bindings, 3, NULL, 8), TN_INVALID_ARGUMENT,
                 "push constants");
    cr_assert_eq(atomic_load(&device->statistics.dispatches), 0, "nothing was recorded");
    vulkan_free(device, a);
    vulkan_free(other, strange);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(other);
    fixture_close(device);
}

Test(vulkan_kernel, parts_of_buffers) {
    enum { COUNT = 64, PARTS = 5 };
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device), *kernel = make_add(device);
    float numbers[COUNT * PARTS], sums[COUNT * PARTS];
    for (int i = 0; i < COUNT * PARTS; i++) {
        numbers[i] = (float)i;
    }
    vulkan_buffer *a = buffer_of(device, stream, numbers, sizeof numbers);
    vulkan_buffer *c = fixture_buffer(device, sizeof sums, TN_MEMORY_DEVICE);
    const add_push push = {COUNT, 1.0f};
    for (uint64_t part = 0; part < PARTS; part++) {
        const uint64_t bytes = COUNT * sizeof(float);
        const tn_binding bindings[] = {
            {a, part * bytes, bytes}, {a, 0, bytes}, {c, part * bytes, bytes}};
        ASSERT_OK(
            vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, bindings, 3, &push, sizeof push));
    }
    read_buffer(stream, c, sums, sizeof sums);
    for (int i = 0; i < COUNT * PARTS; i++) {
        cr_assert_eq(sums[i], (float)(i + i % COUNT), "%d: %g", i, (double)sums[i]);
    }
    vulkan_free(device, a);
    vulkan_free(device, c);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel, no_bytes_are_no_error) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *a = fixture_buffer(device, 64, TN_MEMORY_DEVICE);
    const add_push push = {0, 1.0f};
    const tn_binding some[] = {{NULL, 0, 0}, whole(a), {a, 8, 0}}, none[3] = {{0}};
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, some, 3, &push, sizeof push));
    cr_assert_eq(atomic_load(&device->statistics.dispatches), 1);
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, none, 3, &push, sizeof push));
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){0, 1, 1}, some, 3, &push, sizeof push));
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 0}, some, 3, &push, sizeof push));
    cr_assert_eq(atomic_load(&device->statistics.dispatches), 1, "nothing is launched");
    fixture_finish(stream);
    vulkan_free(device, a);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel, ranges_beyond_the_limit) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device), *kernel = make_add(device);
    vulkan_buffer *a = fixture_buffer(device, 4 << 20, TN_MEMORY_DEVICE);
    device->kernels->max_binding_size = 1 << 20; /* as of a small device */
    const tn_binding bindings[] = {whole(a), whole(a), whole(a)};
    const add_push push = {4, 1.0f};
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    ASSERT_OK(vulkan_limits(device, &limits));
    cr_assert_eq(limits.max_binding_size, 1 << 20);
    ASSERT_FAILS(
        vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, bindings, 3, &push, sizeof push),
        TN_UNSUPPORTED, "maxStorageBufferRange");
    vulkan_free(device, a);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* ---- Push constants ---- */

static void push_words(const char *disable, uint32_t most) {
    static const uint32_t counts[] = {0, 1, 31, 32, 33, 64, 65};
    vulkan_device *device = fixture_open_with("disable", disable);
    void *stream = fixture_stream(device);
    if (most > 0) {
        device->kernels->max_push_constants = most;
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t count = counts[i], size = count * 4;
        uint32_t pushed[65], words[65] = {0};
        char name[16];
        snprintf(name, sizeof name, "push_%u", count);
        void *kernel = make_kernel(
            device, &(kernel_request){.shader = name, .binding_count = 1, .push_size = size});
        vulkan_buffer *buffer = fixture_buffer(device, sizeof words, TN_MEMORY_DEVICE);
        const tn_binding binding = whole(buffer);
        for (uint32_t round = 0; round < 3; round++) {
            fixture_pattern((unsigned char *)pushed, sizeof pushed, count * 3 + round);
            ASSERT_OK(
                vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, &binding, 1, pushed, size));
            memset(pushed, 0xcc, sizeof pushed); /* the caller's again */
        }
        fixture_pattern((unsigned char *)pushed, sizeof pushed, count * 3 + 2);
        read_buffer(stream, buffer, words, sizeof words);
        cr_assert_eq(count == 0 ? words[0] != 7 : memcmp(words, pushed, size), 0, "%u bytes", size);
        vulkan_free(device, buffer);
        vulkan_destroy_kernel(device, kernel);
    }
    vulkan_destroy_stream(device, stream);
    close_device(device);
}

Test(vulkan_kernel, push_data_of_all_sizes) {
    push_words("", 0);
}

Test(vulkan_kernel, push_data_in_a_buffer) {
    push_words("", 16);
}

Test(vulkan_kernel, push_data_in_a_buffer_and_sets) {
    push_words("push_descriptor,coherent", 16);
}

/* Chunks and pools go round: more launches than one of them has room for. */
Test(vulkan_kernel, many_spilled_launches) {
    enum { LAUNCHES = 2000, WORDS = 65 };
    vulkan_device *device = fixture_open_with("disable", "push_descriptor");
    void *stream = fixture_stream(device);
    void *kernel = make_kernel(
        device, &(kernel_request){.shader = "push_65", .binding_count = 1, .push_size = WORDS * 4});
    vulkan_buffer *buffer = fixture_buffer(device, LAUNCHES * 512, TN_MEMORY_DEVICE);
    static uint32_t words[LAUNCHES][128];
    uint32_t pushed[WORDS];
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        const tn_binding binding = {buffer, (uint64_t)i * 512, WORDS * 4};
        fixture_pattern((unsigned char *)pushed, sizeof pushed, i);
        ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, &binding, 1, pushed,
                                sizeof pushed));
    }
    read_buffer(stream, buffer, words, sizeof words);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        fixture_pattern((unsigned char *)pushed, sizeof pushed, i);
        cr_assert_eq(memcmp(words[i], pushed, sizeof pushed), 0, "launch %u", i);
    }
    vulkan_free(device, buffer);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    close_device(device);
}

/* ---- Declarations ---- */

Test(vulkan_kernel, declarations_are_checked_against_the_code) {
    static const uint32_t read_only[] = {1, 1, 1}, write_only[] = {2, 1, 2}, none[] = {1, 1, 0};
    vulkan_device *device = fixture_open();
    void *kernel = NULL;
    const kernel_request good = {.shader = "add", .binding_count = 3, .push_size = 8};
#define REQUEST(bindings, push, ...)                                                               \
    { .shader = "add", .binding_count = bindings, .push_size = push, __VA_ARGS__ }
    const struct {
        kernel_request request;
        tn_status status;
        const char *text;
    } bad[] = {
        {REQUEST(2, 8, .access = NULL), TN_INVALID_ARGUMENT, "uses binding 2, 2 are declared"},
        {REQUEST(3, 4, .access = NULL), TN_INVALID_ARGUMENT, "has 8 bytes of push constants, 4"},
        {REQUEST(3, 7, .access = NULL), TN_INVALID_ARGUMENT, "multiple of 4"},
        {REQUEST(3, 8000, .access = NULL), TN_INVALID_ARGUMENT, "up to 4096"},
        {REQUEST(3, 8, .access = read_only), TN_INVALID_ARGUMENT, "writes binding 2"},
        {REQUEST(3, 8, .access = write_only), TN_INVALID_ARGUMENT, "reads binding 0"},
        {REQUEST(3, 8, .access = none), TN_INVALID_ARGUMENT, "access of binding 2 is not said"},
        {REQUEST(3, 8, .workgroup_size = {32, 1, 1}), TN_INVALID_ARGUMENT, "has 64 invocations"},
        {REQUEST(3, 8, .entry_point = "start"), TN_INVALID_ARGUMENT,
         "no entry point 'start', only 'main'"},
        {REQUEST(65, 8, .access = NULL), TN_UNSUPPORTED, "65 bindings"},
    };
#undef REQUEST
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_FAILS(try_kernel(device, &bad[i].request, &kernel), bad[i].status, bad[i].text);
        cr_assert_null(kernel);
    }
    vulkan_destroy_kernel(device, make_kernel(device, &good));
    fixture_close(device);
}

Test(vulkan_kernel, specialization_constants) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    float two_and_a_half = 2.5f, result[3];
    uint32_t scale;
    memcpy(&scale, &two_and_a_half, sizeof scale);
    const tn_specialization constants[] = {{0, 8}, {1, 2}, {2, 6}, {3, scale}, {4, 1}, {99, 5}};
    void *kernel = make_kernel(device, &(kernel_request){.shader = "constants",
                                                         .binding_count = 1,
                                                         .specializations = constants,
                                                         .specialization_count = 6,
                                                         .workgroup_size = {8, 2, 1}});
    vulkan_buffer *buffer = fixture_buffer(device, sizeof result, TN_MEMORY_DEVICE);
    const tn_binding binding = whole(buffer);
    ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, &binding, 1, NULL, 0));
    read_buffer(stream, buffer, result, sizeof result);
    cr_assert_eq(result[0], -15.0f, "%g", (double)result[0]);
    cr_assert_eq(result[1], 802.0f, "%g", (double)result[1]);
    cr_assert_eq(result[2], 39.0f, "%g", (double)result[2]);

    const tn_specialization large[] = {{0, 1u << 16}, {1, 1}}, many[] = {{0, 1024}, {1, 1024}},
                            shared[] = {{0, 8}, {1, 1}, {2, 1000}};
    void *none = NULL;
    kernel_request request = {.shader = "constants", .binding_count = 1};
    request.specializations = large;
    request.specialization_count = 2;
    ASSERT_FAILS(try_kernel(device, &request, &none), TN_UNSUPPORTED,
                 "on axis 0, the device takes");
    request.specializations = many;
    ASSERT_FAILS(try_kernel(device, &request, &none), TN_UNSUPPORTED, "invocations");
    request.specializations = shared;
    request.specialization_count = 3;
    ASSERT_FAILS(try_kernel(device, &request, &none), TN_UNSUPPORTED, "bytes of shared memory");
    vulkan_free(device, buffer);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

static void subgroup_sizes(const char *disable) {
    vulkan_device *device = fixture_open_with("disable", disable);
    const vulkan_physical_device *physical = device->physical;
    void *stream = fixture_stream(device), *kernel = NULL;
    const int has_control = VULKAN_HAS(device->features, SUBGROUP_SIZE_CONTROL);
    const uint32_t size = has_control ? physical->max_subgroup_size : physical->subgroup_size;
    kernel_request request = {.shader = "subgroup", .binding_count = 1, .subgroup_size = size};
    if ((physical->subgroup_operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) == 0) {
        ASSERT_FAILS(try_kernel(device, &request, &kernel), TN_UNSUPPORTED, "GroupNonUniform");
    } else {
        uint32_t result[2] = {0};
        kernel = make_kernel(device, &request);
        vulkan_buffer *buffer = fixture_buffer(device, sizeof result, TN_MEMORY_DEVICE);
        const tn_binding binding = whole(buffer);
        ASSERT_OK(vulkan_launch(stream, kernel, (uint32_t[]){1, 1, 1}, &binding, 1, NULL, 0));
        read_buffer(stream, buffer, result, sizeof result);
        cr_assert_eq(result[0], size, "%u", result[0]);
        cr_assert_eq(result[1], size < 32 ? size : 32, "%u", result[1]);
        vulkan_free(device, buffer);
        vulkan_destroy_kernel(device, kernel);
    }
    request.subgroup_size = 256;
    ASSERT_FAILS(try_kernel(device, &request, &kernel), TN_UNSUPPORTED, "subgroups of 256");
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel, subgroup_size) {
    subgroup_sizes("");
}

Test(vulkan_kernel, subgroup_size_without_control) {
    subgroup_sizes("subgroup_size_control");
}

Test(vulkan_kernel, types_that_a_device_may_lack) {
    static const struct {
        const char *shader, *feature, *capability;
    } types[] = {
        {"types_f16", "float16", "Float16"}, {"types_f16", "storage16", "StorageBuffer16BitAccess"},
        {"types_i8", "int8", "Int8"},        {"types_i8", "storage8", "StorageBuffer8BitAccess"},
        {"types_i16", "int16", "Int16"},     {"types_i64", "int64", "Int64"},
        {"types_f64", "float64", "Float64"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        void *kernel = NULL;
        char text[80];
        kernel_request request = {.shader = types[i].shader, .binding_count = 1};
        snprintf(text, sizeof text, "module: capability %s is needed, which the device lacks",
                 types[i].capability);
        vulkan_device *device = fixture_open_with("disable", types[i].feature);
        ASSERT_FAILS(try_kernel(device, &request, &kernel), TN_UNSUPPORTED, text);
        fixture_close(device);
        device = fixture_open();
        const tn_status status = try_kernel(device, &request, &kernel);
        cr_assert(status == TN_OK || status == TN_UNSUPPORTED, "%s", fixture_error());
        if (status == TN_OK) {
            vulkan_destroy_kernel(device, kernel);
        }
        fixture_close(device);
    }
}

/* ---- Grids ---- */

static void run_grid(vulkan_device *device, uint32_t groups, uint32_t expected_rows) {
    void *stream = fixture_stream(device);
    void *kernel = make_kernel(device, &(kernel_request){.shader = "flat", .binding_count = 1});
    uint32_t grid[] = {groups, 1, 1};
    const uint32_t *limits = device->physical->properties.limits.maxComputeWorkGroupCount;
    uint32_t *places = calloc(groups + 1, sizeof *places);
    vulkan_buffer *buffer =
        buffer_of(device, stream, places, (groups + 1) * (uint64_t)sizeof *places);
    const tn_binding binding = whole(buffer);
    if (groups > limits[0]) {
        cr_assert_eq(vulkan_fold_groups(grid, limits), 1);
        cr_assert_eq(grid[1], expected_rows);
        cr_assert_eq(grid[0] * grid[1], groups);
        grid[0] = groups;
        grid[1] = 1;
    }
    ASSERT_OK(vulkan_launch(stream, kernel, grid, &binding, 1, NULL, 0));
    read_buffer(stream, buffer, places, (groups + 1) * (uint64_t)sizeof *places);
    cr_assert_eq(places[0], groups);
    for (uint32_t i = 0; i < groups; i++) {
        cr_assert_eq(places[1 + i], i);
    }
    vulkan_free(device, buffer);
    vulkan_destroy_kernel(device, kernel);
    vulkan_destroy_stream(device, stream);
    free(places);
}

Test(vulkan_kernel, grids_are_folded) {
    vulkan_device *device = fixture_open();
    run_grid(device, 1, 1);
    run_grid(device, 65535, 1);
    run_grid(device, 65536, 2);
    run_grid(device, 65535 * 3, 3);
    fixture_close(device);
}

Test(vulkan_kernel, grids_beyond_the_limit) {
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    void *line = make_kernel(device, &(kernel_request){.shader = "line", .binding_count = 1});
    void *flat = make_kernel(device, &(kernel_request){.shader = "flat", .binding_count = 1});
    vulkan_buffer *buffer = fixture_buffer(device, 1 << 20, TN_MEMORY_DEVICE);
    const tn_binding binding = whole(buffer);
    const uint32_t *limits = device->physical->properties.limits.maxComputeWorkGroupCount;
    if (limits[0] < UINT32_MAX / 2) {
        ASSERT_FAILS(
            vulkan_launch(stream, line, (uint32_t[]){limits[0] + 1, 1, 1}, &binding, 1, NULL, 0),
            TN_UNSUPPORTED, "does not read gl_NumWorkGroups");
        /* 65537 is a prime. */
        ASSERT_FAILS(vulkan_launch(stream, flat, (uint32_t[]){65537, 1, 1}, &binding, 1, NULL, 0),
                     TN_UNSUPPORTED, "do not come apart into even rows");
    }
    ASSERT_FAILS(
        vulkan_launch(stream, flat, (uint32_t[]){1, limits[1] + 1, 1}, &binding, 1, NULL, 0),
        TN_UNSUPPORTED, "on axis 1, the device takes");
    ASSERT_FAILS(
        vulkan_launch(stream, flat, (uint32_t[]){1, 1, limits[2] + 1}, &binding, 1, NULL, 0),
        TN_UNSUPPORTED, "maxComputeWorkGroupCount");
    vulkan_free(device, buffer);
    vulkan_destroy_kernel(device, line);
    vulkan_destroy_kernel(device, flat);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

/* A device that takes next to nothing: every count of groups runs exactly, or is refused in words.
 */
Test(vulkan_kernel, grids_of_a_small_device) {
    static const uint32_t small[] = {7, 3, 5};
    uint32_t count, ran = 0, refused = 0;
    (void)vulkan_count(&fixture_host, &count);
    vulkan_physical_device *physical = &((vulkan_plugin *)fixture_host.plugin_state)->devices[0];
    const VkPhysicalDeviceLimits before = physical->properties.limits;
    memcpy(physical->properties.limits.maxComputeWorkGroupCount, small, sizeof small);
    vulkan_device *device = fixture_open();
    void *stream = fixture_stream(device);
    void *flat = make_kernel(device, &(kernel_request){.shader = "flat", .binding_count = 1});
    vulkan_buffer *buffer = fixture_buffer(device, 1024, TN_MEMORY_DEVICE);
    const tn_binding binding = whole(buffer);
    for (uint32_t groups = 0; groups <= 24; groups++) {
        uint32_t places[256];
        ASSERT_OK(vulkan_fill(stream, buffer, 0, 1024, 0));
        const tn_status status =
            vulkan_launch(stream, flat, (uint32_t[]){groups, 1, 1}, &binding, 1, NULL, 0);
        read_buffer(stream, buffer, places, sizeof places);
        if (status != TN_OK) {
            cr_assert_eq(status, TN_UNSUPPORTED);
            cr_assert_not_null(strstr(fixture_error(), "the device takes 7"));
            cr_assert_eq(places[0], 0, "nothing of a refused grid runs");
            refused++;
            continue;
        }
        cr_assert_eq(places[0], groups, "each group once");
        for (uint32_t i = 0; i < groups; i++) {
            cr_assert_eq(places[1 + i], i);
        }
        ran++;
    }
    /* 0 to 7, 8, 9, 10, 12, 14, 15, 18 and 21 of 25. */
    cr_assert_eq(ran, 16);
    cr_assert_eq(refused, 9);
    ASSERT_FAILS(vulkan_launch(stream, flat, (uint32_t[]){1, 4, 1}, &binding, 1, NULL, 0),
                 TN_UNSUPPORTED, "4 workgroups on axis 1, the device takes 3");
    ASSERT_FAILS(vulkan_launch(stream, flat, (uint32_t[]){8, 2, 1}, &binding, 1, NULL, 0),
                 TN_UNSUPPORTED, "8 workgroups on axis 0, the device takes 7");
    ASSERT_OK(vulkan_launch(stream, flat, (uint32_t[]){7, 3, 0}, &binding, 1, NULL, 0));
    physical->properties.limits = before;
    vulkan_free(device, buffer);
    vulkan_destroy_kernel(device, flat);
    vulkan_destroy_stream(device, stream);
    fixture_close(device);
}

Test(vulkan_kernel, folding) {
    const uint32_t small[] = {7, 3, 5};
    for (uint32_t count = 8; count < 200; count++) {
        uint32_t groups[] = {count, 1, 1};
        const int folds = vulkan_fold_groups(groups, small);
        int can = 0;
        for (uint32_t rows = 2; rows <= 3; rows++) {
            can |= count % rows == 0 && count / rows <= 7;
        }
        cr_assert_eq(folds, can, "%u", count);
        cr_assert_eq(groups[0] * groups[1], count);
        cr_assert(!folds || (groups[0] <= 7 && groups[1] <= 3));
    }
    uint32_t flat[] = {8, 2, 1};
    cr_assert_eq(vulkan_fold_groups(flat, small), 0);
}
