#include "plugin/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "plugin/load.h"
#include "plugin/runtime.h"

/* The active entries of one kind. */
typedef struct kind_table {
    tni_map by_name;    /* unused for kernels, whose names may repeat */
    tni_entry **sorted; /* by name, then in the order of registration */
    uint32_t count, capacity;
} kind_table;

/* The kernels of one operator. Arrays that were handed out are never written to below the count
 * that was handed out with them; they come from the registry's arena and live as long. */
typedef struct kernel_list {
    const tni_entry **entries;
    uint32_t count, capacity;
} kernel_list;

struct tni_registry {
    pthread_rwlock_t lock;
    kind_table kinds[TNI_KIND_COUNT];
    tni_map kernels; /* operator's name to kernel_list */
    tni_arena arena;
    tni_plugin *gone; /* unloaded plugins, whose records are kept */
};

void tni_registry_lock_shared(const tn_runtime *runtime) {
    pthread_rwlock_rdlock(&runtime->registry->lock);
}

static void lock_exclusive(const tn_runtime *runtime) {
    pthread_rwlock_wrlock(&runtime->registry->lock);
}

void tni_registry_unlock(const tn_runtime *runtime) {
    pthread_rwlock_unlock(&runtime->registry->lock);
}

/* The first place in the sorted array whose name is not less than `name`, or, with `after`, is
 * greater. */
