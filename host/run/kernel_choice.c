#include "run/kernel_choice.h"

#include <string.h>

#include <tenon/plugin/sparse.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/values.h"
#include "plugin/attributes.h"

/* A tensor that runs change has no elements that are known. */
static const tn_view *known_elements(const tn_graph *graph, tn_value value) {
    const tn_tensor *elements =
        graph->nodes[value.node]->mutating_use_count > 0 ? NULL : tni_values_find(graph, value);
    return elements == NULL ? NULL : tn_tensor_view(elements);
}

tn_status tni_kernel_inputs_of(const tn_graph *graph, const tni_node *node, tni_arena *arena,
                               tni_kernel_inputs *out_inputs) {
    tn_tensor_type *types = tni_arena_allocate(arena, node->input_count, sizeof *types);
    const tn_view **values = tni_arena_allocate(arena, node->input_count, sizeof *values);
    if (types == NULL || values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        const bool is_there = value.node != TN_NO_NODE && value.node < graph->typed_count;
        types[i] = is_there ? graph->types[value.node][value.output] : tni_type_unknown();
        values[i] = is_there ? known_elements(graph, value) : NULL;
    }
    *out_inputs = (tni_kernel_inputs){types, values};
    return TN_OK;
}

bool tni_is_training_input(const tn_op *op, uint32_t index) {
    for (uint32_t i = 0; i < op->training_input_count; i++) {
        if (op->training_inputs[i] == index) {
            return true;
        }
    }
    return false;
}

static bool has_dtype(const tn_kernel *kernel, tn_dtype dtype) {
    for (uint32_t i = 0; i < kernel->dtype_count; i++) {
        if (kernel->dtypes[i] == dtype) {
            return true;
        }
    }
    return false;
}

static bool has_opaque(const tni_node *node, const tn_tensor_type *inputs,
                       const tn_tensor_type *outputs) {
    bool found = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        found = found || TN_DTYPE_IS_OPAQUE(inputs[i].dtype);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        found = found || TN_DTYPE_IS_OPAQUE(outputs[i].dtype);
    }
    return found;
}

static bool dtypes_fit(const tn_kernel *kernel, const tni_node *node, const tn_tensor_type *inputs,
                       const tn_tensor_type *outputs) {
    if (kernel->dtypes == NULL) {
        return (kernel->flags & (TN_KERNEL_COPIES_INPUT | TN_KERNEL_MOVES_ELEMENTS)) != 0 ||
               !has_opaque(node, inputs, outputs);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const bool counts = inputs[i].dtype != 0 && !tni_is_training_input(node->op, i);
        if (counts && !has_dtype(kernel, inputs[i].dtype)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!has_dtype(kernel, outputs[i].dtype)) {
            return false;
        }
    }
    return true;
}

/* Kernels that do not look at storages are given dense tensors alone. */
static bool storages_fit(const tn_kernel *kernel, const tni_node *node,
                         const tn_tensor_type *inputs, const tn_tensor_type *outputs) {
    bool any = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        any = any || tn_storage_is_sparse(inputs[i].storage);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        any = any || tn_storage_is_sparse(outputs[i].storage);
    }
    return !any || (kernel->flags & TN_KERNEL_SPARSE) != 0;
}

/* The text of an attribute: as the node gives it, or the operator's default; NULL for neither. */
static const char *attribute_text(const tni_node *node, const char *name) {
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, name) == 0) {
            return node->attributes[i].value;
        }
    }
    const tni_attribute_table table = {node->op->attributes, node->op->attribute_count,
                                       node->op->attribute_stride};
    const tn_attribute *row = tni_attribute_find(&table, name);
    return row == NULL ? NULL : row->default_value;
}

/* The node's attributes in the kernel's own struct, when it has one. */
static tn_status parse_attributes(const tn_kernel *kernel, const tni_node *node, tni_arena *arena,
                                  const void **out_attributes) {
    if (kernel->attribute_count == 0) {
        *out_attributes = node->parsed;
        return TN_OK;
    }
    const tni_attribute_table table = {kernel->attributes, kernel->attribute_count,
                                       kernel->attribute_stride};
    tn_option *options = tni_arena_allocate(arena, table.count, sizeof *options);
    void *parsed = tni_arena_allocate(arena, 1, kernel->attributes_size);
    uint32_t count = 0;
    if (options == NULL || parsed == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < table.count; i++) {
        const char *name = tni_attribute_row(&table, i)->name;
        const char *text = attribute_text(node, name);
        if (text != NULL) {
            options[count++] = (tn_option){name, text};
        }
    }
    *out_attributes = parsed;
    return tni_attributes_parse(&table, options, count, arena, parsed);
}

/* Without a table of its own a kernel reads the struct of the operator that it was written for: not
 * that of one which has overridden it. */
static bool reads_attributes(const tni_entry *entry, const tni_node *node) {
    const tn_kernel *kernel = entry->entry->impl;
    return node->entry->overrides == NULL || kernel->attribute_count > 0 ||
           node->op->attributes_size == 0 || entry->plugin == node->entry->plugin;
}

