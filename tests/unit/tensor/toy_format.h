/*
 * A format of the test's own: "TOY" and a count as a digit, then for each tensor one byte. Tensors
 * are called "t0", "t1", …; a digit 'n' in front of the count says that they have no names.
 */
#ifndef TENON_TESTS_TOY_FORMAT_H
#define TENON_TESTS_TOY_FORMAT_H

#include "fake_plugin.h"

static tn_status toy_add(const tn_host *host, const tn_tensor_sink *sink, char byte, int index,
                         int named) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    const int64_t one[] = {1};
    tn_tensor *tensor;
    char name[8];
    snprintf(name, sizeof name, "t%d", index);
    TN_TRY(tensors->create(host, TN_U8, 1, one, &tensor));
    *(char *)tn_data(tensors->view(host, tensor)) = byte;
    const tn_status status = sink->add(sink->context, named ? name : NULL, tensor);
    tensors->release(host, tensor);
    return status;
}

static tn_status toy_read(const tn_host *host, const tn_source *source,
                          const tn_tensor_sink *sink) {
    const char *data = source->data;
    const int named = source->size > 3 && data[3] != 'n';
    const uint64_t head = named ? 4 : 5;
    if (source->size < head || source->size - head < (uint64_t)(data[head - 1] - '0')) {
        return tn_fail(host, TN_CORRUPT, "the toy is broken at byte %u", (unsigned)source->size);
    }
    for (int i = 0; i < data[head - 1] - '0'; i++) {
        TN_TRY(toy_add(host, sink, data[head + (uint64_t)i], i, named));
    }
    return TN_OK;
}

static tn_status toy_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                           const tn_byte_sink *sink) {
    const tn_tensor_service *service = TN_SERVICE(host, tensor);
    char head[8];
    snprintf(head, sizeof head, "TOY%s%u", count > 0 && tensors[0].name == NULL ? "n" : "", count);
    TN_TRY(sink->write(sink->context, head, strlen(head)));
    for (uint32_t i = 0; i < count; i++) {
        const tn_view *view = service->view(host, tensors[i].tensor);
        TN_TRY(sink->write(sink->context, tn_data(view), tn_byte_size(view)));
    }
    return TN_OK;
}

static int32_t toy_recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    cr_assert(source->size <= 4096);
    if (source->size >= 3 && memcmp(source->data, "TOY", 3) == 0) {
        return 100;
    }
    const size_t size = source->path != NULL ? strlen(source->path) : 0;
    return size >= 4 && strcmp(source->path + size - 4, ".toy") == 0 ? 1 : 0;
}

static const tn_format toy_format = {
    .struct_size = TN_FORMAT_SIZE,
    .extensions = ".toy,.toy.bin",
    .recognise = toy_recognise,
    .read_tensors = toy_read,
    .write_tensors = toy_write,
};

#endif
