/* Features by name, for the environment, options and reports. */
#ifndef TENON_BACKENDS_VULKAN_FEATURE_NAMES_H
#define TENON_BACKENDS_VULKAN_FEATURE_NAMES_H

#include <stddef.h>

#include "feature.h"

/* "push_descriptor" */
const char *vulkan_feature_name(uint32_t feature);

/* Reads "float16,rebar" (NULL: nothing) and adds to the set. On failure returns 0, and `error`
 * lists what there is. */
int vulkan_features_parse(const char *text, vulkan_features *set, char *error, size_t error_size);

#endif
