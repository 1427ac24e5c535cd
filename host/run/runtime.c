/* Creating and ending a runtime: the one place that knows all floors. */
#include "plugin/runtime.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "graph/graph.h"
#include "run/invoke.h"
#include "run/plan.h"
#include "schedule/schedule.h"
#include "tensor/sparse.h"
#include "tensor/tensor.h"

static tn_status add_services(tn_runtime *runtime) {
    tni_graph_service_fill(&runtime->graph_service);
    runtime->graph_service.run_subgraph = tni_run_subgraph;
    runtime->graph_service.call_subgraph = tni_call_subgraph;
    runtime->graph_service.compute = tni_compute_node;
    runtime->graph_service.find_computable = tni_find_computable;
    runtime->compute_node = tni_compute_node;
    TNI_TRY(tni_runtime_add_service(runtime, "tensor", 1, &tni_tensor_service));
    TNI_TRY(tni_runtime_add_service(runtime, "sparse", 1, &tni_sparse_service));
    TNI_TRY(tni_runtime_add_service(runtime, "parallel", 1, &tni_parallel_service));
    TNI_TRY(tni_runtime_add_service(runtime, "dispatch", 1, &tni_dispatch_service));
    return tni_runtime_add_service(runtime, "graph", 1, &runtime->graph_service);
}

/* What is kept only for reuse, and holds plugins. */
static void drop_idle(tn_runtime *runtime) {
    tni_invoke_drop_idle(runtime);
    tni_schedule_drop_idle(runtime);
}

tn_status tn_runtime_create(const tn_runtime_options *options, tn_runtime **out_runtime) {
    tn_runtime *runtime = tni_allocate(1, sizeof *runtime);
    if (runtime == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (options != NULL) {
        memcpy(&runtime->options, options,
               options->struct_size < sizeof *options ? options->struct_size : sizeof *options);
    }
    runtime->options.struct_size = TN_RUNTIME_OPTIONS_SIZE;
    tn_status status = tni_plugin_floor_init(runtime);
    if (status == TN_OK) {
        status = add_services(runtime);
        if (status != TN_OK) {
            tni_plugin_floor_finish(runtime);
        }
    }
    if (status != TN_OK) {
        tni_free(runtime);
        return tni_in(status, "runtime");
    }
    pthread_mutex_init(&runtime->source_lock, NULL);
    tni_invoke_floor_init(runtime);
    runtime->drop_idle = drop_idle;
    *out_runtime = runtime;
    return TN_OK;
}

void tn_runtime_destroy(tn_runtime *runtime) {
    if (runtime == NULL) {
        return;
    }
    tni_schedule_floor_finish(runtime);
    tni_invoke_floor_finish(runtime);
    tni_device_floor_finish(runtime);
    tni_plugin_floor_finish(runtime);
    pthread_mutex_destroy(&runtime->source_lock);
    tni_free(runtime);
}
