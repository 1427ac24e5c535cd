/* The format "png": one picture as a tensor. */
#include "picture.h"

static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static int32_t recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    if (source->size >= sizeof signature &&
        memcmp(source->data, signature, sizeof signature) == 0) {
        return 100;
    }
    const size_t length = source->path != NULL ? strlen(source->path) : 0;
    return length >= 4 && strcmp(source->path + length - 4, ".png") == 0;
}

static tn_status read_tensors(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    tn_tensor *tensor = NULL;
    TN_TRY(picture_decode(host, source->data, source->size, &tensor));
    const tn_status status = sink->add(sink->context, NULL, tensor);
    tensors->release(host, tensor);
    return status;
}

static tn_status write_tensors(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                               const tn_byte_sink *sink) {
    const tn_tensor_service *service = TN_SERVICE(host, tensor);
    if (count != 1) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "a PNG holds one picture, not %u tensors",
                       (unsigned)count);
    }
    return picture_encode(host, service->view(host, tensors[0].tensor), sink);
}

static const tn_format png = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "A picture as a uint8 tensor of shape (height, width, channels) with 1, 3 or 4 "
           "channels. Palettes and 16-bit samples become 8-bit ones, grey with alpha becomes RGB "
           "with alpha.",
    .extensions = ".png",
    .recognise = recognise,
    .read_tensors = read_tensors,
    .write_tensors = write_tensors,
};

static const tn_entry entries[] = {TN_ENTRY_FORMAT("png", &png)};

TN_PLUGIN_WITH("format-png", "0.1.0", "error/1,tensor/1", "", NULL, NULL, entries);
