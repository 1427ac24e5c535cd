/* A hash map from texts to pointers. Keys are copied; values are borrowed. */
#ifndef TENON_BASE_MAP_H
#define TENON_BASE_MAP_H

#include <tenon/api.h>

typedef struct tni_map_slot {
    char *key; /* NULL: empty */
    void *value;
    uint64_t hash;
} tni_map_slot;

typedef struct tni_map {
    tni_map_slot *slots;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
} tni_map;

/* NULL when the key is not there. */
void *tni_map_find(const tni_map *map, const char *key);

/* Adds or replaces. */
tn_status tni_map_set(tni_map *map, const char *key, void *value);

void tni_map_remove(tni_map *map, const char *key);

/* Frees the keys; for each value that is not NULL calls `destroy` when that is not NULL. */
void tni_map_finish(tni_map *map, void (*destroy)(void *value));

uint64_t tni_hash(const void *data, size_t size, uint64_t seed);

#endif
