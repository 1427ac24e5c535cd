/* The example backend: from outside, as a device that graphs run on, and function by function. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <string.h>

#include <tenon/plugin.h>

#include "common/arrays.h"

enum { COUNT = 6 };

static const char graph_json[] =
    "{\"tenon\":1,\"nodes\":[{\"name\":\"x\"},"
    "{\"name\":\"y\",\"op\":\"relu\",\"inputs\":[[0,0]]},"
    "{\"name\":\"z\",\"op\":\"_plus_scalar\",\"attributes\":{\"scalar\":\"1\"},"
    "\"inputs\":[[1,0]]}],\"outputs\":[[2,0]]}";
static const float given[COUNT] = {-3, -2, -1, 1, 2, 3};
static const float expected[COUNT] = {1, 1, 1, 2, 3, 4};
static const int64_t extents[] = {COUNT};

static tn_runtime *runtime;
static tn_device *device;

static void open_null(void) {
    const char *name = NULL;
    runtime = test_runtime();
    cr_assert_not_null(runtime);
    cr_assert_eq(tn_plugin_load(runtime, DEVICE_NULL, TN_LOAD_ALLOW_WRITABLE, &name), TN_OK, "%s",
                 tn_error_message());
    cr_assert_str_eq(name, "device-null");
    cr_assert_eq(tn_device_open(runtime, "null", &device), TN_OK, "%s", tn_error_message());
    cr_assert_str_eq(tn_device_name(device), "null:0");
}

/* Nothing is left on the device but what the pool keeps, and the plugin can be unloaded. */
static void close_null(void) {
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    tn_device_trim(device);
    cr_assert_eq(tn_device_memory(device, &usage), TN_OK);
    cr_assert_eq(usage.allocated, 0);
    cr_assert_eq(usage.count, 0);
    tn_device_close(device);
    cr_assert_eq(tn_plugin_unload(runtime, "device-null", 0, NULL), TN_OK, "%s",
                 tn_error_message());
    tn_runtime_destroy(runtime);
}

TestSuite(device_null, .init = open_null, .fini = close_null);

static tn_tensor *make_tensor(tn_device *where) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create_on(where, TN_F32, 1, extents, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_write(tensor, given, sizeof given), TN_OK);
    return tensor;
}

static void assert_elements(const tn_tensor *tensor, const float *elements) {
    float read[COUNT];
    cr_assert_eq(tn_tensor_read(tensor, read, sizeof read), TN_OK);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_float_eq(read[i], elements[i], 0, "element %d is %g", i, (double)read[i]);
    }
}

Test(device_null, is_listed) {
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    cr_assert_eq(tn_device_list(runtime, "null", 0, &info), TN_OK);
    cr_assert_str_eq(info.name, "Null");
    cr_assert_str_eq(info.targets, "cpu");
    cr_assert_eq(info.memory_total, 1u << 30);
    cr_assert_eq(tn_device_list(runtime, "null", 1, &info), TN_OUT_OF_RANGE);
}

Test(device_null, tensors_move_to_it_and_back) {
    tn_device *cpu;
    tn_tensor *there, *back;
    cr_assert_eq(tn_device_open(runtime, "cpu", &cpu), TN_OK);
    tn_tensor *here = make_tensor(cpu);
    cr_assert_eq(tn_tensor_to_device(here, device, &there), TN_OK);
    cr_assert_neq(there, here);
    cr_assert_eq(tn_tensor_view(there)->device.type, 12);
    assert_elements(there, given);
    memset(tn_tensor_data(here), 0, sizeof given);
    cr_assert_eq(tn_tensor_to_device(there, cpu, &back), TN_OK);
    cr_assert_neq(back, there);
    cr_assert_eq(tn_tensor_view(back)->device.type, TN_DEVICE_TYPE_CPU);
    assert_elements(back, given);
    tn_tensor_release(back);
    tn_tensor_release(there);
    tn_tensor_release(here);
    tn_device_close(cpu);
}

Test(device_null, a_graph_runs_on_it) {
    tn_graph *graph;
    tn_session *session;
    tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
    cr_assert_eq(tn_graph_from_json(runtime, graph_json, strlen(graph_json), &graph), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    tn_tensor *input = make_tensor(device), *output = NULL;
    cr_assert_eq(tn_session_run(session, &input, &output), TN_OK, "%s", tn_error_message());
    assert_elements(output, expected);
    cr_assert_eq(tn_session_step_count(session), 2);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(tn_session_step(session, i, &step), TN_OK);
        cr_assert_str_eq(step.device, "null:0");
    }
    tn_tensor_release(output);
    tn_tensor_release(input);
    tn_session_destroy(session);
    tn_graph_destroy(graph);
}

Test(device_null, memory_is_accounted) {
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    const int64_t too_many[] = {(int64_t)1 << 30};
    tn_tensor *tensor = make_tensor(device), *none = NULL;
    cr_assert_eq(tn_device_memory(device, &usage), TN_OK);
    cr_assert_eq(usage.count, 1);
    cr_assert_geq(usage.allocated, sizeof given);
    cr_assert_eq(usage.free, usage.total - usage.allocated);
    cr_assert_eq(tn_tensor_create_on(device, TN_F32, 1, too_many, &none), TN_OUT_OF_MEMORY);
    cr_assert_not_null(strstr(tn_error_message(), "the device has 1073741824"), "%s",
                       tn_error_message());
    cr_assert_null(none);
    tn_tensor_release(tensor);
}

