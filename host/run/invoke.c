/*
 * Eager calls. A call is a plan of one node, kept under a key made of the operator's name, the
 * attributes and the input types, so that a call of a form that was seen before neither parses nor
 * prepares. A kept call serves one thread at a time; a second thread gets a second one.
 */
#include "run/invoke.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plugin/runtime.h"
#include "run/plan.h"
#include "tensor/sparse.h"
#include "tensor/tensor.h"

enum { BUCKETS = 256, MAX_KEPT = 1024, KEY_WORDS = 128, MAX_INPUTS = 4096 };

typedef struct kept_call {
    struct kept_call *next; /* in its bucket */
    uint64_t hash, last_used;
    uint64_t *key;
    size_t key_words;
    atomic_bool is_busy; /* set under the lock, cleared without it */
    tn_graph *graph;
    tni_plan *plan;
    const tn_view **input_views, **output_views;
    uint32_t *input_numbers; /* of the plan's inputs among the call's */
    bool is_for_elements;    /* inference has read elements of the inputs: not for other ones */
} kept_call;

typedef struct tni_invoke_cache {
    pthread_mutex_t lock;
    kept_call *buckets[BUCKETS];
    uint32_t count;
    uint64_t clock;
    tn_device *device;
} tni_invoke_cache;

/* What was asked for, as words that can be compared. */
typedef struct call_key {
    uint64_t *words;
    size_t count, capacity;
    uint64_t hash;
    uint64_t room[KEY_WORDS];
} call_key;

