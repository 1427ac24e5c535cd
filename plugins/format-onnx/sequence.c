#include "sequence.h"

#include "tensor.h"

int unpack_sequence(const tn_host *host, const void *data, uint64_t size,
                    struct unpacked *unpacked) {
    if (size == 0 || check_message(host, &onnx_sequence__values__descriptor, data, size) != TN_OK ||
        unpack(host, &onnx_sequence__values__descriptor, data, size, unpacked) != TN_OK) {
        return 0;
    }
    if (unpacked->message->n_unknown_fields > 0) {
        unpacked_release(unpacked);
        return 0;
    }
    return 1;
}

/* The tensors of a sequence, while it is being made. */
struct list {
    tn_tensor **tensors;
    tn_view *views;
    uint64_t count;
};

static tn_status list_add(const tn_host *host, struct list *list, tn_status status,
                          tn_tensor *tensor) {
    TN_TRY(status);
    list->views[list->count] = *TN_SERVICE(host, tensor)->view(host, tensor);
    list->tensors[list->count++] = tensor;
    return TN_OK;
}

static tn_status read_all(const tn_host *host, const OnnxSequence__Values *values, const char *path,
                          struct list *list) {
    char inner[160];
    tn_tensor *tensor = NULL;
    for (size_t i = 0; i < values->n_tensors; i++) {
        snprintf(inner, sizeof inner, "%.100s.tensors[%zu]", path, i);
        const tn_status status = onnx_read_tensor(host, values->tensors[i], inner, NULL, &tensor);
        TN_TRY(list_add(host, list, status, tensor));
    }
    for (size_t i = 0; i < values->n_sequences; i++) {
        snprintf(inner, sizeof inner, "%.100s.sequences[%zu]", path, i);
        const tn_status status = read_sequence(host, values->sequences[i], inner, &tensor);
        TN_TRY(list_add(host, list, status, tensor));
    }
    for (size_t i = 0; i < values->n_optionals; i++) {
        snprintf(inner, sizeof inner, "%.100s.optionals[%zu]", path, i);
        const tn_status status = read_sequence(host, values->optionals[i], inner, &tensor);
        TN_TRY(list_add(host, list, status, tensor));
    }
    return TN_OK;
}

tn_status read_sequence(const tn_host *host, const OnnxSequence__Values *values, const char *path,
                        tn_tensor **out_tensor) {
    const uint64_t most = values->n_tensors + values->n_sequences + values->n_optionals;
    struct list list = {0};
    void *tensors, *views = NULL;
    TN_TRY(tn_allocate(host, most, sizeof(tn_tensor *), &tensors));
    tn_status status = tn_allocate(host, most, sizeof(tn_view), &views);
    list.tensors = tensors;
    list.views = views;
    if (status == TN_OK) {
        status = read_all(host, values, path, &list);
    }
    if (status == TN_OK) {
        const int64_t size = (int64_t)tn_sequence_size(list.views, (int64_t)list.count);
        status = TN_SERVICE(host, tensor)->create(host, TN_SEQUENCE, 1, &size, out_tensor);
    }
    if (status == TN_OK) {
        tn_sequence_write(list.views, (int64_t)list.count,
                          tn_data(TN_SERVICE(host, tensor)->view(host, *out_tensor)));
    }
    for (uint64_t i = 0; i < list.count; i++) {
        TN_SERVICE(host, tensor)->release(host, list.tensors[i]);
    }
    tn_free(host, views);
    tn_free(host, tensors);
    return status;
}
