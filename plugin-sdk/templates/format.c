/*
 * A file format for tensors; here for one list of float32: eight magic bytes, a little-endian count
 * of 64 bits, the elements. This line builds it; nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <tenon/plugin.h>

typedef struct header {
    char magic[8];
    uint64_t count;
} header;

static const char magic[8] = "TNLIST1";

/* How sure it is that it can read these bytes, which may be the beginning of a file only. */
static int32_t recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    return source->size >= sizeof(header) && memcmp(source->data, magic, sizeof magic) == 0 ? 100
                                                                                            : 0;
}

/* What is read is not trusted: every size is checked before memory is taken or read. */
static tn_status read_tensors(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    header head;
    if (recognise(host, source) == 0) {
        return tn_fail(host, TN_CORRUPT, "the magic bytes are not there");
    }
    memcpy(&head, source->data, sizeof head);
    const uint64_t bytes = source->size - sizeof head;
    if (head.count > bytes / sizeof(float) || head.count * sizeof(float) != bytes) {
        return tn_fail(host, TN_CORRUPT, "%llu elements are promised, %llu bytes follow",
                       (unsigned long long)head.count, (unsigned long long)bytes);
    }
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    const int64_t extent = (int64_t)head.count;
    tn_tensor *tensor;
    TN_TRY(tensors->create(host, TN_F32, 1, &extent, &tensor));
    memcpy(tn_data(tensors->view(host, tensor)), (const char *)source->data + sizeof head, bytes);
    const tn_status status = sink->add(sink->context, NULL, tensor);
    tensors->release(host, tensor); /* the sink has a count of its own */
    return status;
}

static tn_status write_tensors(const tn_host *host, const tn_named_tensor *list, uint32_t count,
                               const tn_byte_sink *sink) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    const tn_view *view = count == 1 ? tensors->view(host, list[0].tensor) : NULL;
    if (view == NULL || view->dtype != TN_F32 || view->rank != 1) {
        return tn_fail(host, TN_UNSUPPORTED, "only one float32 tensor of rank 1 can be written");
    }
    header head = {.count = (uint64_t)tn_element_count(view)};
    memcpy(head.magic, magic, sizeof magic);
    TN_TRY(sink->write(sink->context, &head, sizeof head));
    return sink->write(sink->context, tn_data(view), tn_byte_size(view));
}

static const tn_format format = {.struct_size = TN_FORMAT_SIZE,
                                 .doc = "One list of float32.",
                                 .extensions = ".@NAME@",
                                 .recognise = recognise,
                                 .read_tensors = read_tensors,
                                 .write_tensors = write_tensors};

static const tn_entry entries[] = {TN_ENTRY_FORMAT("@NAME@", &format)};
TN_PLUGIN_WITH("@NAME@", "0.1.0", "error/1,tensor/1", "", NULL, NULL, entries);
