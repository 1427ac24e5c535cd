#include "plugin/kinds.h"

#include <stddef.h>
#include <string.h>

#include <tenon/plugin/dataset.h>
#include <tenon/plugin/device.h>
#include <tenon/plugin/format.h>
#include <tenon/plugin/function.h>
#include <tenon/plugin/identity.h>
#include <tenon/plugin/kernel.h>
#include <tenon/plugin/loader.h>
#include <tenon/plugin/operator.h>
#include <tenon/plugin/partitioner.h>
#include <tenon/plugin/pass.h>

#include "base/error.h"
#include "plugin/attributes.h"
#include "plugin/names.h"
#include "plugin/signature.h"

enum { MAX_ITEMS = 4096 }; /* names, dtypes, pairs of one entry */

#define REQUIRE(impl, field)                                                                       \
    do {                                                                                           \
        if ((impl)->field == NULL) {                                                               \
            return tni_fail(TN_CORRUPT, "%s is required and missing", #field);                     \
        }                                                                                          \
    } while (0)

/* A count and what it counts go together. */
static tn_status check_array(const char *what, const void *array, uint32_t count) {
    if (count > MAX_ITEMS) {
        return tni_fail(TN_CORRUPT, "%s has %u items, at most %d are allowed", what, count,
                        MAX_ITEMS);
    }
    if (count > 0 && array == NULL) {
        return tni_fail(TN_CORRUPT, "%s has %u items and no array", what, count);
    }
    return TN_OK;
}

static tn_status check_names(const char *what, const char *const *names, uint32_t count) {
    TNI_TRY(check_array(what, names, count));
    for (uint32_t i = 0; i < count; i++) {
        if (!tni_name_is_valid(names[i], TNI_MAX_NAME)) {
            return tni_fail(TN_CORRUPT,
                            "%s number %u is not made of letters, digits, '-', '_', '.'", what, i);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(names[i], names[j]) == 0) {
                return tni_fail(TN_CORRUPT, "%s has '%s' twice", what, names[i]);
            }
        }
    }
    return TN_OK;
}

static tn_status check_table(const char *what, const tn_attribute *rows, uint32_t count,
                             uint32_t stride, uint64_t size) {
    if (count > 0 && stride % _Alignof(tn_attribute) != 0) {
        return tni_fail(TN_CORRUPT, "%s: a stride of %u bytes is not a multiple of %zu", what,
                        stride, _Alignof(tn_attribute));
    }
    const tni_attribute_table table = {rows, count, stride};
    const tn_status status = tni_attribute_table_check(&table, size);
    /* Whatever the table lacks, it is the plugin that is malformed, not an argument of the user. */
    return tni_in(status == TN_INVALID_ARGUMENT ? TN_CORRUPT : status, "%s", what);
}

static tn_status check_indices(const char *what, const uint32_t *indices, uint32_t count,
                               const tn_op *op) {
    TNI_TRY(check_array(what, indices, count));
    for (uint32_t i = 0; i < count; i++) {
        if (indices[i] >= op->input_name_count && (op->flags & TN_OP_VARIADIC) == 0) {
            return tni_fail(TN_CORRUPT, "%s number %u is %u, but there are %u inputs", what, i,
                            indices[i], op->input_name_count);
        }
    }
    return TN_OK;
}

static tn_status check_op(const void *impl) {
    const tn_op *op = impl;
    if ((op->flags & TN_OP_SUBGRAPH) == 0) {
        REQUIRE(op, infer);
    } else if ((op->flags & TN_OP_VARIADIC) == 0 || op->subgraph_count != 1 ||
               op->output_name_count != 1) {
        return tni_fail(TN_CORRUPT, "TN_OP_SUBGRAPH goes with TN_OP_VARIADIC, one subgraph and one "
                                    "output name");
    }
    TNI_TRY(check_names("input_names", op->input_names, op->input_name_count));
    TNI_TRY(check_names("output_names", op->output_names, op->output_name_count));
    TNI_TRY(check_indices("mutated_inputs", op->mutated_inputs, op->mutated_input_count, op));
    if (op->mutated_input_count > TN_MAX_MUTATED_INPUTS) {
        return tni_fail(TN_CORRUPT, "mutated_inputs has %u items, at most %d are allowed",
                        op->mutated_input_count, TN_MAX_MUTATED_INPUTS);
    }
    TNI_TRY(check_indices("training_inputs", op->training_inputs, op->training_input_count, op));
    TNI_TRY(check_indices("optional_inputs", op->optional_inputs, op->optional_input_count, op));
    TNI_TRY(check_indices("value_inputs", op->value_inputs, op->value_input_count, op));
    return check_table("attributes", op->attributes, op->attribute_count, op->attribute_stride,
                       op->attributes_size);
}

