/* Exchange of tensors with other libraries, through DLPack. */
#include "tensor/dlpack.h"

#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "base/memory.h"
#include "tensor/sparse.h"
#include "tensor/tensor.h"

_Static_assert(offsetof(tn_view, rank) == 16 && offsetof(tn_view, dtype) == 20 &&
                   offsetof(tn_view, shape) == 24 && offsetof(tn_view, byte_offset) == 40 &&
                   sizeof(tn_view) == 48 && sizeof(struct DLManagedTensor) == 64,
               "a view must be laid out like DLPack's DLTensor");

/* DLPack's numbers for kinds of device whose memory the host can address. */
enum { DEVICE_CPU = 1, DEVICE_CUDA_HOST = 3, DEVICE_ROCM_HOST = 11 };

/* bool as MXNet writes it: an unsigned integer of one bit, which is a byte in memory all the same.
 */
#define MXNET_BOOL TN_DTYPE(1, 1)

static void delete_exported(struct DLManagedTensor *managed) {
    if (managed != NULL) {
        tn_tensor_release(managed->context);
        tni_free(managed);
    }
}

tn_status tn_tensor_to_dlpack(tn_tensor *tensor, struct DLManagedTensor **out_managed) {
    if (TN_DTYPE_IS_OPAQUE(tensor->view.dtype)) {
        return tni_fail(TN_UNSUPPORTED, "DLPack has no strings: its element types are numbers");
    }
    TNI_TRY(tni_require_dense(tensor, "handed over through DLPack, which knows dense ones alone"));
    struct DLManagedTensor *managed = tni_allocate(1, sizeof *managed);
    if (managed == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_tensor_retain(tensor);
    managed->tensor = tensor->view; /* extents live as long as the tensor */
    managed->context = tensor;
    managed->deleter = delete_exported;
    *out_managed = managed;
    return TN_OK;
}

static void delete_imported(void *context) {
    struct DLManagedTensor *managed = context;
    if (managed->deleter != NULL) {
        managed->deleter(managed);
    }
}

static tn_status check_dtype(tn_dtype given, tn_dtype *out_dtype) {
    const tn_dtype dtype = given == MXNET_BOOL ? TN_BOOL : given;
    if (strcmp(tn_dtype_text(dtype), "unknown") == 0 || TN_DTYPE_IS_OPAQUE(dtype)) {
        return tni_fail(TN_UNSUPPORTED,
                        "DLPack dtype code %u, bits %u, lanes %u: expected one lane and integers "
                        "of 8 to 64 bits, floats of 16 to 64, bfloat16 or bool",
                        (unsigned)(given & 0xffu), (unsigned)(given >> 8 & 0xffu),
                        (unsigned)(given >> 16));
    }
    *out_dtype = dtype;
    return TN_OK;
}

static tn_status check_device(tn_device_id device) {
    if (device.type == DEVICE_CPU || device.type == DEVICE_CUDA_HOST ||
        device.type == DEVICE_ROCM_HOST) {
        return TN_OK;
    }
    return tni_fail(TN_UNSUPPORTED,
                    "the DLPack tensor lies on a device of type %d, number %d: expected host "
                    "memory; copy it to the host first",
                    (int)device.type, (int)device.index);
}

/* Strides of axes with one element say nothing, and an empty tensor has no order. */
static bool is_compact(const tn_view *view) {
    int64_t expected = 1;
    if (view->strides == NULL || tn_element_count(view) == 0) {
        return true;
    }
    for (int32_t axis = view->rank - 1; axis >= 0; axis--) {
        if (view->shape[axis] != 1 && view->strides[axis] != expected) {
            return false;
        }
        expected *= view->shape[axis];
    }
    return true;
}

/* The farthest that the strides reach from the first element, to either side, must be a distance
 * that an address can have. */
static tn_status check_strides(const tn_view *view, size_t element) {
    uint64_t reach = 0;
    for (int32_t axis = 0; axis < view->rank; axis++) {
        const int64_t stride = view->strides[axis];
        const uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
        uint64_t part;
        if (!tni_multiply(step, (uint64_t)(view->shape[axis] - 1), &part) ||
            !tni_multiply(part, element, &part) || !tni_add(reach, part, &reach) ||
            reach > PTRDIFF_MAX) {
            return tni_fail(TN_INVALID_ARGUMENT,
                            "DLPack stride %lld of axis %d leaves the address space",
                            (long long)stride, (int)axis);
        }
    }
    return TN_OK;
}

/* Bytes from one element of the axis to the next. The stride of an axis with one element may be any
 * number, and is never multiplied. */
static ptrdiff_t step_size(const tn_view *view, int32_t axis, size_t element) {
    return view->shape[axis] > 1 ? (ptrdiff_t)view->strides[axis] * (ptrdiff_t)element : 0;
}

/* Copies rows of the last axis, counting through the axes before it. No axis is empty. */
static void copy_strided(const tn_view *view, const char *source, char *target, size_t element) {
    int64_t index[TN_MAX_RANK] = {0};
    const int32_t last = view->rank - 1;
    const ptrdiff_t step = step_size(view, last, element);
    int32_t axis;
    do {
        for (int64_t i = 0; i < view->shape[last]; i++, target += element) {
            memcpy(target, source + i * step, element);
        }
        for (axis = last - 1; axis >= 0; axis--) {
            const ptrdiff_t jump = step_size(view, axis, element);
            if (index[axis] + 1 < view->shape[axis]) {
                index[axis]++;
                source += jump;
                break;
            }
            source -= jump * index[axis];
            index[axis] = 0;
        }
    } while (axis >= 0);
}

static tn_status import_copy(tn_runtime *runtime, struct DLManagedTensor *managed, tn_dtype dtype,
                             tn_tensor **out_tensor) {
    const tn_view *view = &managed->tensor;
    const size_t element = TN_DTYPE_SIZE(dtype);
    if (view->strides != NULL) {
        TNI_TRY(check_strides(view, element));
    }
    tn_tensor *tensor;
    TNI_TRY(tn_tensor_create(runtime, dtype, view->rank, view->shape, &tensor));
    if (is_compact(view)) {
        memcpy(tn_tensor_data(tensor), tn_data(view), tn_tensor_byte_size(tensor));
    } else {
        copy_strided(view, tn_data(view), tn_tensor_data(tensor), element);
    }
    delete_imported(managed); /* nothing shares its memory */
    *out_tensor = tensor;
    return TN_OK;
}

tn_status tn_tensor_from_dlpack(tn_runtime *runtime, struct DLManagedTensor *managed,
                                tn_tensor **out_tensor) {
    if (managed == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the DLPack tensor is NULL");
    }
    const tn_view *view = &managed->tensor;
    tn_dtype dtype = 0;
    uint64_t size;
    TNI_TRY(check_device(view->device));
    TNI_TRY(check_dtype(view->dtype, &dtype));
    TNI_TRY(tni_in(tni_tensor_size(dtype, view->rank, view->shape, &size), "DLPack tensor"));
    if (size > 0 && (view->data == NULL || view->byte_offset > PTRDIFF_MAX)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "the DLPack tensor has data %p and byte_offset %llu: expected %llu bytes "
                        "there",
                        view->data, (unsigned long long)view->byte_offset,
                        (unsigned long long)size);
    }
    void *first = size > 0 ? tn_data(view) : view->data;
    const bool aligned = (uintptr_t)first % TN_DTYPE_SIZE(dtype) == 0;
    if (size > 0 && (!aligned || !is_compact(view))) {
        return import_copy(runtime, managed, dtype, out_tensor);
    }
    return tn_tensor_wrap(runtime, dtype, view->rank, view->shape, size > 0 ? first : NULL,
                          delete_imported, managed, out_tensor);
}
