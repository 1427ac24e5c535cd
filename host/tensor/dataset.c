/* Data sets: opened through their plugins, read into host tensors. */
#include <tenon/dataset.h>

#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/attributes.h"
#include "plugin/runtime.h"
#include "tensor/dataset_options.h"
#include "tensor/tensor.h"

enum { MAX_COMPONENTS = 64 };

struct tn_open_dataset {
    tn_runtime *runtime;
    const tni_entry *entry; /* with a lease */
    const tn_dataset *plugin;
    tni_arena arena; /* the parsed options */
    void *dataset;   /* the plugin's */
    tn_dataset_info info;
};

static const tn_host *host_of(const tn_open_dataset *opened) {
    return &opened->entry->plugin->host;
}

static tn_status fail_unknown(const tn_runtime *runtime, const char *kind) {
    tni_text known = {0};
    const tni_entry *entry;
    for (uint32_t i = 0; (entry = tni_registry_peek(runtime, TN_KIND_DATASET, i)) != NULL; i++) {
        tni_text_add(&known, "%s%s", known.size > 0 ? ", " : "", entry->entry->name);
    }
    tni_error_set("no loaded plugin offers data sets of kind '%s'; those there are: %s", kind,
                  known.size > 0 ? tni_text_get(&known) : "none");
    tni_text_finish(&known);
    return TN_NOT_FOUND;
}

static tn_status check_component(const tn_component *component, uint32_t index) {
    uint64_t size;
    if (component->name == NULL) {
        return tni_fail(TN_CORRUPT, "component %u has no name", (unsigned)index);
    }
    if (component->shape.rank >= TN_MAX_RANK) { /* a batch has one axis more */
        return tni_fail(TN_CORRUPT, "component '%s' has rank %d: expected at most %d",
                        component->name, (int)component->shape.rank, TN_MAX_RANK - 1);
    }
    /* Whatever is wrong with it, it is the plugin's fault and not the caller's. */
    const tn_status status =
        tni_tensor_size(component->dtype, component->shape.rank, component->shape.extents, &size);
    return tni_in(status == TN_OK ? TN_OK : TN_CORRUPT, "component '%s'", component->name);
}

static tn_status check_info(const tn_dataset_info *info) {
    if (info->component_count == 0 || info->component_count > MAX_COMPONENTS ||
        info->components == NULL) {
        return tni_fail(TN_CORRUPT, "the data set has %u components: expected 1 to %d",
                        (unsigned)info->component_count, (int)MAX_COMPONENTS);
    }
    if (info->class_count > 0 && info->class_names == NULL) {
        return tni_fail(TN_CORRUPT, "the data set has %u classes and no names for them",
                        (unsigned)info->class_count);
    }
    for (uint32_t i = 0; i < info->component_count; i++) {
        TNI_TRY(check_component(&info->components[i], i));
    }
    return TN_OK;
}

/* Parses the options, opens the data set and asks what is in it. */
static tn_status open_with(tn_open_dataset *opened, const tni_description *description) {
    const tn_dataset *plugin = opened->plugin;
    const tni_attribute_table table = {plugin->options, plugin->option_count,
                                       plugin->option_stride};
    void *options = tni_arena_allocate(&opened->arena, 1, plugin->options_size);
    if (options == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_attributes_parse(&table, description->options, description->option_count,
                                 &opened->arena, options));
    tni_error_clear();
    void *dataset = NULL;
    TNI_TRY(tni_plugin_status(plugin->open(host_of(opened), options, &dataset)));
    opened->info.struct_size = TN_DATASET_INFO_SIZE;
    tn_status status = tni_plugin_status(plugin->info(host_of(opened), dataset, &opened->info));
    if (status == TN_OK) {
        status = check_info(&opened->info);
    }
    if (status != TN_OK) {
        plugin->close(host_of(opened), dataset);
        return status;
    }
    opened->dataset = dataset;
    return TN_OK;
}

static tn_status open_entry(tn_open_dataset *opened, const tni_description *description) {
    const tni_entry *entry = tni_registry_find(opened->runtime, TN_KIND_DATASET, description->kind);
    if (entry == NULL) {
        return fail_unknown(opened->runtime, description->kind);
    }
    TNI_TRY(tni_plugin_acquire(entry->plugin, TNI_HOLDER_DATASET));
    opened->entry = entry;
    opened->plugin = entry->entry->impl;
    const tn_status status = open_with(opened, description);
    if (status != TN_OK) {
        tni_plugin_release(entry->plugin, TNI_HOLDER_DATASET);
    }
    return status;
}

