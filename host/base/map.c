#include "base/map.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* FNV-1a: keys are short names. */
uint64_t tni_hash(const void *data, size_t size, uint64_t seed) {
    const unsigned char *bytes = data;
    uint64_t hash = seed ^ 14695981039346656037ull;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211ull;
    }
    return hash;
}

static uint32_t find_slot(const tni_map *map, const char *key, uint64_t hash) {
    uint32_t index = (uint32_t)hash & (map->capacity - 1);
    while (map->slots[index].key != NULL &&
           (map->slots[index].hash != hash || strcmp(map->slots[index].key, key) != 0)) {
        index = (index + 1) & (map->capacity - 1);
    }
    return index;
}

void *tni_map_find(const tni_map *map, const char *key) {
    if (map->count == 0) {
        return NULL;
    }
    return map->slots[find_slot(map, key, tni_hash(key, strlen(key), 0))].value;
}

static tn_status rehash(tni_map *map, uint32_t capacity) {
    tni_map larger = {tni_allocate(capacity, sizeof(tni_map_slot)), capacity, map->count};
    if (larger.slots == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < map->capacity; i++) {
        const tni_map_slot *slot = &map->slots[i];
        if (slot->key != NULL) {
            larger.slots[find_slot(&larger, slot->key, slot->hash)] = *slot;
        }
    }
    tni_free(map->slots);
    *map = larger;
    return TN_OK;
}

tn_status tni_map_set(tni_map *map, const char *key, void *value) {
    if ((map->count + 1) * 4 > map->capacity * 3) {
        TNI_TRY(rehash(map, map->capacity == 0 ? 16 : map->capacity * 2));
    }
    const uint64_t hash = tni_hash(key, strlen(key), 0);
    tni_map_slot *slot = &map->slots[find_slot(map, key, hash)];
    if (slot->key == NULL) {
        char *copy = tni_copy_text(key);
        if (copy == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        *slot = (tni_map_slot){copy, value, hash};
        map->count++;
    }
    slot->value = value;
    return TN_OK;
}

void tni_map_remove(tni_map *map, const char *key) {
    if (map->count == 0) {
        return;
    }
    uint32_t index = find_slot(map, key, tni_hash(key, strlen(key), 0));
    if (map->slots[index].key == NULL) {
        return;
    }
    tni_free(map->slots[index].key);
    map->slots[index] = (tni_map_slot){0};
    map->count--;
    /* Close the gap: what follows may have been pushed past this slot. */
    for (uint32_t next = (index + 1) & (map->capacity - 1); map->slots[next].key != NULL;
         next = (next + 1) & (map->capacity - 1)) {
        const tni_map_slot moved = map->slots[next];
        map->slots[next] = (tni_map_slot){0};
        map->slots[find_slot(map, moved.key, moved.hash)] = moved;
    }
}

void tni_map_finish(tni_map *map, void (*destroy)(void *value)) {
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].key != NULL) {
            tni_free(map->slots[i].key);
            if (destroy != NULL && map->slots[i].value != NULL) {
                destroy(map->slots[i].value);
            }
        }
    }
    tni_free(map->slots);
    *map = (tni_map){0};
}
