/* Features by name. */
#include "feature_names.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define FEATURE_NAME(NAME, name) #name,
    VULKAN_FEATURE_LIST(FEATURE_NAME)
#undef FEATURE_NAME
};

const char *vulkan_feature_name(uint32_t feature) {
    return feature < VULKAN_FEATURE_COUNT ? names[feature] : "unknown";
}

static void list_names(char *error, size_t error_size, const char *text, size_t size) {
    int written = snprintf(error, error_size, "'%.*s' is no feature; there are",
                           (int)(size < 40 ? size : 40), text);
    for (uint32_t i = 0; i < VULKAN_FEATURE_COUNT && written >= 0; i++) {
        const size_t used = strlen(error);
        written = snprintf(error + used, error_size - used, "%s %s", i > 0 ? "," : "", names[i]);
    }
}

int vulkan_features_parse(const char *text, vulkan_features *set, char *error, size_t error_size) {
    vulkan_features parsed = *set;
    while (text != NULL && *text != '\0') {
        const size_t size = strcspn(text, ",");
        uint32_t i = 0;
        while (i < VULKAN_FEATURE_COUNT &&
               (strlen(names[i]) != size || memcmp(names[i], text, size) != 0)) {
            i++;
        }
        if (i == VULKAN_FEATURE_COUNT) {
            list_names(error, error_size, text, size);
            return 0;
        }
        parsed |= (vulkan_features)1 << i;
        text += size + (text[size] == ',');
    }
    *set = parsed;
    return 1;
}
