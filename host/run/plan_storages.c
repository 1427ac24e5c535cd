/*
 * Conversions between storages. Where no kernel takes a node's sparse tensors, the node is given
 * dense ones and makes dense ones: a cast_storage before it, one after it for an output that others
 * expect to be sparse. A sparse parameter is converted once, when the plan is made.
 */
#include "base/error.h"
#include "run/invoke.h"
#include "run/kernel_choice.h"
#include "run/plan_build.h"
#include "tensor/sparse.h"

/* What stands for a value of the graph: of the storage that was inferred, and dense. */
typedef struct versions {
    tn_value inferred, dense; /* node TN_NO_NODE: not there yet */
} versions;

typedef struct conversion {
    const tni_plan_desc *desc;
    const tn_graph *source;
    tn_graph *graph; /* the copy that gets the conversions; nodes keep their numbers */
    const uint32_t *order;
    uint32_t order_count;
    unsigned char *is_wanted; /* by node: no kernel takes its storages */
    bool any_wanted;
    versions **values; /* by node, then output */
    tni_arena scratch;
} conversion;

static const tn_tensor_type *type_of(const conversion *work, tn_value value) {
    return &work->source->types[value.node][value.output];
}

static bool is_sparse(const conversion *work, tn_value value) {
    return value.node != TN_NO_NODE && tn_storage_is_sparse(type_of(work, value)->storage);
}

static bool touches_sparse(const conversion *work, uint32_t number) {
    const tni_node *node = work->source->nodes[number];
    bool any = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        any = any || is_sparse(work, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        any = any || is_sparse(work, (tn_value){number, i});
    }
    return any;
}

static tn_status find_kernel(conversion *work, uint32_t number) {
    const tni_node *node = work->source->nodes[number];
    tni_kernel_inputs inputs;
    TNI_TRY(tni_kernel_inputs_of(work->source, node, &work->scratch, &inputs));
    tn_device *const devices[] = {work->desc->device, work->desc->fallback};
    tn_status status = TN_UNSUPPORTED;
    for (uint32_t i = 0; status == TN_UNSUPPORTED && i < 2 && devices[i] != NULL; i++) {
        tni_kernel_choice choice;
        status = tni_kernel_choose(devices[i], node, &inputs, work->source->types[number], NULL,
                                   &work->scratch, &choice);
    }
    return status;
}

/* Which nodes want conversions. */
static tn_status find_wanted(conversion *work) {
    work->is_wanted = tni_arena_allocate(&work->scratch, work->source->node_count, 1);
    if (work->is_wanted == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < work->order_count; i++) {
        const uint32_t number = work->order[i];
        const tni_node *node = work->source->nodes[number];
        if (node->op == NULL || !tni_graph_runs_node(work->source, number) ||
            !touches_sparse(work, number)) {
            continue;
        }
        const tn_status status = find_kernel(work, number);
        if (status == TN_UNSUPPORTED) {
            work->is_wanted[number] = 1;
            work->any_wanted = true;
        } else if (status != TN_OK) {
            return tni_in(status, "node '%s' (%s)", node->name, node->entry->entry->name);
        }
    }
    return TN_OK;
}

static tn_status add_cast(conversion *work, tn_value value, uint32_t storage, tn_value *out_value) {
    const tn_option stype = {"stype",
                             storage == TN_STORAGE_DENSE ? "default" : tn_storage_name(storage)};
    out_value->output = 0;
    return tni_in(tn_graph_add_node(work->graph, "cast_storage", NULL, &stype, 1, &value, 1,
                                    &out_value->node),
                  "conversion to %s", stype.value);
}

/* The dense tensor of a parameter, as another parameter. */
static tn_status convert_parameter(conversion *work, tn_tensor *tensor, tn_value *out_value) {
    const tn_option stype = {"stype", "default"};
    tn_tensor *dense = NULL;
    char name[64];
    snprintf(name, sizeof name, "dense parameter %u", work->graph->node_count);
    TNI_TRY(tn_invoke(work->source->runtime, "cast_storage", &stype, 1, &tensor, 1, &dense, 1));
    const tn_status status = tn_graph_add_parameter(work->graph, name, dense, &out_value->node);
    tn_tensor_release(dense);
    out_value->output = 0;
    return status;
}

