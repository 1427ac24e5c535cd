/* The format "jpeg": one picture as a tensor. It is read, not written. */
#include "picture.h"

static const unsigned char signature[] = {0xff, 0xd8, 0xff};

static int has_ending(const char *path, const char *ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

static int32_t recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    if (source->size >= sizeof signature &&
        memcmp(source->data, signature, sizeof signature) == 0) {
        return 100;
    }
    return source->path != NULL &&
           (has_ending(source->path, ".jpg") || has_ending(source->path, ".jpeg"));
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

static const tn_format jpeg = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "A picture as a uint8 tensor of shape (height, width, channels) with 1 or 3 channels, "
           "as it is stored: a note of how the camera was held turns nothing. Read only.",
    .extensions = ".jpg .jpeg",
    .recognise = recognise,
    .read_tensors = read_tensors,
};

static const tn_entry entries[] = {TN_ENTRY_FORMAT("jpeg", &jpeg)};

TN_PLUGIN_WITH("format-jpeg", "0.1.0", "error/1,tensor/1", "", NULL, NULL, entries);
