#include "cost.h"

#include <string.h>

/* Elements; -1 where an extent is not known. */
static double element_count(const tn_tensor_type *type) {
    double count = 1;
    if (type->dtype == 0 || type->shape.rank < 0) {
        return -1;
    }
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        if (type->shape.extents[axis] < 0) {
            return -1;
        }
        count *= (double)type->shape.extents[axis];
    }
    return count;
}

static int add_bytes(const tn_review_call *call, const tn_graph_service *graphs,
                     const tn_graph *graph, tn_value value, double *bytes) {
    tn_tensor_type type;
    if (graphs->value_type(call->host, graph, value, &type) != TN_OK || element_count(&type) < 0) {
        return 0;
    }
    *bytes += element_count(&type) * (double)TN_DTYPE_SIZE(type.dtype);
    return 1;
}

/* One for each element of the outputs, but where each is a sum over weights: then two for each
 * weight that goes into it, which the first extent of the weights counts by outputs. */
static int node_operations(const tn_review_call *call, const tn_graph_service *graphs,
                           uint32_t number, const tn_node_info *info, double *operations) {
    static const char *const sums[] = {"Convolution", "Deconvolution", "FullyConnected", "dot",
                                       "batch_dot"};
    tn_tensor_type type;
    double elements = 0, factor = 1;
    for (uint32_t i = 0; i < info->output_count; i++) {
        if (graphs->value_type(call->host, call->subgraph, (tn_value){number, i}, &type) != TN_OK ||
            element_count(&type) < 0) {
            return 0;
        }
        elements += element_count(&type);
    }
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        if (strcmp(info->op, sums[i]) == 0 && info->input_count > 1 &&
            graphs->value_type(call->host, call->subgraph, info->inputs[1], &type) == TN_OK &&
            element_count(&type) > 0 && type.shape.rank > 0) {
            factor = 2 * element_count(&type) / (double)type.shape.extents[0];
        }
    }
    *operations += elements * factor;
    return 1;
}

int estimate_cost(const tn_review_call *call, const tn_graph_service *graphs,
                  subgraph_cost *out_cost) {
    subgraph_cost cost = {0, 0};
    for (uint32_t i = 0; i < call->input_count; i++) {
        const uint32_t source = call->inputs[i].node;
        if (graphs->parameter(call->host, call->graph, source) == NULL &&
            !add_bytes(call, graphs, call->graph, call->inputs[i], &cost.bytes)) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        if (!add_bytes(call, graphs, call->graph, call->outputs[i], &cost.bytes)) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < graphs->node_count(call->host, call->subgraph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        if (graphs->node_info(call->host, call->subgraph, i, &info) == TN_OK && info.op != NULL &&
            !node_operations(call, graphs, i, &info, &cost.operations)) {
            return 0;
        }
    }
    *out_cost = cost;
    return 1;
}

double cpu_seconds(const device_speed *speed, const subgraph_cost *cost) {
    return cost->operations / speed->cpu_flops;
}

double device_seconds(const device_speed *speed, const subgraph_cost *cost) {
    return speed->latency + cost->bytes / speed->bandwidth + cost->operations / speed->device_flops;
}
