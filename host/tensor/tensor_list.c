/* Lists of named tensors, and reading them from files. */
#include "tensor/tensor_list.h"

#include "base/error.h"
#include "base/memory.h"
#include "plugin/runtime.h"
#include "tensor/formats.h"
#include "tensor/source.h"
#include "tensor/tensor.h"

tn_status tn_tensor_list_create(tn_runtime *runtime, tn_tensor_list **out_list) {
    tn_tensor_list *list = tni_allocate(1, sizeof *list);
    if (list == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    list->runtime = runtime;
    *out_list = list;
    return TN_OK;
}

void tn_tensor_list_destroy(tn_tensor_list *list) {
    if (list == NULL) {
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        tni_free(list->items[i].name);
        tn_tensor_release(list->items[i].tensor);
    }
    tni_free(list->items);
    tni_free(list);
}

tn_status tn_tensor_list_add(tn_tensor_list *list, const char *name, tn_tensor *tensor) {
    if (tensor == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the tensor to add to the list is NULL");
    }
    if (list->count > 0 && (list->items[0].name == NULL) != (name == NULL)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "tensor %u of the list %s: expected names for all or for none",
                        (unsigned)list->count, name == NULL ? "has no name" : "has a name");
    }
    if (list->count == UINT32_MAX) {
        return tni_fail(TN_OUT_OF_RANGE, "the list is full");
    }
    TNI_TRY(tni_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    char *copy = NULL;
    if (name != NULL) {
        copy = tni_copy_text(name);
        if (copy == NULL) {
            return TN_OUT_OF_MEMORY;
        }
    }
    tn_tensor_retain(tensor);
    list->items[list->count++] = (tni_tensor_item){copy, tensor};
    return TN_OK;
}

uint32_t tn_tensor_list_count(const tn_tensor_list *list) {
    return list->count;
}

const char *tn_tensor_list_name(const tn_tensor_list *list, uint32_t index) {
    return index < list->count ? list->items[index].name : NULL;
}

tn_tensor *tn_tensor_list_get(const tn_tensor_list *list, uint32_t index) {
    return index < list->count ? list->items[index].tensor : NULL;
}

static tn_status add_to_list(void *context, const char *name, tn_tensor *tensor) {
    return tn_tensor_list_add(context, name, tensor);
}

static tn_status read_with(const tni_entry *entry, const tn_source *source, tn_tensor_list *list) {
    const tn_tensor_sink sink = {
        .struct_size = TN_STRUCT_END(tn_tensor_sink, add),
        .context = list,
        .add = add_to_list,
    };
    tni_error_clear();
    const tn_status status =
        tni_format_of(entry)->read_tensors(&entry->plugin->host, source, &sink);
    return tni_in(tni_plugin_status(status), "format '%s'", entry->entry->name);
}

static tn_status read_source(tn_runtime *runtime, const tn_source *source, const char *hint,
                             tn_tensor_list **out_list) {
    const tni_entry *entry;
    TNI_TRY(tni_format_recognise(runtime, TNI_READ_TENSORS, source, hint, &entry));
    tn_tensor_list *list = NULL;
    tn_status status = tn_tensor_list_create(runtime, &list);
    if (status == TN_OK) {
        status = read_with(entry, source, list);
    }
    if (status == TN_OK) {
        *out_list = list;
    } else {
        tn_tensor_list_destroy(list);
    }
    tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    return status;
}

tn_status tn_tensor_list_read(tn_runtime *runtime, const char *path, tn_tensor_list **out_list) {
    tn_source source;
    TNI_TRY(tni_source_open(runtime, path, &source));
    const tn_status status = read_source(runtime, &source, NULL, out_list);
    tni_source_close(runtime, &source);
    return tni_in(status, "%s", path);
}

tn_status tn_tensor_list_read_memory(tn_runtime *runtime, const void *data, uint64_t size,
                                     const char *hint, tn_tensor_list **out_list) {
    if (data == NULL && size > 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "the bytes to read are NULL: expected %llu of them",
                        (unsigned long long)size);
    }
    const tn_source source = {
        .struct_size = TN_STRUCT_END(tn_source, internal),
        .data = size > 0 ? data : "",
        .size = size,
    };
    const tn_status status = read_source(runtime, &source, hint, out_list);
    return tni_in(status, "%s", hint != NULL ? hint : "tensors in memory");
}