/* The kernel's score for the node; 0: it cannot. */
static tn_status score_kernel(const tn_device *device, const tni_entry *entry, const tni_node *node,
                              const tni_kernel_inputs *inputs, const tn_tensor_type *outputs,
                              tni_arena *arena, const void **out_attributes, int32_t *out_score) {
    *out_score = 0;
    if (!tni_device_has_target(device, tni_kernel_target(entry)) || !tni_entry_make_ready(entry)) {
        return TN_OK;
    }
    const tn_kernel *kernel = entry->entry->impl;
    if (!reads_attributes(entry, node) || !dtypes_fit(kernel, node, inputs->types, outputs) ||
        !storages_fit(kernel, node, inputs->types, outputs)) {
        return TN_OK;
    }
    TNI_TRY(tni_in(parse_attributes(kernel, node, arena, out_attributes), "kernel %s",
                   entry->entry->name));
    if (kernel->supports == NULL) {
        *out_score = 1;
        return TN_OK;
    }
    const tn_kernel_query query = {.struct_size = sizeof query,
                                   .input_count = node->input_count,
                                   .output_count = node->output_count,
                                   .host = &entry->plugin->host,
                                   .op = node->entry->entry->name,
                                   .attributes = *out_attributes,
                                   .inputs = inputs->types,
                                   .outputs = outputs,
                                   .device = (tn_device *)(uintptr_t)device,
                                   .kernel = kernel,
                                   .input_values = inputs->values};
    *out_score = kernel->supports(&query);
    return TN_OK;
}

static tn_status no_kernel(const tn_device *device, const tni_node *node,
                           const tn_tensor_type *inputs, const tni_entry *const *kernels,
                           uint32_t count) {
    tni_text text = {0};
    for (uint32_t i = 0; i < node->input_count; i++) {
        char buffer[600];
        tni_text_add(&text, "%s%s", i > 0 ? ", " : "",
                     tni_type_text(&inputs[i], buffer, sizeof buffer));
    }
    tni_text_add(&text, "%s",
                 count == 0 ? "; no plugin has a kernel for it" : "; kernels there are:");
    for (uint32_t i = 0; i < count; i++) {
        tni_text_add(&text, "%s %s for %s", i > 0 ? "," : "", kernels[i]->entry->name,
                     tni_kernel_target(kernels[i]));
    }
    const tn_status status = tni_fail(TN_UNSUPPORTED, "no kernel on %s computes it for inputs %s",
                                      tn_device_name(device), tni_text_get(&text));
    tni_text_finish(&text);
    return status;
}

/* Puts a kernel among those that were ranked before it. */
static void insert(tni_candidate *candidates, uint32_t count, tni_candidate candidate) {
    uint32_t at = count;
    for (; at > 0; at--) {
        const tni_candidate *before = &candidates[at - 1];
        if (before->score > candidate.score ||
            (before->score == candidate.score && before->priority >= candidate.priority)) {
            break;
        }
        candidates[at] = *before;
    }
    candidates[at] = candidate;
}

/* Those of the kernels that can compute the node, the highest rank first. */
static tn_status rank_kernels(const tn_device *device, const tni_node *node,
                              const tni_kernel_inputs *inputs, const tn_tensor_type *outputs,
                              const tni_entry *const *kernels, uint32_t count, tni_arena *arena,
                              tni_candidate *candidates, uint32_t *out_count) {
    *out_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        tni_candidate candidate = {.entry = kernels[i]};
        TNI_TRY(score_kernel(device, kernels[i], node, inputs, outputs, arena,
                             &candidate.attributes, &candidate.score));
        if (candidate.score > 0) { /* its plugin is loaded by now */
            candidate.priority = ((const tn_kernel *)kernels[i]->entry->impl)->priority;
            insert(candidates, (*out_count)++, candidate);
        }
    }
    return *out_count > 0 ? TN_OK : no_kernel(device, node, inputs->types, kernels, count);
}

tn_status tni_kernel_choose(const tn_device *device, const tni_node *node,
                            const tni_kernel_inputs *inputs, const tn_tensor_type *outputs,
                            const tn_tuning *tuning, tni_arena *arena,
                            tni_kernel_choice *out_choice) {
    uint32_t count, chosen = 0;
    const tni_entry *const *kernels =
        tni_registry_kernels(device->runtime, node->entry->entry->name, &count);
    tni_arena scratch = {0};
    tni_candidate *candidates = tni_arena_allocate(&scratch, (size_t)count + 1, sizeof *candidates);
    tni_tuned tuned = {0};
    tn_status status = candidates == NULL ? TN_OUT_OF_MEMORY
                                          : rank_kernels(device, node, inputs, outputs, kernels,
                                                         count, arena, candidates, &count);
    if (status == TN_OK && tuning != NULL && count > 1) {
        const tni_tuning_question question = {node, inputs->types, outputs, candidates, count};
        status = tni_tuning_choose(tuning, &question, arena, &chosen, &tuned);
    }
    if (status == TN_OK) {
        *out_choice =
            (tni_kernel_choice){candidates[chosen].entry, candidates[chosen].attributes, tuned};
    }
    tni_arena_finish(&scratch);
    return status;
}