static tn_status check_kernel(const void *impl) {
    const tn_kernel *kernel = impl;
    REQUIRE(kernel, run);
    if (kernel->flags & TN_KERNEL_SPARSE) {
        REQUIRE(kernel, supports);
    }
    if (!tni_name_is_valid(kernel->op, TNI_MAX_NAME)) {
        return tni_fail(TN_CORRUPT, "op is not the name of an operator");
    }
    if (!tni_name_is_valid(kernel->target, TNI_MAX_NAME)) {
        return tni_fail(TN_CORRUPT, "target is not the name of a target");
    }
    TNI_TRY(check_array("in_place", kernel->in_place, kernel->in_place_count));
    TNI_TRY(check_array("dtypes", kernel->dtypes, kernel->dtype_count));
    return check_table("attributes", kernel->attributes, kernel->attribute_count,
                       kernel->attribute_stride, kernel->attributes_size);
}

/* A group of callbacks is there as a whole or not at all. */
#define GROUP(impl, name, ...)                                                                     \
    do {                                                                                           \
        void (*const group[])(void) = {__VA_ARGS__};                                               \
        TNI_TRY(check_group(name, group, sizeof group / sizeof group[0]));                         \
    } while (0)
#define MEMBER(field) (void (*)(void))(backend->field)

static tn_status check_group(const char *name, void (*const *group)(void), size_t count) {
    size_t there = 0;
    for (size_t i = 0; i < count; i++) {
        there += group[i] != NULL ? 1 : 0;
    }
    if (there != 0 && there != count) {
        return tni_fail(TN_CORRUPT, "the group '%s' has %zu of its %zu callbacks", name, there,
                        count);
    }
    return TN_OK;
}

static tn_status check_device(const void *impl) {
    const tn_device_backend *backend = impl;
    REQUIRE(backend, count);
    REQUIRE(backend, info);
    REQUIRE(backend, open);
    REQUIRE(backend, close);
    REQUIRE(backend, allocate);
    REQUIRE(backend, free);
    REQUIRE(backend, map);
    REQUIRE(backend, memory_usage);
    REQUIRE(backend, create_stream);
    REQUIRE(backend, destroy_stream);
    REQUIRE(backend, copy_from_host);
    REQUIRE(backend, copy_to_host);
    REQUIRE(backend, copy);
    REQUIRE(backend, fill);
    REQUIRE(backend, submit);
    REQUIRE(backend, wait_stream);
    REQUIRE(backend, wait);
    GROUP(backend, "loops on host threads", MEMBER(parallel_for), MEMBER(thread_count));
    GROUP(backend, "device code", MEMBER(create_module), MEMBER(destroy_module),
          MEMBER(create_kernel), MEMBER(destroy_kernel), MEMBER(launch));
    if (backend->launch != NULL) {
        REQUIRE(backend, limits);
    }
    GROUP(backend, "recording", MEMBER(begin_recording), MEMBER(end_recording), MEMBER(replay),
          MEMBER(destroy_recording));
    GROUP(backend, "time stamps", MEMBER(write_time), MEMBER(read_time));
    return TN_OK;
}

static tn_status check_format(const void *impl) {
    const tn_format *format = impl;
    REQUIRE(format, recognise);
    if (format->read_graph == NULL && format->write_graph == NULL && format->read_tensors == NULL &&
        format->write_tensors == NULL) {
        return tni_fail(TN_CORRUPT, "the format reads nothing and writes nothing");
    }
    return check_table("options", format->options, format->option_count, format->option_stride,
                       format->options_size);
}

static tn_status check_dataset(const void *impl) {
    const tn_dataset *dataset = impl;
    REQUIRE(dataset, open);
    REQUIRE(dataset, info);
    REQUIRE(dataset, read);
    REQUIRE(dataset, close);
    return check_table("options", dataset->options, dataset->option_count, dataset->option_stride,
                       dataset->options_size);
}

static tn_status check_function(const void *impl) {
    const tn_function *function = impl;
    REQUIRE(function, address);
    REQUIRE(function, signature);
    tni_signature signature;
    const tn_status status = tni_signature_parse(function->signature, &signature);
    return status == TN_INVALID_ARGUMENT ? TN_CORRUPT : status;
}

static tn_status check_pass(const void *impl) {
    const tn_pass *pass = impl;
    REQUIRE(pass, run);
    return check_table("options", pass->options, pass->option_count, pass->option_stride,
                       pass->options_size);
}

static tn_status check_loader(const void *impl) {
    const tn_loader *loader = impl;
    REQUIRE(loader, recognise);
    REQUIRE(loader, load);
    REQUIRE(loader, unload);
    return TN_OK;
}

bool tni_is_partition_option(const char *name) {
    return strcmp(name, "min_nodes") == 0 || strcmp(name, "dedup_subgraph") == 0;
}

static tn_status check_selector(const tn_selector *selector) {
    if (selector->struct_size < TN_SELECTOR_SIZE) {
        return tni_fail(TN_CORRUPT, "selector: struct_size is %u, expected at least %u",
                        selector->struct_size, TN_SELECTOR_SIZE);
    }
    REQUIRE(selector, create);
    REQUIRE(selector, select);
    return TN_OK;
}

