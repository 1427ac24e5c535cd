#include "weights.h"

#include "wire.h"

/* Numbers of fields in onnx.proto. */
enum { MODEL_GRAPH = 7, GRAPH_INITIALIZER = 5, TENSOR_RAW_DATA = 9 };

/* Fewer bytes are left where they are. */
enum { SMALLEST = 4096 };

static int is_message(const struct wire_field *field, uint64_t number) {
    return field->number == number && field->wire_type == WIRE_BYTES;
}

static uint64_t size_of(const struct wire_field *field) {
    return (uint64_t)(field->content.end - field->content.at);
}

/* How often a field is there; a message that has one twice is merged, which is left to protobuf-c.
 */
static uint32_t count_fields(struct wire_bytes bytes, uint64_t number) {
    struct wire_field field;
    uint32_t count = 0;
    while (bytes.at < bytes.end && wire_read_field(&bytes, &field)) {
        count += field.number == number ? 1 : 0;
    }
    return count;
}

static tn_status grow(struct weights *weights) {
    if (weights->count < weights->capacity) {
        return TN_OK;
    }
    const uint64_t capacity = weights->capacity == 0 ? 64 : weights->capacity * 2;
    void *items;
    TN_TRY(tn_allocate(weights->host, capacity, sizeof *weights->items, &items));
    if (weights->count > 0) {
        memcpy(items, weights->items, weights->count * sizeof *weights->items);
    }
    tn_free(weights->host, weights->items);
    weights->items = items;
    weights->capacity = capacity;
    return TN_OK;
}

/* The tensor without its elements, when those are one piece and large. */
static tn_status strip_tensor(struct weights *weights, struct wire_bytes tensor,
                              struct bytes_out *graph) {
    struct bytes_out kept = {.host = weights->host};
    struct wire_field field;
    struct weight weight = {NULL, 0};
    const int is_one = count_fields(tensor, TENSOR_RAW_DATA) == 1;
    TN_TRY(grow(weights));
    while (tensor.at < tensor.end) {
        const unsigned char *begin = tensor.at;
        if (!wire_read_field(&tensor, &field)) {
            break;
        }
        if (is_one && is_message(&field, TENSOR_RAW_DATA) && size_of(&field) >= SMALLEST) {
            weight = (struct weight){field.content.at, size_of(&field)};
        } else {
            put_bytes(&kept, begin, (uint64_t)(tensor.at - begin));
        }
    }
    weights->items[weights->count++] = weight;
    put_message(graph, GRAPH_INITIALIZER, &kept);
    return graph->status;
}

static tn_status strip_graph(struct weights *weights, struct wire_bytes graph) {
    struct bytes_out kept = {.host = weights->host};
    struct wire_field field;
    tn_status status = TN_OK;
    while (status == TN_OK && graph.at < graph.end) {
        const unsigned char *begin = graph.at;
        if (!wire_read_field(&graph, &field)) {
            break;
        }
        if (is_message(&field, GRAPH_INITIALIZER)) {
            status = strip_tensor(weights, field.content, &kept);
        } else {
            put_bytes(&kept, begin, (uint64_t)(graph.at - begin));
        }
    }
    put_message(&weights->rest, MODEL_GRAPH, &kept);
    return status == TN_OK ? weights->rest.status : status;
}

tn_status weights_set_aside(const tn_host *host, const void *data, uint64_t size,
                            struct weights *weights) {
    struct wire_bytes model = {data, (const unsigned char *)data + size};
    struct wire_field field;
    *weights = (struct weights){.host = host, .rest = {.host = host}};
    if (count_fields(model, MODEL_GRAPH) != 1) {
        return TN_OK;
    }
    while (model.at < model.end) {
        const unsigned char *begin = model.at;
        if (!wire_read_field(&model, &field)) {
            break;
        }
        if (is_message(&field, MODEL_GRAPH)) {
            TN_TRY(strip_graph(weights, field.content));
        } else {
            put_bytes(&weights->rest, begin, (uint64_t)(model.at - begin));
        }
    }
    return weights->rest.status;
}

tn_status weights_put_back(const struct weights *weights, const Onnx__ModelProto *model) {
    const Onnx__GraphProto *graph = model->graph;
    if (weights->count == 0) {
        return TN_OK;
    }
    if (graph == NULL || graph->n_initializer != weights->count) {
        return tn_fail(weights->host, TN_CORRUPT,
                       "graph.initializer: %zu tensors were read where the file has %llu",
                       graph == NULL ? (size_t)0 : graph->n_initializer,
                       (unsigned long long)weights->count);
    }
    for (uint64_t i = 0; i < weights->count; i++) {
        if (weights->items[i].data != NULL) {
            graph->initializer[i]->has_raw_data = 1;
            graph->initializer[i]->raw_data = (ProtobufCBinaryData){
                weights->items[i].size, (uint8_t *)(uintptr_t)weights->items[i].data};
        }
    }
    return TN_OK;
}

void weights_take_out(const struct weights *weights, const Onnx__ModelProto *model) {
    for (uint64_t i = 0; i < weights->count; i++) {
        Onnx__TensorProto *tensor = model->graph->initializer[i];
        if (weights->items[i].data != NULL && tensor->raw_data.data == weights->items[i].data) {
            tensor->has_raw_data = 0;
            tensor->raw_data = (ProtobufCBinaryData){0, NULL};
        }
    }
}

void weights_finish(struct weights *weights) {
    bytes_finish(&weights->rest);
    tn_free(weights->host, weights->items);
    weights->items = NULL;
    weights->count = weights->capacity = 0;
}
