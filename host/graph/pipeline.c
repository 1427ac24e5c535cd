/* Passes in order: as a user writes one, the sets that come with the library, and JSON files. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/pass.h>

#include "base/error.h"
#include "base/file.h"
#include "graph/graph.h"
#include "tensor/dataset_options.h"

enum { MAX_PASSES = 4096, MAX_FILE_SIZE = 1 << 20 };

typedef struct pipeline_step {
    const char *name;
    const tn_option *options;
    uint32_t option_count;
} pipeline_step;

struct tn_pipeline {
    tn_runtime *runtime;
    tni_arena arena;
    pipeline_step *steps;
    uint32_t count, capacity;
};

/* By level; each is the one before with more. A pass that opens the way for another stands before
 * it, and what became unused goes last. */
static const char *const exact_passes[] = {
    "remove-identity",
    "simplify-transpose",
    "simplify-reshape",
    "fold-constants",
    "merge-equal-nodes",
    "remove-dead-nodes",
    NULL,
};
static const char *const rounding_passes[] = {
    "remove-identity",
    "fuse-quantize",
    "simplify-transpose",
    "simplify-reshape",
    "fold-constants",
    "fold-batch-norm",
    "merge-equal-nodes",
    "fuse-convolution",
    "fuse-elementwise",
    "remove-dead-nodes",
    NULL,
};

tn_status tn_pipeline_create(tn_runtime *runtime, tn_pipeline **out_pipeline) {
    tn_pipeline *pipeline = tni_allocate(1, sizeof *pipeline);
    if (pipeline == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    pipeline->runtime = runtime;
    *out_pipeline = pipeline;
    return TN_OK;
}

void tn_pipeline_destroy(tn_pipeline *pipeline) {
    if (pipeline == NULL) {
        return;
    }
    tni_free(pipeline->steps);
    tni_arena_finish(&pipeline->arena);
    tni_free(pipeline);
}

/* `step` lies in the pipeline's arena. */
static tn_status append(tn_pipeline *pipeline, const pipeline_step *step) {
    if (tni_registry_find(pipeline->runtime, TN_KIND_PASS, step->name) == NULL) {
        return tni_fail(TN_NOT_FOUND,
                        "no plugin offers the pass %s; load one that does (`tenon pass list` shows "
                        "what there is)",
                        step->name);
    }
    if (pipeline->count == MAX_PASSES) {
        return tni_fail(TN_OUT_OF_RANGE, "a pipeline has at most %d passes", MAX_PASSES);
    }
    void *steps = pipeline->steps;
    TNI_TRY(tni_grow(&steps, &pipeline->capacity, pipeline->count + 1, sizeof *step));
    pipeline->steps = steps;
    pipeline->steps[pipeline->count++] = *step;
    return TN_OK;
}

tn_status tn_pipeline_add(tn_pipeline *pipeline, const char *text) {
    tni_description description;
    if (text[0] == '\0' || text[0] == ':') {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "'%s' names no pass: expected NAME or NAME:KEY=VALUE,…", text);
    }
    TNI_TRY(tni_in(tni_description_parse(text, &pipeline->arena, &description), "pass"));
    const pipeline_step step = {description.kind, description.options, description.option_count};
    return append(pipeline, &step);
}

static tn_status add_present(tn_pipeline *pipeline, const char *const *names) {
    for (; *names != NULL; names++) {
        const pipeline_step step = {.name = *names};
        if (tni_registry_find(pipeline->runtime, TN_KIND_PASS, *names) != NULL) {
            TNI_TRY(append(pipeline, &step));
        }
    }
    return TN_OK;
}

/* A number, a list or a truth value is what it is in JSON; the pass's table reads it. */
static const char *option_text(tn_pipeline *pipeline, const json_t *value) {
    if (json_is_string(value)) {
        return tni_arena_text(&pipeline->arena, json_string_value(value));
    }
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *copy = dumped == NULL ? NULL : tni_arena_text(&pipeline->arena, dumped);
    free(dumped);
    return copy;
}

