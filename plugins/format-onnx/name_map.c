#include "name_map.h"

struct name_map_slot {
    const char *name; /* NULL: free */
    uint64_t hash;
    tn_value value;
};

enum { FIRST_CAPACITY = 64 };

static uint64_t hash_name(const char *name) {
    uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
    }
    return hash;
}

/* Where the name is, or the free slot where it would be. */
static struct name_map_slot *slot_of(const struct name_map *map, const char *name, uint64_t hash) {
    for (uint64_t at = hash;; at++) {
        struct name_map_slot *slot = &map->slots[at & (map->capacity - 1)];
        if (slot->name == NULL || (slot->hash == hash && strcmp(slot->name, name) == 0)) {
            return slot;
        }
    }
}

static tn_status grow(const tn_host *host, struct name_map *map) {
    struct name_map larger = {.capacity = map->capacity > 0 ? map->capacity * 2 : FIRST_CAPACITY};
    void *slots;
    TN_TRY(tn_allocate(host, larger.capacity, sizeof *larger.slots, &slots));
    larger.slots = slots;
    for (uint64_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].name != NULL) {
            *slot_of(&larger, map->slots[i].name, map->slots[i].hash) = map->slots[i];
        }
    }
    larger.count = map->count;
    name_map_finish(host, map);
    *map = larger;
    return TN_OK;
}

tn_status name_map_set(const tn_host *host, struct name_map *map, const char *name,
                       tn_value value) {
    if (map->count * 2 >= map->capacity) {
        TN_TRY(grow(host, map));
    }
    const uint64_t hash = hash_name(name);
    struct name_map_slot *slot = slot_of(map, name, hash);
    map->count += slot->name == NULL;
    *slot = (struct name_map_slot){name, hash, value};
    return TN_OK;
}

const tn_value *name_map_find(const struct name_map *map, const char *name) {
    if (map->capacity == 0) {
        return NULL;
    }
    const struct name_map_slot *slot = slot_of(map, name, hash_name(name));
    return slot->name == NULL ? NULL : &slot->value;
}

void name_map_finish(const tn_host *host, struct name_map *map) {
    tn_free(host, map->slots);
    *map = (struct name_map){0};
}