static tn_status key_reserve(call_key *key, size_t more) {
    if (key->capacity - key->count >= more) {
        return TN_OK;
    }
    const size_t capacity = (key->count + more) * 2;
    uint64_t *words = tni_allocate(capacity, sizeof *words);
    if (words == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(words, key->words, key->count * sizeof *words);
    if (key->words != key->room) {
        tni_free(key->words);
    }
    key->words = words;
    key->capacity = capacity;
    return TN_OK;
}

static void key_add(call_key *key, uint64_t word) {
    key->words[key->count++] = word;
    key->hash = (key->hash ^ word) * 0x9e3779b97f4a7c15ull;
    key->hash ^= key->hash >> 29;
}

static tn_status key_add_text(call_key *key, const char *text) {
    const size_t size = strlen(text);
    TNI_TRY(key_reserve(key, size / 8 + 2));
    key_add(key, size);
    size_t at = 0;
    for (; size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, 8);
        key_add(key, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, text + at, size - at);
    key_add(key, rest);
    return TN_OK;
}

static tn_status key_add_tensor(call_key *key, const tn_tensor *tensor) {
    if (tensor == NULL) {
        TNI_TRY(key_reserve(key, 1));
        key_add(key, 0);
        return TN_OK;
    }
    const tn_view *view = &tensor->view;
    const uint64_t rank = (uint32_t)view->rank, storage = tn_tensor_storage(tensor);
    TNI_TRY(key_reserve(key, (size_t)view->rank + 1));
    key_add(key, (rank << 32) | (storage << 48) | view->dtype);
    for (int32_t axis = 0; axis < view->rank; axis++) {
        key_add(key, (uint64_t)view->shape[axis]);
    }
    return TN_OK;
}

static tn_status make_key(call_key *key, const char *op, const tn_option *attributes,
                          uint32_t attribute_count, tn_tensor *const *inputs,
                          uint32_t input_count) {
    key->words = key->room;
    key->capacity = KEY_WORDS;
    key->count = 0;
    key->hash = 0;
    TNI_TRY(key_add_text(key, op));
    TNI_TRY(key_reserve(key, 1));
    key_add(key, ((uint64_t)attribute_count << 32) | input_count);
    for (uint32_t i = 0; i < attribute_count; i++) {
        TNI_TRY(key_add_text(key, attributes[i].name));
        TNI_TRY(key_add_text(key, attributes[i].value));
    }
    for (uint32_t i = 0; i < input_count; i++) {
        TNI_TRY(key_add_tensor(key, inputs[i]));
    }
    return TN_OK;
}

static void destroy_call(kept_call *call) {
    if (call != NULL) {
        tni_plan_destroy(call->plan);
        tn_graph_destroy(call->graph);
        tni_free(call->key);
        tni_free(call->input_views);
        tni_free(call->output_views);
        tni_free(call->input_numbers);
        tni_free(call);
    }
}

/* Takes a call of this form that no thread is using. */
static kept_call *take_kept(tni_invoke_cache *cache, const call_key *key) {
    kept_call *found = NULL;
    pthread_mutex_lock(&cache->lock);
    for (kept_call *call = cache->buckets[key->hash % BUCKETS]; call != NULL; call = call->next) {
        if (call->hash == key->hash && call->key_words == key->count &&
            !atomic_load_explicit(&call->is_busy, memory_order_acquire) &&
            memcmp(call->key, key->words, key->count * sizeof *key->words) == 0) {
            atomic_store_explicit(&call->is_busy, true, memory_order_relaxed);
            call->last_used = ++cache->clock;
            found = call;
            break;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

static void give_back(kept_call *call) {
    atomic_store_explicit(&call->is_busy, false, memory_order_release);
}

static void unlink_call(tni_invoke_cache *cache, kept_call *call) {
    kept_call **link = &cache->buckets[call->hash % BUCKETS];
    while (*link != call) {
        link = &(*link)->next;
    }
    *link = call->next;
    cache->count--;
}

/* Takes out the idle call that was used longest ago; NULL when all are busy. */
static kept_call *evict(tni_invoke_cache *cache) {
    kept_call *oldest = NULL;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (kept_call *call = cache->buckets[i]; call != NULL; call = call->next) {
            if (!atomic_load_explicit(&call->is_busy, memory_order_acquire) &&
                (oldest == NULL || call->last_used < oldest->last_used)) {
                oldest = call;
            }
        }
    }
    if (oldest != NULL) {
        unlink_call(cache, oldest);
    }
    return oldest;
}

static void keep(tni_invoke_cache *cache, kept_call *call) {
    pthread_mutex_lock(&cache->lock);
    kept_call *evicted = cache->count >= MAX_KEPT ? evict(cache) : NULL;
    atomic_store_explicit(&call->is_busy, true, memory_order_relaxed);
    call->last_used = ++cache->clock;
    call->next = cache->buckets[call->hash % BUCKETS];
    cache->buckets[call->hash % BUCKETS] = call;
    cache->count++;
    pthread_mutex_unlock(&cache->lock);
    destroy_call(evicted);
}

/* A graph of one node: a variable for each input, the visible outputs as outputs. */
static tn_status build_graph(kept_call *call, const char *op, const tn_option *attributes,
                             uint32_t attribute_count, tn_tensor *const *inputs,
                             uint32_t input_count) {
    tn_graph *graph = call->graph;
    tn_value *values = tni_allocate((size_t)input_count, sizeof *values);
    if (values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < input_count; i++) {
        values[i] = (tn_value){TN_NO_NODE, 0};
        if (inputs[i] != NULL) {
            char name[32];
            snprintf(name, sizeof name, "input%u", i);
            const tn_tensor_type type = tni_tensor_type(inputs[i]);
            status = tn_graph_add_variable(graph, name, &type, &values[i].node);
        }
    }
    uint32_t node;
    if (status == TN_OK) {
        status = tn_graph_add_node(graph, op, op, attributes, attribute_count, values, input_count,
                                   &node);
    }
    tni_free(values);
    TNI_TRY(status);
    const uint32_t outputs = graph->nodes[node]->visible_output_count;
    values = tni_allocate(outputs, sizeof *values);
    if (values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < outputs; i++) {
        values[i] = (tn_value){node, i};
    }
    status = tn_graph_set_outputs(graph, values, outputs);
    tni_free(values);
    return status;
}

static tn_status build_plan(tn_runtime *runtime, kept_call *call, tn_tensor *const *inputs,
                            uint32_t input_count) {
    tn_graph *graph = call->graph;
    uint32_t variables = 0;
    tni_arena arena = {0};
    uint32_t *nodes = tni_arena_allocate(&arena, input_count, sizeof *nodes);
    tn_tensor_type *types = tni_arena_allocate(&arena, input_count, sizeof *types);
    tn_tensor **none = tni_arena_allocate(&arena, graph->node_count, sizeof *none);
    tn_tensor **elements = tni_arena_allocate(&arena, graph->node_count, sizeof *elements);
    call->input_numbers = tni_allocate(input_count, sizeof(uint32_t));
    call->input_views = tni_allocate(input_count, sizeof(tn_view *));
    call->output_views = tni_allocate(graph->output_count, sizeof(tn_view *));
    tn_status status = TN_OK;
    if (nodes == NULL || types == NULL || none == NULL || elements == NULL ||
        call->input_numbers == NULL || call->input_views == NULL || call->output_views == NULL) {
        status = TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; status == TN_OK && i < input_count; i++) {
        if (inputs[i] != NULL) {
            types[variables] = tni_tensor_type(inputs[i]);
            elements[variables] = inputs[i];
            call->input_numbers[variables] = i;
            nodes[variables] = variables;
            variables++;
        }
    }
    if (status == TN_OK) {
        call->is_for_elements = graph->nodes[variables]->op->value_input_count > 0;
        status = tni_graph_infer_variables(graph, types, call->is_for_elements ? elements : NULL);
    }
    if (status == TN_OK) {
        const tni_plan_desc desc = {.graph = graph,
                                    .device = runtime->invoke_cache->device,
                                    .inputs = nodes,
                                    .input_count = variables,
                                    .parameters = none};
        status = tni_plan_create(&desc, &call->plan);
    }
    tni_arena_finish(&arena);
    return status;
}

static tn_status make_call(tn_runtime *runtime, const call_key *key, const char *op,
                           const tn_option *attributes, uint32_t attribute_count,
                           tn_tensor *const *inputs, uint32_t input_count, kept_call **out_call) {
    kept_call *call = tni_allocate(1, sizeof *call);
    if (call == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    call->hash = key->hash;
    call->key_words = key->count;
    call->key = tni_allocate(key->count, sizeof *call->key);
    tn_status status = call->key == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    if (status == TN_OK) {
        memcpy(call->key, key->words, key->count * sizeof *call->key);
        status = tni_graph_create_for(runtime, TNI_HOLDER_INVOKE, &call->graph);
    }
    if (status == TN_OK) {
        status = build_graph(call, op, attributes, attribute_count, inputs, input_count);
    }
    if (status == TN_OK) {
        status = build_plan(runtime, call, inputs, input_count);
    }
    if (status != TN_OK) {
        destroy_call(call);
        return status;
    }
    if (!call->is_for_elements) {
        keep(runtime->invoke_cache, call);
    }
    *out_call = call;
    return TN_OK;
}

static tn_status create_cache(tn_runtime *runtime) {
    tni_invoke_cache *cache = tni_allocate(1, sizeof *cache);
    if (cache == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const tn_status status = tn_device_open(runtime, "cpu", &cache->device);
    if (status != TN_OK) {
        tni_free(cache);
        return status;
    }
    pthread_mutex_init(&cache->lock, NULL);
    runtime->invoke_cache = cache;
    return TN_OK;
}

/* The cache, with the CPU open, made by the first eager call. */
static tn_status open_cache(tn_runtime *runtime) {
    if (__atomic_load_n(&runtime->invoke_cache, __ATOMIC_ACQUIRE) != NULL) {
        return TN_OK;
    }
    pthread_mutex_lock(&runtime->invoke_lock);
    const tn_status status = runtime->invoke_cache == NULL ? create_cache(runtime) : TN_OK;
    pthread_mutex_unlock(&runtime->invoke_lock);
    return status;
}

static tn_status check_output(const tn_tensor *tensor, const tn_tensor_type *type, uint32_t index) {
    const tn_view *view = &tensor->view;
    if (view->dtype == type->dtype && view->rank == type->shape.rank &&
        tn_tensor_storage(tensor) == type->storage &&
        memcmp(view->shape, type->shape.extents, (size_t)view->rank * sizeof(int64_t)) == 0) {
        return TN_OK;
    }
    const tn_tensor_type given = tni_tensor_type(tensor);
    char have[600], want[600];
    return tni_fail(TN_INVALID_ARGUMENT, "output %u is given a tensor of %s: expected %s", index,
                    tni_type_text(&given, have, sizeof have),
                    tni_type_text(type, want, sizeof want));
}

static tn_status given_unknown(uint32_t index) {
    return tni_fail(TN_INVALID_ARGUMENT,
                    "output %u is given a tensor, but its extents follow from the run: expected "
                    "none, to get a new one",
                    index);
}

/* What a sparse tensor held is gone when the kernel begins to fill it. */
static tn_status check_sparse_output(const kept_call *call, tn_tensor *const *inputs,
                                     tn_tensor *const *outputs, uint32_t index) {
    bool is_other = false;
    for (uint32_t i = 0; i < call->plan->input_count; i++) {
        is_other = is_other || inputs[call->input_numbers[i]] == outputs[index];
    }
    for (uint32_t i = 0; i < index; i++) {
        is_other = is_other || outputs[i] == outputs[index];
    }
    return is_other ? tni_fail(TN_INVALID_ARGUMENT,
                               "output %u is a sparse tensor that is an input or another output, "
                               "too: give one of its own",
                               index)
                    : TN_OK;
}

static tn_status run_call(tn_runtime *runtime, kept_call *call, tn_tensor *const *inputs,
                          tn_tensor **outputs, uint32_t output_count) {
    tni_plan *plan = call->plan;
    if (output_count != plan->output_count) {
        return tni_fail(TN_INVALID_ARGUMENT, "%u outputs are given, it has %u", output_count,
                        plan->output_count);
    }
    for (uint32_t i = 0; i < plan->input_count; i++) {
        call->input_views[i] = &inputs[call->input_numbers[i]]->view;
    }
    uint64_t created = 0; /* a bit for each of the first 64 outputs; more are not created */
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < output_count; i++) {
        const tn_tensor_type *type = &plan->output_types[i];
        call->output_views[i] = NULL;
        if (!tni_type_is_known(type)) { /* the kernel makes it */
            status = outputs[i] == NULL ? TN_OK : given_unknown(i);
            continue;
        }
        if (outputs[i] != NULL) {
            status = check_output(outputs[i], type, i);
            if (status == TN_OK && outputs[i]->sparse != NULL) {
                status = check_sparse_output(call, inputs, outputs, i);
            }
        } else if (i >= 64) {
            status = tni_fail(TN_INVALID_ARGUMENT, "output %u must be given a tensor", i);
        } else {
            status = tni_tensor_create_as(runtime, type, &outputs[i]);
            created |= status == TN_OK ? (uint64_t)1 << i : 0;
        }
        call->output_views[i] = status == TN_OK ? &outputs[i]->view : NULL;
    }
    if (status == TN_OK) {
        status = tni_plan_run(plan, call->input_views, call->output_views);
    }
    if (status == TN_OK) {
        tni_plan_take_given(plan, outputs);
    }
    for (uint32_t i = 0; status != TN_OK && i < output_count && i < 64; i++) {
        if (created & ((uint64_t)1 << i)) {
            tn_tensor_release(outputs[i]);
            outputs[i] = NULL;
        }
    }
    return status;
}

static tn_status check_inputs(tn_tensor *const *inputs, uint32_t input_count) {
    if (input_count > MAX_INPUTS) {
        return tni_fail(TN_INVALID_ARGUMENT, "%u inputs: expected at most %d", input_count,
                        MAX_INPUTS);
    }
    for (uint32_t i = 0; i < input_count; i++) {
        if (inputs[i] == NULL) {
            continue;
        }
        if (inputs[i]->storage->host_addressable == 0) {
            return tni_fail(TN_INVALID_ARGUMENT,
                            "input %u lies on a device: eager calls run on host tensors", i);
        }
        TNI_TRY(tni_in(tn_tensor_check_sparse(inputs[i]), "input %u", i));
    }
    return TN_OK;
}

tn_status tn_invoke(tn_runtime *runtime, const char *op, const tn_option *attributes,
                    uint32_t attribute_count, tn_tensor *const *inputs, uint32_t input_count,
                    tn_tensor **outputs, uint32_t output_count) {
    call_key key;
    kept_call *call = NULL;
    tn_status status = check_inputs(inputs, input_count);
    if (status == TN_OK) {
        status = open_cache(runtime);
    }
    if (status == TN_OK) {
        status = make_key(&key, op, attributes, attribute_count, inputs, input_count);
    }
    if (status == TN_OK) {
        call = take_kept(runtime->invoke_cache, &key);
        if (call == NULL) {
            status = make_call(runtime, &key, op, attributes, attribute_count, inputs, input_count,
                               &call);
        }
        if (key.words != key.room) {
            tni_free(key.words);
        }
    }
    if (status == TN_OK) {
        status = run_call(runtime, call, inputs, outputs, output_count);
        if (call->is_for_elements) {
            destroy_call(call);
        } else {
            give_back(call);
        }
    }
    return status == TN_OK ? TN_OK : tni_in(status, "invoke %s", op);
}

tn_status tn_invoke_output_count(tn_runtime *runtime, const char *op, const tn_option *attributes,
                                 uint32_t attribute_count, uint32_t input_count,
                                 uint32_t *out_count) {
    tn_graph *graph = NULL;
    tn_value *absent = NULL;
    uint32_t node;
    tn_status status = tni_graph_create_for(runtime, TNI_HOLDER_INVOKE, &graph);
    if (status == TN_OK) {
        absent = tni_allocate(input_count, sizeof *absent);
        status = absent == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    }
    for (uint32_t i = 0; status == TN_OK && i < input_count; i++) {
        absent[i] = (tn_value){TN_NO_NODE, 0};
    }
    if (status == TN_OK) {
        status = tn_graph_add_node(graph, op, op, attributes, attribute_count, absent, input_count,
                                   &node);
    }
    if (status == TN_OK) {
        *out_count = graph->nodes[node]->visible_output_count;
    }
    tni_free(absent);
    tn_graph_destroy(graph);
    return status == TN_OK ? TN_OK : tni_in(status, "invoke %s", op);
}

void tni_invoke_drop_idle(tn_runtime *runtime) {
    tni_invoke_cache *cache = __atomic_load_n(&runtime->invoke_cache, __ATOMIC_ACQUIRE);
    if (cache == NULL) {
        return;
    }
    kept_call *call;
    do {
        pthread_mutex_lock(&cache->lock);
        call = evict(cache);
        pthread_mutex_unlock(&cache->lock);
        destroy_call(call);
    } while (call != NULL);
}

void tni_invoke_floor_init(tn_runtime *runtime) {
    pthread_mutex_init(&runtime->invoke_lock, NULL);
}

void tni_invoke_floor_finish(tn_runtime *runtime) {
    tni_invoke_drop_idle(runtime);
    if (runtime->invoke_cache != NULL) {
        tn_device_close(runtime->invoke_cache->device);
        pthread_mutex_destroy(&runtime->invoke_cache->lock);
        tni_free(runtime->invoke_cache);
    }
    pthread_mutex_destroy(&runtime->invoke_lock);
}