static tn_status read_options(tn_pipeline *pipeline, const json_t *object, pipeline_step *step) {
    if (object == NULL) {
        return TN_OK;
    }
    if (!json_is_object(object)) {
        return tni_fail(TN_CORRUPT, "options: expected an object");
    }
    tn_option *options =
        tni_arena_allocate(&pipeline->arena, json_object_size(object), sizeof *options);
    const char *key;
    json_t *value;
    if (options == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        tn_option *option = &options[step->option_count++];
        option->name = tni_arena_text(&pipeline->arena, key);
        option->value = option_text(pipeline, value);
        if (option->name == NULL || option->value == NULL) {
            return tni_fail_memory(sizeof *options);
        }
    }
    step->options = options;
    return TN_OK;
}

static tn_status read_step(tn_pipeline *pipeline, const json_t *json) {
    pipeline_step step = {0};
    const char *name = json_string_value(json);
    if (json_is_object(json)) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)(uintptr_t)json, key, value) {
            if (strcmp(key, "name") != 0 && strcmp(key, "options") != 0) {
                return tni_fail(TN_CORRUPT, "member \"%.80s\" is not known", key);
            }
        }
        name = json_string_value(json_object_get(json, "name"));
        TNI_TRY(read_options(pipeline, json_object_get(json, "options"), &step));
    }
    if (name == NULL) {
        return tni_fail(TN_CORRUPT, "expected a pass's name, or {\"name\": …, \"options\": {…}}");
    }
    step.name = tni_arena_text(&pipeline->arena, name);
    return step.name == NULL ? TN_OUT_OF_MEMORY : append(pipeline, &step);
}

static tn_status read_steps(tn_pipeline *pipeline, const json_t *root) {
    const json_t *passes = json_object_get(root, "passes");
    if (!json_is_array(passes) || json_object_size(root) != 1) {
        return tni_fail(TN_CORRUPT, "expected {\"passes\": […]}");
    }
    for (size_t i = 0; i < json_array_size(passes); i++) {
        TNI_TRY(tni_in(read_step(pipeline, json_array_get(passes, i)), "pass %zu", i));
    }
    return TN_OK;
}

static tn_status add_file(tn_pipeline *pipeline, const char *path) {
    tni_mapping mapping;
    json_error_t error;
    TNI_TRY(tni_map_file(path, &mapping));
    tn_status status = TN_OK;
    if (mapping.size > MAX_FILE_SIZE) {
        status = tni_fail(TN_CORRUPT, "more than %d bytes", MAX_FILE_SIZE);
    } else {
        json_t *root = json_loadb(mapping.data, mapping.size, JSON_REJECT_DUPLICATES, &error);
        status = root == NULL ? tni_fail(TN_CORRUPT, "line %d: %s", error.line, error.text)
                              : read_steps(pipeline, root);
        json_decref(root);
    }
    tni_unmap_file(&mapping);
    return status;
}

tn_status tn_pipeline_add_set(tn_pipeline *pipeline, const char *set) {
    if (strcmp(set, "0") == 0) {
        return TN_OK;
    }
    if (strcmp(set, "1") == 0) {
        return add_present(pipeline, exact_passes);
    }
    if (strcmp(set, "2") == 0) {
        return add_present(pipeline, rounding_passes);
    }
    return tni_in(add_file(pipeline, set), "pass set %s", set);
}

uint32_t tn_pipeline_count(const tn_pipeline *pipeline) {
    return pipeline->count;
}

const char *tn_pipeline_name(const tn_pipeline *pipeline, uint32_t index) {
    return index < pipeline->count ? pipeline->steps[index].name : NULL;
}

tn_status tn_pipeline_run_pass(const tn_pipeline *pipeline, uint32_t index, tn_graph *graph,
                               const tn_named_type *inputs, uint32_t input_count) {
    if (index >= pipeline->count) {
        return tni_fail(TN_OUT_OF_RANGE, "the pipeline has %u passes: there is no number %u",
                        pipeline->count, index);
    }
    const pipeline_step *step = &pipeline->steps[index];
    return tn_graph_run_pass(graph, step->name, step->options, step->option_count, inputs,
                             input_count);
}

tn_status tn_pipeline_run(const tn_pipeline *pipeline, tn_graph *graph, const tn_named_type *inputs,
                          uint32_t input_count) {
    for (uint32_t i = 0; i < pipeline->count; i++) {
        TNI_TRY(tn_pipeline_run_pass(pipeline, i, graph, inputs, input_count));
    }
    return TN_OK;
}
