#include "plugin/ledger.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/runtime.h"

struct tni_ledger {
    pthread_mutex_t lock;
    tn_ledger_record *records;
    uint32_t count, capacity;
    tni_arena texts;
};

tn_status tni_ledger_create(tni_ledger **out_ledger) {
    tni_ledger *ledger = tni_allocate(1, sizeof *ledger);
    if (ledger == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&ledger->lock, NULL);
    *out_ledger = ledger;
    return TN_OK;
}

void tni_ledger_destroy(tni_ledger *ledger) {
    if (ledger == NULL) {
        return;
    }
    tni_arena_finish(&ledger->texts);
    tni_free(ledger->records);
    pthread_mutex_destroy(&ledger->lock);
    tni_free(ledger);
}

static bool copy_texts(tni_arena *arena, tn_ledger_record *record) {
    const char **texts[] = {&record->path,   &record->origin, &record->name,  &record->version,
                            &record->checks, &record->reason, &record->remedy};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = tni_arena_text(arena, *texts[i] != NULL ? *texts[i] : "");
        if (*texts[i] == NULL) {
            return false;
        }
    }
    return true;
}

void tni_ledger_add(tni_ledger *ledger, const tn_ledger_record *record) {
    tn_ledger_record copy = *record;
    pthread_mutex_lock(&ledger->lock);
    if (copy_texts(&ledger->texts, &copy) &&
        tni_grow((void **)&ledger->records, &ledger->capacity, ledger->count + 1,
                 sizeof ledger->records[0]) == TN_OK) {
        ledger->records[ledger->count++] = copy;
    }
    pthread_mutex_unlock(&ledger->lock);
}

uint32_t tn_ledger_count(const tn_runtime *runtime) {
    if (runtime == NULL) {
        return 0;
    }
    pthread_mutex_lock(&runtime->ledger->lock);
    const uint32_t count = runtime->ledger->count;
    pthread_mutex_unlock(&runtime->ledger->lock);
    return count;
}

tn_status tn_ledger_get(const tn_runtime *runtime, uint32_t index, tn_ledger_record *out_record) {
    if (runtime == NULL || out_record == NULL ||
        out_record->struct_size < TN_STRUCT_END(tn_ledger_record, verdict)) {
        return tni_fail(TN_INVALID_ARGUMENT, "ledger: a runtime and a struct are needed");
    }
    tn_ledger_record record = {0};
    pthread_mutex_lock(&runtime->ledger->lock);
    const uint32_t count = runtime->ledger->count;
    if (index < count) {
        record = runtime->ledger->records[index];
    }
    pthread_mutex_unlock(&runtime->ledger->lock);
    if (index >= count) {
        return tni_fail(TN_OUT_OF_RANGE, "ledger: record %u of %u", index, count);
    }
    record.struct_size = out_record->struct_size;
    memcpy(out_record, &record,
           record.struct_size < sizeof record ? record.struct_size : sizeof record);
    return TN_OK;
}
