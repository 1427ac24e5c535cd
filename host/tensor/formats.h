/* The choice of a format plugin: for tensor lists here, for graphs above. */
#ifndef TENON_TENSOR_FORMATS_H
#define TENON_TENSOR_FORMATS_H

#include <tenon/plugin/format.h>

#include "plugin/registry.h"

/* What a format is wanted for. */
typedef enum tni_format_use {
    TNI_READ_GRAPH,
    TNI_WRITE_GRAPH,
    TNI_READ_TENSORS,
    TNI_WRITE_TENSORS
} tni_format_use;

static inline const tn_format *tni_format_of(const tni_entry *entry) {
    return (const tn_format *)entry->entry->impl;
}

/* Each finds a format that can do what it is wanted for, and takes a lease on its plugin
 * (TNI_HOLDER_CALL) that the caller releases. */

/* The one that is surest among those that are `able` (or not) to do what is wanted; NULL when none
 * knows the bytes. */
const tni_entry *tni_format_surest(const tn_runtime *runtime, tni_format_use use, bool able,
                                   const tn_source *source);
/* The one with the longest ending that `path` has, or NULL. */
const tni_entry *tni_format_with_ending(const tn_runtime *runtime, tni_format_use use,
                                        const char *path);

/* The same with a failure that lists those that there are. */

/* The one that is surest to recognise the bytes. `hint` (may be NULL) takes the place of the path
 * where the bytes come from memory. */
tn_status tni_format_recognise(tn_runtime *runtime, tni_format_use use, const tn_source *source,
                               const char *hint, const tni_entry **out_entry);
/* The one called `name`. */
tn_status tni_format_named(tn_runtime *runtime, tni_format_use use, const char *name,
                           const tni_entry **out_entry);
/* The one with the longest ending that `path` has. */
tn_status tni_format_by_ending(tn_runtime *runtime, tni_format_use use, const char *path,
                               const tni_entry **out_entry);

/* Fails when the tensor is sparse and the format writes dense ones alone. */
tn_status tni_format_takes(const tni_entry *entry, const tn_tensor *tensor);

#endif
