/*
 * The formats "onnx" (models) and "onnx-tensor" (one tensor in a file, as the conformance suite has
 * them), read by protobuf-c.
 */
#include "reader.h"
#include "sequence.h"
#include "tensor.h"
#include "unpack.h"
#include "weights.h"
#include "writer.h"

static int ends_with(const char *path, const char *ending) {
    const size_t length = path != NULL ? strlen(path) : 0, ending_length = strlen(ending);
    return length >= ending_length && strcmp(path + length - ending_length, ending) == 0;
}

static int32_t recognise_model(const tn_host *host, const tn_source *source) {
    (void)host;
    const int fits = looks_like(&onnx__model_proto__descriptor, source->data, source->size);
    const int is_named = ends_with(source->path, ".onnx");
    return is_named ? (fits ? 90 : 1) : 0;
}

static tn_status read_unpacked(const tn_host *host, const tn_source *source, const void *data,
                               uint64_t size, const struct weights *weights, tn_graph *graph) {
    struct unpacked unpacked;
    TN_TRY(unpack(host, &onnx__model_proto__descriptor, data, size, &unpacked));
    const Onnx__ModelProto *model = (const Onnx__ModelProto *)unpacked.message;
    tn_status status = weights_put_back(weights, model);
    if (status == TN_OK) {
        status = onnx_read_model(host, model, source->path, graph);
        weights_take_out(weights, model);
    }
    unpacked_release(&unpacked);
    return status;
}

static tn_status read_graph(const tn_host *host, const tn_source *source, const void *options,
                            tn_graph *graph) {
    (void)options;
    const ProtobufCMessageDescriptor *descriptor = &onnx__model_proto__descriptor;
    TN_TRY(check_message(host, descriptor, source->data, source->size));
    struct weights weights;
    tn_status status = weights_set_aside(host, source->data, source->size, &weights);
    if (status == TN_OK) {
        status =
            weights.count > 0
                ? read_unpacked(host, source, weights.rest.data, weights.rest.size, &weights, graph)
                : read_unpacked(host, source, source->data, source->size, &weights, graph);
    }
    weights_finish(&weights);
    return status;
}

static tn_status write_graph(const tn_host *host, const tn_graph *graph, const void *options,
                             const char *path) {
    (void)options;
    return onnx_write_model(host, graph, path);
}

static const tn_format model_format = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "ONNX models, with operators of the official domain's sets 1 to 27.",
    .extensions = ".onnx",
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .recognise = recognise_model,
    .read_graph = read_graph,
    .write_graph = write_graph,
};

static int32_t recognise_tensor(const tn_host *host, const tn_source *source) {
    (void)host;
    const int fits = looks_like(&onnx__tensor_proto__descriptor, source->data, source->size) ||
                     looks_like(&onnx_sequence__values__descriptor, source->data, source->size);
    return ends_with(source->path, ".pb") ? (fits ? 90 : 1) : 0;
}

/* Hands a tensor over, and releases it. */
static tn_status give(const tn_host *host, const tn_tensor_sink *sink, const char *name,
                      tn_tensor *tensor) {
    const int has_name = name != NULL && name[0] != '\0';
    const tn_status status = sink->add(sink->context, has_name ? name : NULL, tensor);
    TN_SERVICE(host, tensor)->release(host, tensor);
    return status;
}

static tn_status read_one_tensor(const tn_host *host, const tn_source *source,
                                 const tn_tensor_sink *sink) {
    struct unpacked unpacked;
    tn_tensor *tensor;
    TN_TRY(check_message(host, &onnx__tensor_proto__descriptor, source->data, source->size));
    TN_TRY(unpack(host, &onnx__tensor_proto__descriptor, source->data, source->size, &unpacked));
    const Onnx__TensorProto *proto = (const Onnx__TensorProto *)unpacked.message;
    tn_status status = onnx_read_tensor(host, proto, "tensor", NULL, &tensor);
    if (status == TN_OK) {
        status = give(host, sink, proto->name, tensor);
    }
    unpacked_release(&unpacked);
    return status;
}

static tn_status read_tensors(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    struct unpacked unpacked;
    tn_tensor *tensor;
    if (!unpack_sequence(host, source->data, source->size, &unpacked)) {
        return read_one_tensor(host, source, sink);
    }
    const OnnxSequence__Values *values = (const OnnxSequence__Values *)unpacked.message;
    tn_status status = read_sequence(host, values, "sequence", &tensor);
    if (status == TN_OK) {
        status = give(host, sink, values->name, tensor);
    }
    unpacked_release(&unpacked);
    return status;
}

static const tn_format tensor_format = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "One tensor of ONNX in a file, or a sequence of them.",
    .extensions = ".pb",
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .recognise = recognise_tensor,
    .read_tensors = read_tensors,
};

static const tn_entry entries[] = {
    TN_ENTRY_FORMAT("onnx", &model_format),
    TN_ENTRY_FORMAT("onnx-tensor", &tensor_format),
};

TN_PLUGIN_WITH("format-onnx", "0.1.0", "error/1,memory/1,attrs/1,tensor/1,graph/1,string/1",
               "log/1", NULL, NULL, entries);
