#include "byte_reader.h"
#include "idx.h"

struct idx_header {
    tn_dtype dtype;
    tn_shape shape;
    uint64_t byte_size;
};

tn_dtype idx_dtype(uint8_t code) {
    switch (code) {
    case 0x08: return TN_U8;
    case 0x09: return TN_I8;
    case 0x0b: return TN_I16;
    case 0x0c: return TN_I32;
    case 0x0d: return TN_F32;
    case 0x0e: return TN_F64;
    default: return 0;
    }
}

/* Compares what the header promises with what the file can hold, before memory is taken. */
static tn_status check_size(const tn_host *host, const struct byte_reader *reader,
                            struct idx_header *header) {
    const uint64_t most = byte_reader_most_left(reader);
    uint64_t bytes = TN_DTYPE_SIZE(header->dtype);
    for (int32_t axis = 0; axis < header->shape.rank; axis++) {
        bytes = header->shape.extents[axis] == 0 ? 0 : bytes;
    }
    for (int32_t axis = 0; axis < header->shape.rank && bytes > 0; axis++) {
        const uint64_t extent = (uint64_t)header->shape.extents[axis];
        if (bytes > most / extent) {
            char text[256];
            return tn_fail(host, TN_CORRUPT,
                           "%sthe header promises %s of shape %s, more than the file can hold",
                           reader->where, tn_dtype_name(header->dtype),
                           tn_shape_text(&header->shape, text, sizeof text));
        }
        bytes *= extent;
    }
    header->byte_size = bytes;
    return TN_OK;
}

static tn_status read_header(const tn_host *host, struct byte_reader *reader,
                             struct idx_header *header) {
    uint8_t mark[4] = {0}; /* zero, zero, type, rank */
    TN_TRY(byte_reader_take(host, reader, mark, sizeof mark));
    header->dtype = idx_dtype(mark[2]);
    if (mark[0] != 0 || mark[1] != 0 || header->dtype == 0) {
        return tn_fail(host, TN_CORRUPT,
                       "%san IDX file begins with two zero bytes and a type (8, 9, 11 to 14), not "
                       "with %u, %u, %u",
                       reader->where, mark[0], mark[1], mark[2]);
    }
    if (mark[3] > TN_MAX_RANK) {
        return tn_fail(host, TN_UNSUPPORTED, "%sthe array has rank %u: expected at most %d",
                       reader->where, mark[3], TN_MAX_RANK);
    }
    header->shape = tn_shape_of_rank(mark[3]);
    for (int32_t axis = 0; axis < header->shape.rank; axis++) {
        uint8_t extent[4] = {0};
        TN_TRY(byte_reader_take(host, reader, extent, sizeof extent));
        header->shape.extents[axis] = (int64_t)extent[0] << 24 | (int64_t)extent[1] << 16 |
                                      (int64_t)extent[2] << 8 | (int64_t)extent[3];
    }
    return check_size(host, reader, header);
}

static void swap_bytes(uint8_t *elements, uint64_t size, size_t element_size) {
    for (uint8_t *element = elements; element < elements + size; element += element_size) {
        for (size_t low = 0, high = element_size - 1; low < high; low++, high--) {
            const uint8_t byte = element[low];
            element[low] = element[high];
            element[high] = byte;
        }
    }
}

static tn_status read_elements(const tn_host *host, struct byte_reader *reader,
                               const struct idx_header *header, uint8_t *elements) {
    TN_TRY(byte_reader_take(host, reader, elements, header->byte_size));
    TN_TRY(byte_reader_expect_end(host, reader));
    if (TN_DTYPE_SIZE(header->dtype) > 1) {
        swap_bytes(elements, header->byte_size, TN_DTYPE_SIZE(header->dtype));
    }
    return TN_OK;
}

static tn_status read_array(const tn_host *host, struct byte_reader *reader,
                            tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    struct idx_header header = {0};
    tn_tensor *tensor = NULL;
    TN_TRY(read_header(host, reader, &header));
    TN_TRY(tensors->create(host, header.dtype, header.shape.rank, header.shape.extents, &tensor));
    const tn_status status =
        read_elements(host, reader, &header, tn_data(tensors->view(host, tensor)));
    if (status != TN_OK) {
        tensors->release(host, tensor);
        return status;
    }
    *out_tensor = tensor;
    return TN_OK;
}

tn_status idx_read(const tn_host *host, const char *where, const void *data, uint64_t size,
                   tn_tensor **out_tensor) {
    struct byte_reader reader;
    TN_TRY(byte_reader_init(host, where, data, size, &reader));
    const tn_status status = read_array(host, &reader, out_tensor);
    byte_reader_finish(&reader);
    return status;
}