static tn_status check_strategy(const tn_strategy *strategy) {
    if (strategy == NULL) {
        return tni_fail(TN_CORRUPT, "it is a NULL pointer");
    }
    if (strategy->struct_size < TN_STRATEGY_SIZE) {
        return tni_fail(TN_CORRUPT, "struct_size is %u, expected at least %u",
                        strategy->struct_size, TN_STRATEGY_SIZE);
    }
    if (!tni_name_is_valid(strategy->name, TNI_MAX_NAME)) {
        return tni_fail(TN_CORRUPT, "its name is not made of letters, digits, '-', '_', '.'");
    }
    if (strategy->subgraph_op != NULL && !tni_name_is_valid(strategy->subgraph_op, TNI_MAX_NAME)) {
        return tni_fail(TN_CORRUPT, "subgraph_op is not the name of an operator");
    }
    if ((strategy->find_supported == NULL) == (strategy->selector == NULL)) {
        return tni_fail(TN_CORRUPT, "it has %s, expected one of the two",
                        strategy->selector == NULL ? "neither find_supported nor a selector"
                                                   : "find_supported and a selector");
    }
    return strategy->selector == NULL ? TN_OK : check_selector(strategy->selector);
}

static tn_status check_partitioner(const void *impl) {
    const tn_partitioner *partitioner = impl;
    TNI_TRY(check_table("options", partitioner->options, partitioner->option_count,
                        partitioner->option_stride, partitioner->options_size));
    for (uint32_t i = 0; i < partitioner->option_count; i++) {
        const tn_attribute *row =
            (const tn_attribute *)(const void *)((const char *)partitioner->options +
                                                 (size_t)i * partitioner->option_stride);
        if (tni_is_partition_option(row->name)) {
            return tni_fail(TN_CORRUPT, "option %s is the host's, of every partitioner", row->name);
        }
    }
    TNI_TRY(check_array("strategies", partitioner->strategies, partitioner->strategy_count));
    if (partitioner->strategy_count == 0) {
        return tni_fail(TN_CORRUPT, "it has no strategy");
    }
    for (uint32_t i = 0; i < partitioner->strategy_count; i++) {
        TNI_TRY(tni_in(check_strategy(partitioner->strategies[i]), "strategy %u", i));
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(partitioner->strategies[i]->name, partitioner->strategies[j]->name) == 0) {
                return tni_fail(TN_CORRUPT, "two strategies are named '%s'",
                                partitioner->strategies[i]->name);
            }
        }
    }
    return TN_OK;
}

#define KIND(NAME, VERSION, TYPE, LAST_REQUIRED, LAST, CHECK)                                      \
    KIND_WITH_TEXTS(NAME, VERSION, TYPE, LAST_REQUIRED, LAST, CHECK, 0, {0})
#define KIND_WITH_TEXTS(NAME, VERSION, TYPE, LAST_REQUIRED, LAST, CHECK, COUNT, ...)               \
    {                                                                                              \
        NAME, VERSION, TN_STRUCT_END(TYPE, LAST_REQUIRED), TN_STRUCT_END(TYPE, LAST), COUNT,       \
            __VA_ARGS__, CHECK                                                                     \
    }

const tni_kind tni_kinds[TNI_KIND_COUNT] = {
    [TNI_KIND_OP] = KIND(TN_KIND_OP, TN_OP_VERSION, tn_op, infer, context, check_op),
    [TNI_KIND_KERNEL] =
        KIND_WITH_TEXTS(TN_KIND_KERNEL, TN_KERNEL_VERSION, tn_kernel, run, context, check_kernel, 2,
                        {offsetof(tn_kernel, op), offsetof(tn_kernel, target)}),
    [TNI_KIND_DEVICE] = KIND(TN_KIND_DEVICE, TN_DEVICE_BACKEND_VERSION, tn_device_backend, wait,
                             read_time, check_device),
    [TNI_KIND_FORMAT] =
        KIND_WITH_TEXTS(TN_KIND_FORMAT, TN_FORMAT_VERSION, tn_format, recognise, write_tensors,
                        check_format, 1, {offsetof(tn_format, extensions)}),
    [TNI_KIND_DATASET] =
        KIND(TN_KIND_DATASET, TN_DATASET_VERSION, tn_dataset, close, close, check_dataset),
    [TNI_KIND_FUNCTION] =
        KIND(TN_KIND_FUNCTION, TN_FUNCTION_VERSION, tn_function, address, address, check_function),
    [TNI_KIND_PASS] = KIND(TN_KIND_PASS, TN_PASS_VERSION, tn_pass, run, context, check_pass),
    [TNI_KIND_LOADER] =
        KIND(TN_KIND_LOADER, TN_LOADER_VERSION, tn_loader, unload, unload, check_loader),
    [TNI_KIND_PARTITIONER] = KIND(TN_KIND_PARTITIONER, TN_PARTITIONER_VERSION, tn_partitioner,
                                  strategy_count, reserved, check_partitioner),
};

uint32_t tni_kind_find(const char *name) {
    uint32_t kind = 0;
    while (kind < TNI_KIND_COUNT && strcmp(tni_kinds[kind].name, name) != 0) {
        kind++;
    }
    return kind;
}