tn_status tn_dataset_open(tn_runtime *runtime, const char *description,
                          tn_open_dataset **out_dataset) {
    tn_open_dataset *opened = tni_allocate(1, sizeof *opened);
    if (opened == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    opened->runtime = runtime;
    tni_description parsed;
    tn_status status = tni_description_parse(description, &opened->arena, &parsed);
    if (status == TN_OK) {
        status = tni_in(open_entry(opened, &parsed), "data set '%s'", parsed.kind);
    }
    if (status != TN_OK) {
        tni_arena_finish(&opened->arena);
        tni_free(opened);
        return status;
    }
    *out_dataset = opened;
    return TN_OK;
}

void tn_dataset_close(tn_open_dataset *dataset) {
    if (dataset == NULL) {
        return;
    }
    dataset->plugin->close(host_of(dataset), dataset->dataset);
    tni_plugin_release(dataset->entry->plugin, TNI_HOLDER_DATASET);
    tni_arena_finish(&dataset->arena);
    tni_free(dataset);
}

const tn_dataset_info *tn_dataset_describe(const tn_open_dataset *dataset) {
    return &dataset->info;
}

/* The tensor that component `index` is read into: a new one, or the caller's when it fits, with one
 * more count. */
static tn_status take_target(const tn_open_dataset *dataset, uint32_t index, uint64_t count,
                             tn_tensor *given, tn_tensor **out_tensor) {
    const tn_component *component = &dataset->info.components[index];
    const int32_t rank = component->shape.rank + 1;
    int64_t extents[TN_MAX_RANK];
    extents[0] = (int64_t)count;
    memcpy(extents + 1, component->shape.extents, (size_t)(rank - 1) * sizeof extents[0]);
    if (given == NULL) {
        return tn_tensor_create(dataset->runtime, component->dtype, rank, extents, out_tensor);
    }
    const tn_view *view = &given->view;
    if (view->dtype != component->dtype || view->rank != rank ||
        memcmp(view->shape, extents, (size_t)rank * sizeof extents[0]) != 0) {
        char have[256], want[256];
        const tn_shape shape = tni_tensor_shape(given);
        const tn_shape wanted = tn_shape_of(rank, extents);
        return tni_fail(TN_INVALID_ARGUMENT, "the tensor is %s %s: expected %s %s",
                        tn_dtype_text(view->dtype), tn_shape_text(&shape, have, sizeof have),
                        tn_dtype_text(component->dtype), tn_shape_text(&wanted, want, sizeof want));
    }
    if (given->storage->host_addressable == 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "the tensor lies on a device: expected host memory");
    }
    tn_tensor_retain(given);
    *out_tensor = given;
    return TN_OK;
}

static tn_status read_samples(const tn_open_dataset *dataset, uint64_t first, uint64_t count,
                              tn_tensor *const *targets) {
    const tn_view *views[MAX_COMPONENTS];
    for (uint32_t i = 0; i < dataset->info.component_count; i++) {
        views[i] = &targets[i]->view;
    }
    tni_error_clear();
    return tni_plugin_status(
        dataset->plugin->read(host_of(dataset), dataset->dataset, first, count, views));
}

static tn_status read_into(const tn_open_dataset *dataset, uint64_t first, uint64_t count,
                           tn_tensor *const *given, tn_tensor **targets) {
    const tn_dataset_info *info = &dataset->info;
    if (first > info->length || count > info->length - first) {
        return tni_fail(TN_OUT_OF_RANGE, "samples %llu to %llu: the data set has %llu",
                        (unsigned long long)first, (unsigned long long)(first + count),
                        (unsigned long long)info->length);
    }
    for (uint32_t i = 0; i < info->component_count; i++) {
        TNI_TRY(tni_in(take_target(dataset, i, count, given[i], &targets[i]), "component '%s'",
                       info->components[i].name));
    }
    return count > 0 ? read_samples(dataset, first, count, targets) : TN_OK;
}

tn_status tn_dataset_read(tn_open_dataset *dataset, uint64_t first, uint64_t count,
                          tn_tensor **tensors) {
    tn_tensor *targets[MAX_COMPONENTS] = {NULL};
    const tn_status status = read_into(dataset, first, count, tensors, targets);
    for (uint32_t i = 0; i < dataset->info.component_count; i++) {
        if (status == TN_OK && tensors[i] == NULL) {
            tensors[i] = targets[i];
        } else {
            tn_tensor_release(targets[i]);
        }
    }
    return tni_in(status, "data set '%s'", dataset->entry->entry->name);
}
