/* IDX files, as of MNIST: the data set "idx", and the format "idx" for a single file. */
#include "dataset.h"
#include "idx.h"

static int ends_with(const tn_source *source, const char *ending) {
    const size_t length = source->path != NULL ? strlen(source->path) : 0;
    const size_t ending_length = strlen(ending);
    return length >= ending_length && strcmp(source->path + length - ending_length, ending) == 0;
}

/* "images-idx3-ubyte" and "images-idx3-ubyte.gz" are the names in use. */
static int has_idx_name(const tn_source *source) {
    return ends_with(source, ".idx") || ends_with(source, ".idx.gz") ||
           ends_with(source, "-ubyte") || ends_with(source, "-ubyte.gz");
}

/* Two zero bytes, a type and a rank are a weak mark: many files begin so. Of a compressed file only
 * the name says what is in it. */
static int32_t recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    const uint8_t *data = source->data;
    const int is_named = has_idx_name(source);
    if (source->size >= 4 && data[0] == 0 && data[1] == 0 && idx_dtype(data[2]) != 0 &&
        data[3] <= TN_MAX_RANK) {
        return is_named ? 90 : 40;
    }
    if (source->size >= 2 && data[0] == 0x1f && data[1] == 0x8b) {
        return is_named ? 90 : 0;
    }
    return is_named;
}

static tn_status read_tensors(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    tn_tensor *tensor = NULL;
    TN_TRY(idx_read(host, "", source->data, source->size, &tensor));
    const tn_status status = sink->add(sink->context, NULL, tensor);
    TN_SERVICE(host, tensor)->release(host, tensor);
    return status;
}

static const tn_format idx_format = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "One array without a name in an IDX file, compressed by gzip or not.",
    .extensions = ".idx,.idx.gz,-ubyte,-ubyte.gz",
    .recognise = recognise,
    .read_tensors = read_tensors,
};

static const tn_entry entries[] = {TN_ENTRY_DATASET("idx", &idx_dataset),
                                   TN_ENTRY_FORMAT("idx", &idx_format)};

TN_PLUGIN_WITH("data-idx", "0.1.0", "error/1,memory/1,tensor/1", "", NULL, NULL, entries);
