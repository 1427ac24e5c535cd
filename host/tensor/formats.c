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

/* The entry's format with a lease, or NULL: it may not be had, or have left since it was seen. */
static const tn_format *take_format(const tni_entry *entry) {
    if (!tni_entry_make_ready(entry) ||
        tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL) != TN_OK) {
        return NULL;
    }
    return tni_format_of(entry);
}

/* NULL is allowed. */
static void let_go(const tni_entry *entry) {
    if (entry != NULL) {
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
}

/* "'mxnet', 'npy'", of those that can; "none" when none can. */
static void list_able(const tn_runtime *runtime, tni_format_use use, tni_text *text) {
    const tni_entry *entry;
    for (uint32_t i = 0; (entry = tni_registry_peek(runtime, TN_KIND_FORMAT, i)) != NULL; i++) {
        const tn_format *format = take_format(entry);
        if (format == NULL) {
            continue;
        }
        if (can(format, use)) {
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

/* A format that knows the bytes by their name alone gives no more. */
enum { BY_NAME = 1 };

typedef struct surest {
    const tni_entry *entry; /* with a lease; NULL: none so far */
    int32_t score;
} surest;

static void ask(const tni_entry *entry, tni_format_use use, bool able, const tn_source *start,
                surest *best) {
    const tn_format *format = take_format(entry);
    if (format == NULL) {
        return;
    }
    const int32_t score =
        can(format, use) == able ? format->recognise(&entry->plugin->host, start) : 0;
    if (score > best->score) {
        let_go(best->entry);
        *best = (surest){entry, score};
    } else {
        let_go(entry);
    }
}

/* Those with an ending of the path first: where one of them knows the bytes, the others need not be
 * loaded to be asked. */
const tni_entry *tni_format_surest(const tn_runtime *runtime, tni_format_use use, bool able,
                                   const tn_source *source) {
    tn_source start = *source;
    start.size = source->size < RECOGNISE_SIZE ? source->size : RECOGNISE_SIZE;
    surest best = {NULL, 0};
    const tni_entry *entry;
    for (uint32_t i = 0; (entry = tni_registry_peek(runtime, TN_KIND_FORMAT, i)) != NULL; i++) {
        if (start.path != NULL && longest_ending(tni_format_endings(entry), start.path) > 0) {
            ask(entry, use, able, &start, &best);
        }
    }
    if (best.score > BY_NAME) {
        return best.entry;
    }
    for (uint32_t i = 0; (entry = tni_registry_peek(runtime, TN_KIND_FORMAT, i)) != NULL; i++) {
        ask(entry, use, able, &start, &best);
    }
    return best.entry;
}

tn_status tni_format_recognise(tn_runtime *runtime, tni_format_use use, const tn_source *source,
                               const char *hint, const tni_entry **out_entry) {
    tn_source start = *source;
    start.path = source->path != NULL ? source->path : hint;
    const tni_entry *best = tni_format_surest(runtime, use, true, &start);
    if (best != NULL) {
        *out_entry = best;
        return TN_OK;
    }
    const tni_entry *unable = tni_format_surest(runtime, use, false, &start);
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
    char what[256 + TNI_REFUSAL_SIZE], refusal[TNI_REFUSAL_SIZE];
    if (entry == NULL) {
        snprintf(what, sizeof what, "there is no format '%.200s'%s", name,
                 tni_registry_refusal(runtime, TN_KIND_FORMAT, name, refusal));
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

const tni_entry *tni_format_with_ending(const tn_runtime *runtime, tni_format_use use,
                                        const char *path) {
    const tni_entry *best = NULL, *entry;
    size_t best_size = 0;
    for (uint32_t i = 0; (entry = tni_registry_peek(runtime, TN_KIND_FORMAT, i)) != NULL; i++) {
        const size_t size = longest_ending(tni_format_endings(entry), path);
        const tn_format *format = size > best_size ? take_format(entry) : NULL;
        if (format == NULL) {
            continue;
        }
        const bool is_better = can(format, use);
        let_go(is_better ? best : entry);
        if (is_better) {
            best = entry;
            best_size = size;
        }
    }
    return best;
}

tn_status tni_format_by_ending(tn_runtime *runtime, tni_format_use use, const char *path,
                               const tni_entry **out_entry) {
    const tni_entry *best = tni_format_with_ending(runtime, use, path);
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