/* A host of which the plugin gets nothing but its pointer: errors are codes without a text. */
static const void *no_service(const tn_host *host, const char *name, uint32_t version) {
    (void)host, (void)name, (void)version;
    return NULL;
}

static const tn_host bare_host = {.struct_size = TN_HOST_SIZE, .find_service = no_service};

typedef struct bare {
    void *library;
    const tn_device_backend *backend;
    void *device;
    void *stream;
} bare;

static bare open_bare(void) {
    bare b = {.library = dlopen(DEVICE_NULL, RTLD_NOW)};
    cr_assert_not_null(b.library);
    const tn_plugin *plugin = dlsym(b.library, TN_PLUGIN_SYMBOL);
    cr_assert_not_null(plugin);
    b.backend = plugin->entries[0].impl;
    cr_assert_eq(b.backend->open(&bare_host, 0, NULL, 0, &b.device), TN_OK);
    cr_assert_eq(b.backend->create_stream(b.device, &b.stream), TN_OK);
    return b;
}

static void close_bare(const bare *b) {
    b->backend->destroy_stream(b->device, b->stream);
    b->backend->close(&bare_host, b->device);
    dlclose(b->library);
}

Test(device_null_functions, what_is_not_there) {
    const bare b = open_bare();
    const tn_option option = {"colour", "red"};
    tn_device_info info = {.struct_size = TN_STRUCT_END(tn_device_info, flags)};
    void *none = NULL;
    cr_assert_eq(b.backend->info(&bare_host, 0, &info), TN_OK);
    cr_assert_eq(info.flags, TN_DEVICE_HOST_ADDRESSABLE | TN_DEVICE_SYNCHRONOUS);
    cr_assert_null(info.name, "beyond the size that the host knows");
    cr_assert_eq(b.backend->info(&bare_host, 1, &info), TN_NOT_FOUND);
    cr_assert_eq(b.backend->open(&bare_host, 1, NULL, 0, &none), TN_NOT_FOUND);
    cr_assert_eq(b.backend->open(&bare_host, 0, &option, 1, &none), TN_INVALID_ARGUMENT);
    cr_assert_null(none);
    close_bare(&b);
}

Test(device_null_functions, memory) {
    const bare b = open_bare();
    void *buffer, *address;
    tn_memory_usage usage = {.struct_size = TN_MEMORY_USAGE_SIZE};
    for (uint64_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
        cr_assert_eq(b.backend->allocate(b.device, 100, alignment, TN_MEMORY_UPLOAD, &buffer),
                     TN_OK);
        cr_assert_eq((uintptr_t)buffer % alignment, 0);
        cr_assert_eq(b.backend->map(b.device, buffer, &address), TN_OK);
        memset(address, 1, 100);
        b.backend->free(b.device, buffer);
    }
    b.backend->free(b.device, NULL);
    cr_assert_eq(b.backend->memory_usage(b.device, &usage), TN_OK);
    cr_assert_eq(usage.allocated, 0);
    cr_assert_eq(usage.peak, 100);
    cr_assert_eq(b.backend->allocate(b.device, 0, 64, 0, &buffer), TN_INVALID_ARGUMENT);
    cr_assert_eq(b.backend->allocate(b.device, 8, 3, 0, &buffer), TN_INVALID_ARGUMENT);
    cr_assert_eq(b.backend->allocate(b.device, UINT64_MAX, 64, 0, &buffer), TN_OUT_OF_MEMORY);
    cr_assert_eq(b.backend->allocate(b.device, 8, (uint64_t)1 << 63, 0, &buffer), TN_OUT_OF_MEMORY);
    close_bare(&b);
}

Test(device_null_functions, streams_and_tickets) {
    const bare b = open_bare();
    const uint32_t source[] = {1, 2, 3, 4};
    uint32_t back[4] = {0};
    uint64_t first, second;
    void *buffer;
    cr_assert_eq(b.backend->allocate(b.device, 16, 64, TN_MEMORY_DEVICE, &buffer), TN_OK);
    cr_assert_eq(b.backend->fill(b.stream, buffer, 0, 16, 7), TN_OK);
    cr_assert_eq(b.backend->fill(b.stream, buffer, 2, 4, 7), TN_INVALID_ARGUMENT);
    cr_assert_eq(b.backend->copy_from_host(b.stream, buffer, 4, source, 8), TN_OK);
    cr_assert_eq(b.backend->copy(b.stream, buffer, 0, buffer, 8, 4), TN_OK);
    cr_assert_eq(b.backend->copy(b.stream, NULL, 0, NULL, 0, 0), TN_OK);
    cr_assert_eq(b.backend->copy_to_host(b.stream, back, buffer, 0, 16), TN_OK);
    cr_assert_eq(b.backend->submit(b.stream, &first), TN_OK);
    cr_assert_eq(b.backend->submit(b.stream, &second), TN_OK);
    cr_assert_gt(second, first);
    cr_assert_eq(b.backend->wait(b.stream, 0, 0), TN_OK);
    cr_assert_eq(b.backend->wait(b.stream, second, UINT64_MAX), TN_OK);
    cr_assert_eq(b.backend->wait(b.stream, second + 1, 0), TN_INVALID_ARGUMENT);
    cr_assert_eq(b.backend->wait_stream(b.stream, b.stream, first), TN_OK);
    cr_assert(back[0] == 2 && back[1] == 1 && back[2] == 2 && back[3] == 7);
    b.backend->free(b.device, buffer);
    close_bare(&b);
}
