/* The values of a plan: what each is, and a view of it for every place that has a use for it. */
#include <string.h>

#include "base/error.h"
#include "run/plan_build.h"
#include "tensor/sparse.h"

int64_t tni_plan_input_of(const tni_plan_builder *builder, uint32_t node) {
    for (uint32_t i = 0; i < builder->desc->input_count; i++) {
        if (builder->desc->inputs[i] == node) {
            return i;
        }
    }
    return -1;
}

static tn_status unknown_type(const tn_graph *graph, tn_value value, const tn_tensor_type *type) {
    char text[600];
    return tni_fail(TN_INVALID_ARGUMENT,
                    "the type of %s is not known (%s): give the types of the inputs it depends on",
                    tn_graph_value_name(graph, value), tni_type_text(type, text, sizeof text));
}

static tn_status make_value(tni_plan_builder *builder, tn_value value) {
    const tn_graph *graph = builder->graph;
    const tni_node *node = graph->nodes[value.node];
    tni_plan_value_of(builder, value)->reordered = TN_NO_NODE;
    const tn_tensor_type *type = &graph->types[value.node][value.output];
    if (node->op == NULL && builder->desc->parameters[value.node] == NULL &&
        tni_plan_input_of(builder, value.node) < 0) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "variable '%s' has no value: it is neither an input of the run nor a "
                        "parameter",
                        node->name);
    }
    tni_plan_value_of(builder, value)->is_given = tni_plan_is_given(builder, value);
    if (tni_plan_value_of(builder, value)->is_given) {
        return TN_OK;
    }
    if (!tni_type_is_known(type)) {
        return unknown_type(graph, value, type);
    }
    if (tn_storage_is_sparse(type->storage)) {
        tni_plan_value_of(builder, value)->is_sparse = true;
        tni_plan_value_of(builder, value)->home = tni_plan_sparse_place(builder->plan);
        return TN_OK;
    }
    if (!tni_type_byte_size(type, &tni_plan_value_of(builder, value)->size)) {
        return tni_fail_memory(UINT64_MAX);
    }
    return TN_OK;
}

tn_status tni_plan_make_values(tni_plan_builder *builder) {
    const tn_graph *graph = builder->graph;
    const size_t most = (size_t)graph->node_count + builder->most_added;
    builder->values = tni_arena_allocate(&builder->scratch, most, sizeof *builder->values);
    if (builder->values == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        const uint32_t outputs = graph->nodes[number]->output_count;
        builder->values[number] =
            tni_arena_allocate(&builder->scratch, outputs, sizeof(tni_plan_value));
        if (builder->values[number] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < outputs; j++) {
            TNI_TRY(make_value(builder, (tn_value){number, j}));
        }
    }
    return TN_OK;
}

/* Axis 1 is the innermost, then the others from the last to the first. */
static void fill_channels_last_strides(const tn_shape *shape, int64_t *strides) {
    int64_t stride = strides[1] = 1;
    stride *= shape->extents[1];
    for (int32_t axis = shape->rank - 1; axis >= 0; axis--) {
        if (axis != 1) {
            strides[axis] = stride;
            stride *= shape->extents[axis];
        }
    }
}

static tn_view *make_view(tni_plan *plan, const tn_tensor_type *type, uint32_t layout,
                          uint32_t place) {
    const size_t rank = (size_t)type->shape.rank;
    tn_view *view = tni_arena_allocate(&plan->memory, 1, sizeof *view);
    int64_t *extents = tni_arena_allocate(&plan->memory, rank + 1, sizeof *extents);
    int64_t *strides = NULL;
    if (layout == TN_LAYOUT_CHANNELS_LAST) {
        strides = tni_arena_allocate(&plan->memory, rank, sizeof *strides);
    }
    if (view == NULL || extents == NULL || (layout != TN_LAYOUT_ROW_MAJOR && strides == NULL)) {
        return NULL;
    }
    memcpy(extents, type->shape.extents, rank * sizeof *extents);
    if (strides != NULL) {
        fill_channels_last_strides(&type->shape, strides);
    }
    *view = (tn_view){.device = plan->places[place].device->id,
                      .rank = type->shape.rank,
                      .dtype = type->dtype,
                      .shape = extents,
                      .strides = strides};
    return view;
}

tn_status tni_plan_make_views(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < tni_plan_node(builder->plan, number)->output_count; j++) {
            const tn_tensor_type *type = tni_plan_type_of(builder, (tn_value){number, j});
            tni_plan_value *value = &builder->values[number][j];
            for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
                if (!value->is_used[place] || value->is_given) {
                    continue;
                }
                value->at[place].view = make_view(builder->plan, type, value->layout, place);
                if (value->at[place].view == NULL) {
                    return TN_OUT_OF_MEMORY;
                }
            }
        }
    }
    return TN_OK;
}
