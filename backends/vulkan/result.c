/* The results of Vulkan calls in one list: code, name, status, sentence. */
#include "result.h"

#include <string.h>

/* X(NAME, STATUS, sentence) */
#define RESULT_LIST(X)                                                                             \
    X(SUCCESS, OK, "success")                                                                      \
    X(NOT_READY, TIMEOUT, "not ready yet")                                                         \
    X(TIMEOUT, TIMEOUT, "the time ran out first")                                                  \
    X(INCOMPLETE, INTERNAL, "the array was too short")                                             \
    X(ERROR_OUT_OF_HOST_MEMORY, OUT_OF_MEMORY, "out of host memory")                               \
    X(ERROR_OUT_OF_DEVICE_MEMORY, OUT_OF_MEMORY, "out of device memory")                           \
    X(ERROR_INITIALIZATION_FAILED, UNAVAILABLE, "the driver could not start")                      \
    X(ERROR_DEVICE_LOST, DEVICE_LOST, "the device is gone")                                        \
    X(ERROR_MEMORY_MAP_FAILED, INTERNAL, "the memory cannot be mapped")                            \
    X(ERROR_LAYER_NOT_PRESENT, UNAVAILABLE, "a layer is not installed")                            \
    X(ERROR_EXTENSION_NOT_PRESENT, UNAVAILABLE, "an extension is not there")                       \
    X(ERROR_FEATURE_NOT_PRESENT, UNAVAILABLE, "a feature is not there")                            \
    X(ERROR_INCOMPATIBLE_DRIVER, UNAVAILABLE, "no driver is installed that fits")                  \
    X(ERROR_TOO_MANY_OBJECTS, OUT_OF_MEMORY, "too many objects of the kind")                       \
    X(ERROR_FORMAT_NOT_SUPPORTED, UNSUPPORTED, "the format is not supported")                      \
    X(ERROR_FRAGMENTED_POOL, OUT_OF_MEMORY, "the pool is fragmented")                              \
    X(ERROR_UNKNOWN, INTERNAL, "the driver does not say why")                                      \
    X(ERROR_OUT_OF_POOL_MEMORY, OUT_OF_MEMORY, "the pool is exhausted")                            \
    X(ERROR_INVALID_EXTERNAL_HANDLE, INTERNAL, "host memory cannot be imported")                   \
    X(ERROR_FRAGMENTATION, OUT_OF_MEMORY, "the pool is fragmented")                                \
    X(ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, INTERNAL, "the address is not free")                   \
    X(PIPELINE_COMPILE_REQUIRED, BUSY, "the pipeline is not compiled yet")                         \
    X(ERROR_VALIDATION_FAILED_EXT, INTERNAL, "the validation layer refused the call")              \
    X(ERROR_INVALID_SHADER_NV, INVALID_ARGUMENT, "the shader is not valid")

typedef struct result_row {
    VkResult result;
    tn_status status;
    const char *name;
    const char *sentence;
} result_row;

static const result_row rows[] = {
#define RESULT_ROW(NAME, STATUS, sentence) {VK_##NAME, TN_##STATUS, "VK_" #NAME, sentence},
    RESULT_LIST(RESULT_ROW)
#undef RESULT_ROW
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const result_row *find_row(VkResult result) {
    static const result_row unknown = {VK_ERROR_UNKNOWN, TN_INTERNAL, "an unknown result",
                                       "these headers do not know it"};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].result == result) {
            return &rows[i];
        }
    }
    return &unknown;
}

const char *vulkan_result_name(VkResult result) {
    return find_row(result)->name;
}

const char *vulkan_result_sentence(VkResult result) {
    return find_row(result)->sentence;
}

tn_status vulkan_result_status(VkResult result) {
    return find_row(result)->status;
}

static int is_name(const char *full, const char *name, size_t size) {
    return strlen(full) == size && memcmp(full, name, size) == 0;
}

int vulkan_result_find(const char *name, size_t size, VkResult *out_result) {
    static const char front[] = "VK_ERROR_";
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *full = rows[i].name;
        const int is_error = strncmp(full, front, sizeof front - 1) == 0;
        if (is_name(full, name, size) || is_name(full + 3, name, size) ||
            (is_error && is_name(full + sizeof front - 1, name, size))) {
            *out_result = rows[i].result;
            return 1;
        }
    }
    return 0;
}
