/* Functions of the plugin that deal with kernel libraries. */
#ifndef TENON_BACKENDS_VULKAN_KERNEL_LIBRARY_FUNCTIONS_H
#define TENON_BACKENDS_VULKAN_KERNEL_LIBRARY_FUNCTIONS_H

#include <tenon/plugin/function.h>

extern const tn_function vulkan_library_list, vulkan_library_extract, vulkan_library_add,
    vulkan_library_from_tvm;

#define VULKAN_LIBRARY_ENTRIES                                                                     \
    TN_ENTRY_FUNCTION("vulkan_kernel_library_list", &vulkan_library_list),                         \
        TN_ENTRY_FUNCTION("vulkan_kernel_library_extract", &vulkan_library_extract),               \
        TN_ENTRY_FUNCTION("vulkan_kernel_library_add", &vulkan_library_add),                       \
        TN_ENTRY_FUNCTION("vulkan_kernel_library_from_tvm", &vulkan_library_from_tvm)

#endif
