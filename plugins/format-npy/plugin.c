/* The formats "npy", one array, and "npz", several arrays with names, as NumPy writes them. */
#include "npy.h"
#include "npz.h"
#include "zip_layout.h"

static int ends_with(const tn_source *source, const char *ending) {
    const size_t length = source->path != NULL ? strlen(source->path) : 0;
    const size_t ending_length = strlen(ending);
    return length >= ending_length && strcmp(source->path + length - ending_length, ending) == 0;
}

static int32_t recognise_npy(const tn_host *host, const tn_source *source) {
    (void)host;
    if (source->size >= NPY_MAGIC_SIZE && memcmp(source->data, NPY_MAGIC, NPY_MAGIC_SIZE) == 0) {
        return 100;
    }
    return ends_with(source, ".npy");
}

/* Many formats are zip files; an .npz file is one whose first entry is an array. */
static int32_t recognise_npz(const tn_host *host, const tn_source *source) {
    (void)host;
    const uint8_t *data = source->data;
    const int is_named = ends_with(source, ".npz");
    if (source->size < ZIP_END_SIZE) {
        return is_named;
    }
    const uint32_t mark = zip_u32(data);
    if (mark == ZIP_END_MARK) {
        return is_named ? 90 : 20;
    }
    if (mark != ZIP_LOCAL_MARK || source->size < ZIP_LOCAL_SIZE) {
        return is_named;
    }
    const uint64_t name_end = (uint64_t)ZIP_LOCAL_SIZE + zip_u16(data + ZIP_LOCAL_NAME_LENGTH);
    const int holds_array = name_end >= ZIP_LOCAL_SIZE + 4 && name_end <= source->size &&
                            memcmp(data + name_end - 4, ".npy", 4) == 0;
    return holds_array ? 95 : is_named ? 90 : 20;
}

static tn_status read_npy(const tn_host *host, const tn_source *source,
                          const tn_tensor_sink *sink) {
    tn_tensor *tensor = NULL;
    TN_TRY(npy_read(host, source->data, source->size, &tensor));
    const tn_status status = sink->add(sink->context, NULL, tensor);
    TN_SERVICE(host, tensor)->release(host, tensor);
    return status;
}

static tn_status write_npy(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                           const tn_byte_sink *sink) {
    char header[NPY_HEADER_SIZE];
    uint64_t header_size = 0;
    if (count != 1) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "an .npy file holds one array, not %u: write an .npz file", (unsigned)count);
    }
    const tn_view *view = TN_SERVICE(host, tensor)->view(host, tensors[0].tensor);
    TN_TRY(npy_make_header(host, view, header, &header_size));
    TN_TRY(sink->write(sink->context, header, header_size));
    const uint64_t size = tn_byte_size(view);
    return size == 0 ? TN_OK : sink->write(sink->context, tn_data(view), size);
}

static tn_status read_npz(const tn_host *host, const tn_source *source,
                          const tn_tensor_sink *sink) {
    return npz_read(host, source->data, source->size, sink);
}

static const tn_format npy = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "One array without a name, in NumPy's .npy format.",
    .extensions = ".npy",
    .recognise = recognise_npy,
    .read_tensors = read_npy,
    .write_tensors = write_npy,
};

static const tn_format npz = {
    .struct_size = TN_FORMAT_SIZE,
    .flags = TN_FORMAT_SPARSE,
    .doc = "Arrays with names, in NumPy's .npz format: a zip file of .npy files.",
    .extensions = ".npz",
    .recognise = recognise_npz,
    .read_tensors = read_npz,
    .write_tensors = npz_write,
};

static const tn_entry entries[] = {TN_ENTRY_FORMAT("npy", &npy), TN_ENTRY_FORMAT("npz", &npz)};

TN_PLUGIN_WITH("format-npy", "0.1.0", "error/1,memory/1,tensor/1,sparse/1", "log/1", NULL, NULL,
               entries);
