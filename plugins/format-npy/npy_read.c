/* Makes a tensor of an .npy file: little-endian, row-major. */
#include "npy.h"

static void swap_bytes(uint8_t *elements, uint64_t size, size_t element_size) {
    for (uint8_t *element = elements; element < elements + size; element += element_size) {
        for (size_t low = 0, high = element_size - 1; low < high; low++, high--) {
            const uint8_t byte = element[low];
            element[low] = element[high];
            element[high] = byte;
        }
    }
}

/* Goes through the row-major target in order and keeps the offset of its element in the source,
 * where the first axis is the one that varies fastest. */
static void copy_from_fortran(const struct npy_header *header, const uint8_t *source,
                              uint8_t *target) {
    const size_t element_size = TN_DTYPE_SIZE(header->dtype);
    const int32_t rank = header->shape.rank;
    int64_t index[TN_MAX_RANK] = {0};
    uint64_t strides[TN_MAX_RANK];
    uint64_t stride = element_size, offset = 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        strides[axis] = stride;
        stride *= (uint64_t)header->shape.extents[axis];
    }
    for (uint64_t done = 0; done < header->data_size; done += element_size) {
        memcpy(target + done, source + offset, element_size);
        for (int32_t axis = rank - 1; axis >= 0; axis--) {
            offset += strides[axis];
            if (++index[axis] < header->shape.extents[axis]) {
                break;
            }
            offset -= strides[axis] * (uint64_t)index[axis];
            index[axis] = 0;
        }
    }
}

static void fill(const struct npy_header *header, const uint8_t *source, uint8_t *target) {
    if (header->is_fortran) {
        copy_from_fortran(header, source, target);
    } else {
        memcpy(target, source, header->data_size);
    }
    if (header->is_swapped) {
        swap_bytes(target, header->data_size, TN_DTYPE_SIZE(header->dtype));
    }
    if (header->dtype == TN_BOOL) { /* a file may hold any byte; in memory it is 0 or 1 */
        for (uint64_t i = 0; i < header->data_size; i++) {
            target[i] = target[i] != 0;
        }
    }
}

tn_status npy_read(const tn_host *host, const uint8_t *data, uint64_t size,
                   tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    struct npy_header header;
    TN_TRY(npy_read_header(host, data, size, &header));
    tn_tensor *tensor = NULL;
    if (!header.is_fortran && !header.is_swapped && header.dtype != TN_BOOL) {
        return tensors->of_bytes(host, header.dtype, header.shape.rank, header.shape.extents,
                                 data + header.data_offset, out_tensor);
    }
    TN_TRY(tensors->create(host, header.dtype, header.shape.rank, header.shape.extents, &tensor));
    if (header.data_size > 0) {
        fill(&header, data + header.data_offset, tn_data(tensors->view(host, tensor)));
    }
    *out_tensor = tensor;
    return TN_OK;
}
