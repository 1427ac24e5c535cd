/* The choice of a format plugin: by the bytes, by name, or by a file name's ending. */
#include "tensor/formats.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "tensor/sparse.h"

/* As much of a file as recognise is shown. */
enum { RECOGNISE_SIZE = 4096 };

static const char *use_text(tni_format_use use) {
    switch (use) {
    case TNI_READ_GRAPH: return "read graphs";
    case TNI_WRITE_GRAPH: return "write graphs";
    case TNI_READ_TENSORS: return "read tensors";
    case TNI_WRITE_TENSORS: return "write tensors";
    default: return "";
    }
}

static bool can(const tn_format *format, tni_format_use use) {
    switch (use) {
    case TNI_READ_GRAPH: return format->read_graph != NULL;
    case TNI_WRITE_GRAPH: return format->write_graph != NULL;
    case TNI_READ_TENSORS: return format->read_tensors != NULL;
    case TNI_WRITE_TENSORS: return format->write_tensors != NULL;
    default: return false;
    }
}

/* The format number `index` with a lease, or NULL: it may have left since they were counted. */
static const tni_entry *take_format(const tn_runtime *runtime, uint32_t index) {
    const tni_entry *entry = tni_registry_get(runtime, TN_KIND_FORMAT, index);
    if (entry == NULL || tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL) != TN_OK) {
        return NULL;
    }
    return entry;
}

/* NULL is allowed. */
static void let_go(const tni_entry *entry) {
    if (entry != NULL) {
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
}

/* "'mxnet', 'npy'", of those that can; "none" when none can. */
static void list_able(const tn_runtime *runtime, tni_format_use use, tni_text *text) {
    const uint32_t count = tni_registry_count(runtime, TN_KIND_FORMAT);
    for (uint32_t i = 0; i < count; i++) {
        const tni_entry *entry = take_format(runtime, i);
        if (entry != NULL && can(tni_format_of(entry), use)) {
            tni_text_add(text, "%s'%s'", text->size > 0 ? ", " : "", entry->entry->name);
        }
        let_go(entry);
    }
    if (text->size == 0) {
        tni_text_add(text, "none");
    }
}

static tn_status fail_unable(tn_runtime *runtime, tni_format_use use, tn_status status,
                             const char *what) {
    tni_text able = {0};
    list_able(runtime, use, &able);
    tni_fail(status, "%s; loaded formats that %s: %s", what, use_text(use), tni_text_get(&able));
    tni_text_finish(&able);
    return status;
}

/* The format whose `recognise` gives the highest score among those that `can` (or cannot) do what
 * is wanted; NULL when none gives any. */
static const tni_entry *find_surest(const tn_runtime *runtime, tni_format_use use, bool able,
                                    const tn_source *start) {
    const tni_entry *best = NULL;
    int32_t best_score = 0;
    const uint32_t count = tni_registry_count(runtime, TN_KIND_FORMAT);
    for (uint32_t i = 0; i < count; i++) {
        const tni_entry *entry = take_format(runtime, i);
        if (entry == NULL || can(tni_format_of(entry), use) != able) {
            let_go(entry);
            continue;
        }
        const int32_t score = tni_format_of(entry)->recognise(&entry->plugin->host, start);
        const tni_entry *worse = score > best_score ? best : entry;
        if (score > best_score) {
            best = entry;
            best_score = score;
        }
        let_go(worse);
    }
    return best;
}

tn_status tni_format_recognise(tn_runtime *runtime, tni_format_use use, const tn_source *source,
                               const char *hint, const tni_entry **out_entry) {
    tn_source start = *source;
    start.size = source->size < RECOGNISE_SIZE ? source->size : RECOGNISE_SIZE;
    start.path = source->path != NULL ? source->path : hint;
    const tni_entry *best = find_surest(runtime, use, true, &start);
    if (best != NULL) {
        *out_entry = best;
        return TN_OK;
    }
    const tni_entry *unable = find_surest(runtime, use, false, &start);
    if (unable == NULL) {
        return fail_unable(runtime, use, TN_UNSUPPORTED, "no loaded format recognises these bytes");
    }
    char what[256];
    snprintf(what, sizeof what, "this is format '%s', which cannot %s", unable->entry->name,
             use_text(use));
    let_go(unable);
    return fail_unable(runtime, use, TN_UNSUPPORTED, what);
}

tn_status tni_format_named(tn_runtime *runtime, tni_format_use use, const char *name,
                           const tni_entry **out_entry) {
    const tni_entry *entry = tni_registry_find(runtime, TN_KIND_FORMAT, name);
    char what[256];
    if (entry == NULL) {
        snprintf(what, sizeof what, "there is no format '%s'", name);
        return fail_unable(runtime, use, TN_NOT_FOUND, what);
    }
    TNI_TRY(tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL));
    if (!can(tni_format_of(entry), use)) {
        let_go(entry);
        snprintf(what, sizeof what, "format '%s' cannot %s", name, use_text(use));
        return fail_unable(runtime, use, TN_UNSUPPORTED, what);
    }
    *out_entry = entry;
    return TN_OK;
}

/* The size of the longest of the endings "a,b" that `path` has, or 0. */
static size_t longest_ending(const char *endings, const char *path) {
    const size_t path_size = strlen(path);
    size_t longest = 0;
    while (endings != NULL && *endings != '\0') {
        const size_t size = strcspn(endings, ",");
        if (size > longest && size <= path_size &&
            memcmp(path + path_size - size, endings, size) == 0) {
            longest = size;
        }
        endings += size + (endings[size] == ',');
    }
    return longest;
}

tn_status tni_format_by_ending(tn_runtime *runtime, tni_format_use use, const char *path,
                               const tni_entry **out_entry) {
    const tni_entry *best = NULL;
    size_t best_size = 0;
    const uint32_t count = tni_registry_count(runtime, TN_KIND_FORMAT);
    for (uint32_t i = 0; i < count; i++) {
        const tni_entry *entry = take_format(runtime, i);
        if (entry == NULL) {
            continue;
        }
        const tn_format *format = tni_format_of(entry);
        const size_t size = can(format, use) ? longest_ending(format->extensions, path) : 0;
        const tni_entry *worse = size > best_size ? best : entry;
        if (size > best_size) {
            best = entry;
            best_size = size;
        }
        let_go(worse);
    }
    if (best == NULL) {
        return fail_unable(runtime, use, TN_UNSUPPORTED,
                           "the file name's ending belongs to no loaded format: name the format");
    }
    *out_entry = best;
    return TN_OK;
}

tn_status tni_format_takes(const tni_entry *entry, const tn_tensor *tensor) {
    if (tensor->sparse == NULL || tni_format_of(entry)->flags & TN_FORMAT_SPARSE) {
        return TN_OK;
    }
    return tni_fail(TN_UNSUPPORTED,
                    "format '%s' has no %s tensors: make it dense first with the operator "
                    "cast_storage, or choose another format",
                    entry->entry->name, tn_storage_name(tensor->sparse->parts.storage));
}