static uint32_t sorted_place(const kind_table *table, const char *name, bool after) {
    uint32_t low = 0;
    uint32_t high = table->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(table->sorted[middle]->own.name, name);
        if (order < 0 || (after && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static tni_entry *find_entry(const tni_registry *registry, uint32_t kind, const char *name) {
    const kind_table *table = &registry->kinds[kind];
    if (kind != TNI_KIND_KERNEL) {
        return tni_map_find(&table->by_name, name);
    }
    const uint32_t place = sorted_place(table, name, false);
    const bool found = place < table->count && strcmp(table->sorted[place]->own.name, name) == 0;
    return found ? table->sorted[place] : NULL;
}

bool tni_entry_make_ready(const tni_entry *entry) {
    return atomic_load_explicit(&entry->plugin->is_ready, memory_order_acquire) ||
           tni_load_waiting(entry->plugin) == TN_OK;
}

/* Ready; or still in the tables, and not to be had at present. */
static bool is_settled(const tni_entry *entry) {
    return tni_entry_make_ready(entry) || !atomic_load(&entry->plugin->leaving);
}

static const tni_entry *if_ready(const tni_entry *entry) {
    return entry != NULL && atomic_load(&entry->plugin->is_ready) ? entry : NULL;
}

const tni_entry *tni_registry_find(const tn_runtime *runtime, const char *kind, const char *name) {
    const uint32_t id = tni_kind_find(kind);
    if (id == TNI_KIND_COUNT) {
        return NULL;
    }
    const tni_entry *entry;
    do { /* where a plugin that could not be loaded is gone, there may be what it had overridden */
        tni_registry_lock_shared(runtime);
        entry = find_entry(runtime->registry, id, name);
        tni_registry_unlock(runtime);
    } while (entry != NULL && !is_settled(entry));
    return if_ready(entry);
}

uint32_t tni_registry_count(const tn_runtime *runtime, const char *kind) {
    uint32_t count = 0;
    const tni_entry *entry;
    while ((entry = tni_registry_peek(runtime, kind, count)) != NULL) {
        count += is_settled(entry) ? 1 : 0;
    }
    return count;
}

const tni_entry *tni_registry_get(const tn_runtime *runtime, const char *kind, uint32_t index) {
    const tni_entry *entry;
    do {
        entry = tni_registry_peek(runtime, kind, index);
    } while (entry != NULL && !is_settled(entry));
    return if_ready(entry);
}

const tni_entry *tni_registry_peek(const tn_runtime *runtime, const char *kind, uint32_t index) {
    const uint32_t id = tni_kind_find(kind);
    if (id == TNI_KIND_COUNT) {
        return NULL;
    }
    tni_registry_lock_shared(runtime);
    const kind_table *table = &runtime->registry->kinds[id];
    const tni_entry *entry = index < table->count ? table->sorted[index] : NULL;
    tni_registry_unlock(runtime);
    return entry;
}

const tni_entry *const *tni_registry_kernels(const tn_runtime *runtime, const char *op,
                                             uint32_t *out_count) {
    tni_registry_lock_shared(runtime);
    const kernel_list *list = tni_map_find(&runtime->registry->kernels, op);
    const tni_entry *const *entries = list != NULL ? list->entries : NULL;
    *out_count = list != NULL ? list->count : 0;
    tni_registry_unlock(runtime);
    return entries;
}

/* Changing the tables. All under the exclusive lock. */

static void take_out_of_order(kind_table *table, const tni_entry *entry) {
    for (uint32_t i = sorted_place(table, entry->own.name, false); i < table->count; i++) {
        if (table->sorted[i] == entry) {
            memmove(&table->sorted[i], &table->sorted[i + 1],
                    (table->count - i - 1) * sizeof table->sorted[0]);
            table->count--;
            return;
        }
    }
}

static tn_status put_in_order(kind_table *table, tni_entry *entry) {
    TNI_TRY(tni_grow((void **)&table->sorted, &table->capacity, table->count + 1,
                     sizeof table->sorted[0]));
    const uint32_t place = sorted_place(table, entry->own.name, true);
    memmove(&table->sorted[place + 1], &table->sorted[place],
            (table->count - place) * sizeof table->sorted[0]);
    table->sorted[place] = entry;
    table->count++;
    return TN_OK;
}

static tn_status add_kernel(tni_registry *registry, const tni_entry *entry) {
    const char *op = tni_kernel_op(entry);
    kernel_list *list = tni_map_find(&registry->kernels, op);
    if (list == NULL) {
        list = tni_arena_allocate(&registry->arena, 1, sizeof *list);
        if (list == NULL || tni_map_set(&registry->kernels, op, list) != TN_OK) {
            return TN_OUT_OF_MEMORY;
        }
    }
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity == 0 ? 4 : list->capacity * 2;
        const tni_entry **larger =
            tni_arena_allocate(&registry->arena, capacity, sizeof(tni_entry *));
        if (larger == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        if (list->count > 0) {
            memcpy(larger, list->entries, list->count * sizeof list->entries[0]);
        }
        list->entries = larger;
        list->capacity = capacity;
    }
    list->entries[list->count++] = entry;
    return TN_OK;
}

/* Into a new array, since the old one may be in a reader's hands. Without memory for one the list
 * of this operator is emptied: its kernels are then not found, which is better than one that is
 * gone. */
static void remove_kernel(tni_registry *registry, const tni_entry *entry) {
    kernel_list *list = tni_map_find(&registry->kernels, tni_kernel_op(entry));
    uint32_t place = 0;
    while (list != NULL && place < list->count && list->entries[place] != entry) {
        place++;
    }
    if (list == NULL || place == list->count) {
        return;
    }
    const tni_entry **rest =
        tni_arena_allocate(&registry->arena, list->capacity, sizeof(tni_entry *));
    if (rest == NULL) {
        *list = (kernel_list){0};
        return;
    }
    memcpy(rest, list->entries, place * sizeof rest[0]);
    memcpy(rest + place, list->entries + place + 1, (list->count - place - 1) * sizeof rest[0]);
    list->entries = rest;
    list->count--;
}

static tn_status insert(tni_registry *registry, tni_entry *entry) {
    kind_table *table = &registry->kinds[entry->kind];
    tni_entry *victim = entry->overrides;
    if (victim != NULL) {
        take_out_of_order(table, victim);
        victim->overridden_by = entry;
    }
    TNI_TRY(put_in_order(table, entry));
    if (entry->kind == TNI_KIND_KERNEL) {
        return add_kernel(registry, entry);
    }
    return tni_map_set(&table->by_name, entry->own.name, entry);
}

/* Undoes `insert`, also one that stopped half-way. Needs no memory: it takes back places that the
 * entry's insertion had, or its victim's. */
static void remove_entry(tni_registry *registry, tni_entry *entry) {
    kind_table *table = &registry->kinds[entry->kind];
    tni_entry *victim = entry->overrides;
    if (entry->overridden_by != NULL) {
        entry->overridden_by->overrides = victim;
        if (victim != NULL) {
            victim->overridden_by = entry->overridden_by;
        }
        return; /* it has no place of its own in the tables */
    }
    take_out_of_order(table, entry);
    if (entry->kind == TNI_KIND_KERNEL) {
        remove_kernel(registry, entry);
    } else if (victim != NULL) {
        tni_map_set(&table->by_name, entry->own.name, victim);
    } else if (tni_map_find(&table->by_name, entry->own.name) == entry) {
        tni_map_remove(&table->by_name, entry->own.name);
    }
    if (victim != NULL) {
        put_in_order(table, victim);
        victim->overridden_by = NULL;
    }
}

static void remove_entries(tni_registry *registry, tni_plugin *plugin, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        if (plugin->entries[i].skipped == NULL) {
            remove_entry(registry, &plugin->entries[i]);
        }
    }
}

static tn_status insert_entries(tni_registry *registry, tni_plugin *plugin) {
    for (uint32_t i = 0; i < plugin->entry_count; i++) {
        if (plugin->entries[i].skipped != NULL) {
            continue;
        }
        const tn_status status = insert(registry, &plugin->entries[i]);
        if (status != TN_OK) {
            remove_entries(registry, plugin, i + 1);
            return status;
        }
    }
    return TN_OK;
}

static void set_ready(tn_runtime *runtime, tni_plugin *plugin) {
    plugin->loaded_before = runtime->last_loaded;
    runtime->last_loaded = plugin;
    atomic_store_explicit(&plugin->is_ready, true, memory_order_release);
}

tn_status tni_registry_commit(tn_runtime *runtime, tni_plugin *plugin) {
    lock_exclusive(runtime);
    tn_status status = tni_grow((void **)&runtime->plugins, &runtime->plugin_capacity,
                                runtime->plugin_count + 1, sizeof runtime->plugins[0]);
    if (status == TN_OK) {
        status = insert_entries(runtime->registry, plugin);
    }
    if (status == TN_OK) {
        runtime->plugins[runtime->plugin_count++] = plugin;
    }
    if (status == TN_OK && plugin->table != NULL) {
        set_ready(runtime, plugin);
    }
    tni_registry_unlock(runtime);
    return status;
}

void tni_registry_set_ready(tn_runtime *runtime, tni_plugin *plugin) {
    lock_exclusive(runtime);
    set_ready(runtime, plugin);
    tni_registry_unlock(runtime);
}

static void forget_order(tn_runtime *runtime, tni_plugin *plugin) {
    tni_plugin **place = &runtime->last_loaded;
    while (*place != NULL && *place != plugin) {
        place = &(*place)->loaded_before;
    }
    if (*place == plugin) {
        *place = plugin->loaded_before;
    }
}

void tni_registry_withdraw(tn_runtime *runtime, tni_plugin *plugin) {
    tni_registry *registry = runtime->registry;
    lock_exclusive(runtime);
    remove_entries(registry, plugin, plugin->entry_count);
    uint32_t place = 0;
    while (runtime->plugins[place] != plugin) {
        place++;
    }
    memmove(&runtime->plugins[place], &runtime->plugins[place + 1],
            (runtime->plugin_count - place - 1) * sizeof runtime->plugins[0]);
    runtime->plugin_count--;
    forget_order(runtime, plugin);
    plugin->next_gone = registry->gone;
    registry->gone = plugin;
    tni_registry_unlock(runtime);
}

static bool offers(const tni_plugin *plugin, const char *kind, const char *name) {
    for (uint32_t i = 0; i < plugin->entry_count; i++) {
        const tn_entry *entry = &plugin->entries[i].own;
        if (strcmp(entry->kind, kind) == 0 && strcmp(entry->name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *tni_registry_refusal(const tn_runtime *runtime, const char *kind, const char *name,
                                 char buffer[TNI_REFUSAL_SIZE]) {
    buffer[0] = '\0';
    tni_registry_lock_shared(runtime);
    const tni_plugin *plugin = runtime->registry->gone;
    while (plugin != NULL && !(plugin->has_failed && offers(plugin, kind, name))) {
        plugin = plugin->next_gone;
    }
    if (plugin != NULL) {
        snprintf(buffer, TNI_REFUSAL_SIZE,
                 "; plugin '%s' does, but could not be loaded (`tenon plugin why %s` tells)",
                 plugin->name, plugin->name);
    }
    tni_registry_unlock(runtime);
    return buffer;
}

/* Plugins and leases. */

tni_plugin *tni_plugin_find(const tn_runtime *runtime, const char *name) {
    tni_plugin *found = NULL;
    tni_registry_lock_shared(runtime);
    for (uint32_t i = 0; i < runtime->plugin_count && found == NULL; i++) {
        found = strcmp(runtime->plugins[i]->name, name) == 0 ? runtime->plugins[i] : NULL;
    }
    tni_registry_unlock(runtime);
    return found;
}

/* The lease is taken first and `leaving` read after it, while an unload sets `leaving` first and
 * reads the leases after: one of the two sees the other. */
tn_status tni_plugin_acquire(tni_plugin *plugin, tni_holder holder) {
    atomic_fetch_add(&plugin->leases[holder], 1);
    if (atomic_load(&plugin->leaving)) {
        atomic_fetch_sub(&plugin->leases[holder], 1);
        return tni_fail(TN_BUSY, "plugin '%s' is being unloaded", plugin->name);
    }
    return TN_OK;
}

void tni_plugin_release(tni_plugin *plugin, tni_holder holder) {
    atomic_fetch_sub(&plugin->leases[holder], 1);
}

static bool already_uses(const tni_plugin *user, const tni_plugin *used) {
    for (uint32_t i = 0; i < user->use_count; i++) {
        if (user->uses[i] == used) {
            return true;
        }
    }
    return false;
}

tn_status tni_registry_add_use(tni_plugin *user, tni_plugin *used) {
    if (user == used) {
        return TN_OK;
    }
    tn_status status = TN_OK;
    lock_exclusive(user->runtime);
    if (!already_uses(user, used)) {
        status = tni_grow((void **)&user->uses, &user->use_capacity, user->use_count + 1,
                          sizeof user->uses[0]);
        if (status == TN_OK) {
            status = tni_plugin_acquire(used, TNI_HOLDER_PLUGIN);
        }
        if (status == TN_OK) {
            user->uses[user->use_count++] = used;
        }
    }
    tni_registry_unlock(user->runtime);
    return status;
}

void tni_registry_end_uses(tni_plugin *user) {
    for (uint32_t i = 0; i < user->use_count; i++) {
        tni_plugin_release(user->uses[i], TNI_HOLDER_PLUGIN);
    }
    tni_free(user->uses);
    user->uses = NULL;
    user->use_count = 0;
    user->use_capacity = 0;
}

tn_status tni_registry_create(tni_registry **out_registry) {
    tni_registry *registry = tni_allocate(1, sizeof *registry);
    if (registry == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    pthread_rwlock_init(&registry->lock, NULL);
    *out_registry = registry;
    return TN_OK;
}

static void free_plugin(tni_plugin *plugin) {
    tni_free(plugin->uses);
    tni_arena_finish(&plugin->arena);
    tni_free(plugin);
}

void tni_registry_destroy(tn_runtime *runtime) {
    tni_registry *registry = runtime->registry;
    if (registry == NULL) {
        return;
    }
    for (uint32_t kind = 0; kind < TNI_KIND_COUNT; kind++) {
        tni_map_finish(&registry->kinds[kind].by_name, NULL);
        tni_free(registry->kinds[kind].sorted);
    }
    tni_map_finish(&registry->kernels, NULL);
    tni_arena_finish(&registry->arena);
    while (registry->gone != NULL) {
        tni_plugin *next = registry->gone->next_gone;
        free_plugin(registry->gone);
        registry->gone = next;
    }
    for (uint32_t i = 0; i < runtime->plugin_count; i++) {
        free_plugin(runtime->plugins[i]);
    }
    tni_free(runtime->plugins);
    runtime->plugins = NULL;
    runtime->plugin_count = runtime->plugin_capacity = 0;
    pthread_rwlock_destroy(&registry->lock);
    tni_free(registry);
    runtime->registry = NULL;
}
