/*
 * Tensors: counted, typed, shaped storage on some device, views that share memory, and exchange
 * through DLPack and files. sparse.h has those that store only part of their elements.
 */
#ifndef TENON_TENSOR_H
#define TENON_TENSOR_H

#include <tenon/runtime.h>

/* Elements are not initialised, but strings, which are empty. Memory is host memory, 64-byte
 * aligned. */
TN_API tn_status tn_tensor_create(tn_runtime *runtime, tn_dtype dtype, int32_t rank,
                                  const int64_t *extents, tn_tensor **out_tensor);

/* The same on an open device. */
TN_API tn_status tn_tensor_create_on(tn_device *device, tn_dtype dtype, int32_t rank,
                                     const int64_t *extents, tn_tensor **out_tensor);

/* Elements in host memory that copies to and from `device` reach directly, without a copy by the
 * host in between: the fastest there is for large tensors that go back and forth. It is a host
 * tensor in all else. Such memory is scarcer than other memory, and dearer to make.
 *
 * Errors: OUT_OF_MEMORY; UNSUPPORTED on a device that has none. */
TN_API tn_status tn_tensor_create_pinned(tn_device *device, tn_dtype dtype, int32_t rank,
                                         const int64_t *extents, tn_tensor **out_tensor);

/* Uses the caller's memory. `release(context)` is called once, when the last tensor that shares it
 * is gone; not when the call fails. */
TN_API tn_status tn_tensor_wrap(tn_runtime *runtime, tn_dtype dtype, int32_t rank,
                                const int64_t *extents, void *data, void (*release)(void *context),
                                void *context, tn_tensor **out_tensor);

TN_API void tn_tensor_retain(tn_tensor *tensor);
TN_API void tn_tensor_release(tn_tensor *tensor);

/* Type, shape, device and memory; lives as long as the tensor. Of a sparse tensor `data` is no
 * array but what tn_tensor_sparse gives. */
TN_API const tn_view *tn_tensor_view(const tn_tensor *tensor);

/* The first element, in host memory; NULL when the tensor lies on a device that the host cannot
 * address, and when it is sparse. */
TN_API void *tn_tensor_data(const tn_tensor *tensor);

/* Of the elements; 0 when the tensor is sparse. */
TN_API uint64_t tn_tensor_byte_size(const tn_tensor *tensor);

/* Rows `begin` to `end` of the first axis, sharing memory. */
TN_API tn_status tn_tensor_slice(tn_tensor *tensor, int64_t begin, int64_t end,
                                 tn_tensor **out_tensor);

/* Row `index` of the first axis, with that axis gone, sharing memory. */
TN_API tn_status tn_tensor_at(tn_tensor *tensor, int64_t index, tn_tensor **out_tensor);

/* Another shape over the same memory. `request` may hold MXNet's codes 0, -1, -2, -3 and -4 (see
 * docs/formats.md); `reverse` matches from the right. */
TN_API tn_status tn_tensor_reshape(tn_tensor *tensor, int32_t rank, const int64_t *request,
                                   int32_t reverse, tn_tensor **out_tensor);

/* Copies all elements; dtypes and element counts must be equal. Either side may be on any device;
 * returns when the copy is done. A sparse tensor goes to one of the same storage and shape. */
TN_API tn_status tn_tensor_copy(const tn_tensor *source, tn_tensor *target);

/* Copies all elements from or to host memory; `size` must be the tensor's byte size. */
TN_API tn_status tn_tensor_read(const tn_tensor *tensor, void *target, uint64_t size);
TN_API tn_status tn_tensor_write(tn_tensor *tensor, const void *source, uint64_t size);

/* The tensor on `device`: itself (with one more count) when it is there already, else a copy. */
TN_API tn_status tn_tensor_to_device(tn_tensor *tensor, tn_device *device, tn_tensor **out_tensor);

/* The element of a TN_STRING tensor for these bytes, of which none may be 0; NULL for none. The
 * runtime keeps it until it ends; equal texts are one pointer. Any thread. */
TN_API tn_status tn_string_intern(tn_runtime *runtime, const void *bytes, uint64_t size,
                                  const char **out_string);

/* DLPack (its DLManagedTensor of versions 0.2 to 0.8, declared by dlpack/dlpack.h). The exported
 * struct holds a count on the tensor until its deleter is called. Strides are NULL. */
struct DLManagedTensor;
TN_API tn_status tn_tensor_to_dlpack(tn_tensor *tensor, struct DLManagedTensor **out_managed);

/* Takes the struct over: its deleter (may be NULL) is called when the last tensor that shares the
 * memory is gone, and not when the call fails. Compact arrays are shared, others are copied.
 * Lanes other than 1 and dtypes that Tenon lacks are UNSUPPORTED. */
TN_API tn_status tn_tensor_from_dlpack(tn_runtime *runtime, struct DLManagedTensor *managed,
                                       tn_tensor **out_tensor);

/* A list of tensors, as files hold them. `name` is NULL where the file has none. */
typedef struct tn_tensor_list tn_tensor_list;

/* Reads a file through the format plugin that recognises it. */
TN_API tn_status tn_tensor_list_read(tn_runtime *runtime, const char *path,
                                     tn_tensor_list **out_list);
/* The same from memory; `hint` (may be NULL) is a file name whose ending helps to recognise it. */
TN_API tn_status tn_tensor_list_read_memory(tn_runtime *runtime, const void *data, uint64_t size,
                                            const char *hint, tn_tensor_list **out_list);
TN_API tn_status tn_tensor_list_create(tn_runtime *runtime, tn_tensor_list **out_list);
/* Takes a count of its own. `name` may be NULL, for all or none. */
TN_API tn_status tn_tensor_list_add(tn_tensor_list *list, const char *name, tn_tensor *tensor);
/* Writes a file; its format follows from the name's ending, or is `format` when not NULL. */
TN_API tn_status tn_tensor_list_write(const tn_tensor_list *list, const char *path,
                                      const char *format);
TN_API uint32_t tn_tensor_list_count(const tn_tensor_list *list);
TN_API const char *tn_tensor_list_name(const tn_tensor_list *list, uint32_t index);
/* Borrowed. */
TN_API tn_tensor *tn_tensor_list_get(const tn_tensor_list *list, uint32_t index);
TN_API void tn_tensor_list_destroy(tn_tensor_list *list);

#endif
