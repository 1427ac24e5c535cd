#include "extension_fixture.h"

#include <dlfcn.h>

tn_runtime *runtime;
const char *library;
char log_text[16384];
static tn_device *cpu;

static void keep_log(void *context, uint32_t level, const char *source, const char *message) {
    (void)context, (void)level;
    const size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s: %s\n", source, message);
}

void extension_set_up(void) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .log = keep_log};
    cr_assert_eq(tn_runtime_create(&options, &runtime), TN_OK);
    cr_assert_eq(tn_plugin_load_all(runtime, NULL, 0, 0), TN_OK, "%s", tn_error_message());
}

void extension_tear_down(void) {
    tn_device_close(cpu);
    cpu = NULL;
    tn_runtime_destroy(runtime);
}

tn_device *device(void) {
    if (cpu == NULL) {
        cr_assert_eq(tn_device_open(runtime, "cpu:0", &cpu), TN_OK, "%s", tn_error_message());
    }
    return cpu;
}

const char *extension_path(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s.so", EXTENSIONS, name);
    return path;
}

void load_version(int version) {
    char name[32];
    snprintf(name, sizeof name, "operators_%d", version);
    cr_assert_eq(tn_plugin_load(runtime, extension_path(name), TN_LOAD_ALLOW_WRITABLE, &library),
                 TN_OK, "%s", tn_error_message());
}

int ask(const char *function) {
    int (*counter)(void);
    void *handle = dlopen(extension_path(library), RTLD_NOW | RTLD_NOLOAD);
    cr_assert_not_null(handle);
    void *address = dlsym(handle, function);
    cr_assert_not_null(address);
    memcpy(&counter, &address, sizeof counter);
    const int result = counter();
    dlclose(handle);
    return result;
}

tn_tensor *floats(int32_t rank, const int64_t *extents, const float *values) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, rank, extents, &tensor), TN_OK);
    memcpy(tn_tensor_data(tensor), values, tn_tensor_byte_size(tensor));
    return tensor;
}

const float *values_of(const tn_tensor *tensor) {
    return tn_tensor_data((tn_tensor *)(uintptr_t)tensor);
}
