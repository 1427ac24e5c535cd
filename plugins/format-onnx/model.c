/* The model around the graph: versions and operator sets. */
#include "reader.h"

enum { OLDEST_IR_VERSION = 3 };

static tn_status check_model(const tn_host *host, const Onnx__ModelProto *model) {
    if (!model->has_ir_version || model->ir_version < OLDEST_IR_VERSION) {
        return tn_fail(host, model->has_ir_version ? TN_UNSUPPORTED : TN_CORRUPT,
                       "ir_version: %lld, expected %d or higher", (long long)model->ir_version,
                       OLDEST_IR_VERSION);
    }
    if (model->graph == NULL) {
        return tn_fail(host, TN_CORRUPT, "graph: the model has none");
    }
    if (model->n_opset_import == 0) {
        return tn_fail(host, TN_CORRUPT, "opset_import: is empty, expected the operator sets");
    }
    if (model->n_training_info > 0) {
        return tn_fail(host, TN_UNSUPPORTED, "training_info: training is not offered");
    }
    return TN_OK;
}

tn_status onnx_read_model(const tn_host *host, const Onnx__ModelProto *model, const char *path,
                          tn_graph *graph) {
    TN_TRY(check_model(host, model));
    struct onnx_reader reader = {.host = host, .model = model, .path = path};
    return onnx_read_graph(&reader, model->graph, "graph", NULL, NULL, graph);
}
