/* Writing a list of tensors: to a new file beside the target, which takes its name when whole. */
#include "tensor/tensor_list.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "plugin/runtime.h"
#include "tensor/formats.h"
#include "tensor/tensor.h"

/* Formats write many small things; the file gets them in few large pieces. */
typedef struct output {
    tni_writer writer;
    uint64_t used;
    unsigned char bytes[65536];
} output;

/* A rename would put a file in the place of a device or a directory. */
static tn_status require_file(const char *path) {
    struct stat facts;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        return tni_fail(TN_INVALID_ARGUMENT, "it is there and is not a file: choose another name");
    }
    return TN_OK;
}

static tn_status flush(output *out) {
    const uint64_t size = out->used;
    out->used = 0;
    return tni_writer_write(&out->writer, out->bytes, size);
}

static tn_status write_bytes(void *context, const void *data, uint64_t size) {
    output *out = context;
    if (size > sizeof out->bytes - out->used) {
        TNI_TRY(flush(out));
    }
    if (size > sizeof out->bytes) {
        return tni_writer_write(&out->writer, data, size);
    }
    if (size > 0) {
        memcpy(out->bytes + out->used, data, size);
        out->used += size;
    }
    return TN_OK;
}

static tn_status write_with(const tni_entry *entry, const tn_named_tensor *tensors, uint32_t count,
                            output *out) {
    const tn_byte_sink sink = {
        .struct_size = TN_STRUCT_END(tn_byte_sink, write),
        .context = out,
        .write = write_bytes,
    };
    tni_error_clear();
    tn_status status =
        tni_format_of(entry)->write_tensors(&entry->plugin->host, tensors, count, &sink);
    status = tni_in(tni_plugin_status(status), "format '%s'", entry->entry->name);
    return status == TN_OK ? flush(out) : status;
}

static tn_status write_file(const tni_entry *entry, const tn_named_tensor *tensors, uint32_t count,
                            const char *path) {
    TNI_TRY(require_file(path));
    output *out = tni_allocate(1, sizeof *out);
    if (out == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status = tni_writer_open(&out->writer, path);
    if (status == TN_OK) {
        status = write_with(entry, tensors, count, out);
        if (status == TN_OK) {
            status = tni_writer_commit(&out->writer);
        }
        tni_writer_finish(&out->writer);
    }
    tni_free(out);
    return status;
}

/* A tensor as a format can read it: in host memory, and dense unless the format takes others. */
static tn_status to_host(const tni_entry *entry, tn_tensor *tensor, tn_tensor **out_tensor) {
    TNI_TRY(tni_format_takes(entry, tensor));
    if (tensor->storage->host_addressable != 0) {
        tn_tensor_retain(tensor);
        *out_tensor = tensor;
        return TN_OK;
    }
    const tn_view *view = &tensor->view;
    tn_tensor *copy;
    TNI_TRY(tn_tensor_create(tensor->runtime, view->dtype, view->rank, view->shape, &copy));
    const tn_status status = tn_tensor_copy(tensor, copy);
    if (status != TN_OK) {
        tn_tensor_release(copy);
        return status;
    }
    *out_tensor = copy;
    return TN_OK;
}

static tn_status write_list(const tn_tensor_list *list, const tni_entry *entry, const char *path) {
    tn_named_tensor *tensors = tni_allocate(list->count, sizeof *tensors);
    if (tensors == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status = TN_OK;
    for (uint32_t i = 0; i < list->count && status == TN_OK; i++) {
        tensors[i].name = list->items[i].name;
        status = to_host(entry, list->items[i].tensor, &tensors[i].tensor);
        if (status != TN_OK && tensors[i].name != NULL) {
            status = tni_in(status, "'%s'", tensors[i].name);
        }
    }
    if (status == TN_OK) {
        status = write_file(entry, tensors, list->count, path);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        tn_tensor_release(tensors[i].tensor);
    }
    tni_free(tensors);
    return status;
}

tn_status tn_tensor_list_write(const tn_tensor_list *list, const char *path, const char *format) {
    const tni_entry *entry;
    tn_status status = format != NULL
                           ? tni_format_named(list->runtime, TNI_WRITE_TENSORS, format, &entry)
                           : tni_format_by_ending(list->runtime, TNI_WRITE_TENSORS, path, &entry);
    if (status == TN_OK) {
        status = write_list(list, entry, path);
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
    return tni_in(status, "%s", path);
}
