/* From names to values of a graph. The names are borrowed. */
#ifndef FORMAT_ONNX_NAME_MAP_H
#define FORMAT_ONNX_NAME_MAP_H

#include <tenon/plugin.h>

struct name_map {
    struct name_map_slot *slots;
    uint64_t capacity; /* a power of two, or 0 */
    uint64_t count;
};

/* Replaces what the name had. */
tn_status name_map_set(const tn_host *host, struct name_map *map, const char *name, tn_value value);
/* NULL when there is no such name; valid until the next set. */
const tn_value *name_map_find(const struct name_map *map, const char *name);
void name_map_finish(const tn_host *host, struct name_map *map);

#endif
