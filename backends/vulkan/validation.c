/* The validation layer, on request: its messages go to the log and are counted. */
#include "instance.h"

/* The one thing that all runtimes of the process share: a test wants the sum, and a function that
 * is called by name is not told by which runtime. */
static atomic_ullong message_count;

uint64_t vulkan_validation_message_count(void) {
    return atomic_load(&message_count);
}

static void add(vulkan_validation *validation, VkValidationFeatureEnableEXT enable) {
    validation->enables[validation->enable_count++] = enable;
}

static int is_word(const char *at, size_t size, const char *word) {
    return strlen(word) == size && memcmp(at, word, size) == 0;
}

tn_status vulkan_validation_parse(const tn_host *host, const char *text,
                                  vulkan_validation *out_validation) {
    vulkan_validation validation = {0};
    int sync = 0, gpu = 0;
    while (text != NULL && *text != '\0') {
        const size_t size = strcspn(text, ",");
        if (is_word(text, size, "sync")) {
            sync = 1;
        } else if (is_word(text, size, "gpu")) {
            gpu = 1;
        } else if (!is_word(text, size, "core") && !is_word(text, size, "off")) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "TENON_VK_VALIDATION: '%.*s': expected off, or some of core, sync, gpu "
                           "separated by ','",
                           (int)(size < 80 ? size : 80), text);
        }
        validation.is_wanted = is_word(text, size, "off") ? validation.is_wanted : 1;
        text += size + (text[size] == ',');
    }
    if (sync) {
        add(&validation, VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT);
    }
    if (gpu) {
        add(&validation, VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT);
        add(&validation, VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT);
    }
    *out_validation = validation;
    return TN_OK;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data,
                                              void *context) {
    const vulkan_plugin *plugin = context;
    const int is_error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    /* What the loader says of other people's drivers is no fault of ours. */
    if ((types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) != 0) {
        atomic_fetch_add(&message_count, 1);
    }
    tn_log(plugin->host, is_error ? TN_LOG_ERROR : TN_LOG_WARNING, "vulkan: %s",
           data->pMessage != NULL ? data->pMessage : "a message without a text");
    return VK_FALSE;
}

void vulkan_validation_messenger(vulkan_plugin *plugin, VkDebugUtilsMessengerCreateInfoEXT *info) {
    *info = (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = receive,
        .pUserData = plugin,
    };
}