/* A state changes from run to run; what a device needs is brought to it when the session starts. */
static bool is_constant(const conversion *work, tn_value value) {
    return work->desc->parameters[value.node] != NULL &&
           tn_graph_variable_kind(work->source, value.node) == TN_VARIABLE_PARAMETER &&
           tni_device_is_host_addressable(work->desc->device);
}

static tn_status make_dense(conversion *work, tn_value value, versions *known) {
    if (known->dense.node != TN_NO_NODE) {
        return TN_OK;
    }
    if (is_constant(work, value)) {
        return convert_parameter(work, work->desc->parameters[value.node], &known->dense);
    }
    return add_cast(work, known->inferred, TN_STORAGE_DENSE, &known->dense);
}

/* The node reads dense versions when it wants conversions, else those that were inferred. */
static tn_status connect_inputs(conversion *work, uint32_t number) {
    const tni_node *source = work->source->nodes[number];
    for (uint32_t i = 0; i < source->input_count; i++) {
        const tn_value value = source->inputs[i];
        if (value.node == TN_NO_NODE) {
            continue;
        }
        versions *known = &work->values[value.node][value.output];
        const bool is_converted = work->is_wanted[number] && is_sparse(work, value);
        if (is_converted) {
            TNI_TRY(make_dense(work, value, known));
        }
        TNI_TRY(tn_graph_set_input(work->graph, number, i,
                                   is_converted ? known->dense : known->inferred));
    }
    return TN_OK;
}

static tn_status describe_outputs(conversion *work, uint32_t number) {
    const uint32_t count = work->source->nodes[number]->output_count;
    work->values[number] = tni_arena_allocate(&work->scratch, count, sizeof(versions));
    if (work->values[number] == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tn_value value = {number, i};
        versions *known = &work->values[number][i];
        *known = (versions){value, {TN_NO_NODE, 0}};
        if (work->is_wanted[number] && is_sparse(work, value)) {
            known->dense = value;
            TNI_TRY(add_cast(work, value, type_of(work, value)->storage, &known->inferred));
        }
    }
    return TN_OK;
}

static tn_status connect_outputs(conversion *work) {
    const uint32_t count = work->source->output_count;
    tn_value *outputs = tni_arena_allocate(&work->scratch, count, sizeof *outputs);
    if (outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tn_value value = work->source->outputs[i];
        outputs[i] = work->values[value.node][value.output].inferred;
    }
    return tn_graph_set_outputs(work->graph, outputs, count);
}

static tn_status infer(conversion *work) {
    const tn_graph *graph = work->graph;
    tn_tensor_type *known =
        tni_arena_allocate(&work->scratch, tni_graph_variable_count(graph), sizeof *known);
    if (known == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (tni_node_is_variable(graph->nodes[i])) {
            known[count++] = i < work->source->node_count
                                 ? work->source->types[i][0]
                                 : tni_tensor_type(graph->nodes[i]->parameter);
        }
    }
    return tni_graph_infer_variables(work->graph, known, NULL);
}

static tn_status convert(conversion *work) {
    work->values =
        tni_arena_allocate(&work->scratch, work->source->node_count, sizeof *work->values);
    if (work->values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_graph_clone(work->source, TNI_HOLDER_SESSION, &work->graph));
    for (uint32_t i = 0; i < work->order_count; i++) {
        work->graph->nodes[work->order[i]]->is_dense = work->is_wanted[work->order[i]] != 0;
        TNI_TRY(connect_inputs(work, work->order[i]));
        TNI_TRY(describe_outputs(work, work->order[i]));
    }
    TNI_TRY(connect_outputs(work));
    return infer(work);
}

static bool has_sparse(const tn_graph *graph) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->output_count; j++) {
            if (tn_storage_is_sparse(graph->types[i][j].storage)) {
                return true;
            }
        }
    }
    return false;
}

tn_status tni_plan_convert_storages(const tni_plan_desc *desc, tn_graph **out_graph) {
    *out_graph = NULL;
    if (!has_sparse(desc->graph)) {
        return TN_OK;
    }
    conversion work = {.desc = desc, .source = desc->graph};
    tn_status status = tni_graph_order(desc->graph, &work.order, &work.order_count);
    if (status == TN_OK) {
        status = find_wanted(&work);
    }
    if (status == TN_OK && work.any_wanted) {
        status = convert(&work);
    }
    tni_arena_finish(&work.scratch);
    if (status != TN_OK) {
        tn_graph_destroy(work.graph);
        return status;
    }
    *out_graph = work.graph;
    return TN_OK;
}
