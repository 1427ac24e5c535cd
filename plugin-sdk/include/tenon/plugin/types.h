/*
 * Plain data that both sides of the contract share: element types, shapes, tensor views, lists.
 * These few structs are values that are frozen as they stand: they carry no struct_size and never
 * grow [TN-REQ-002]. Everything here is for little-endian machines with 64-bit pointers.
 */
#ifndef TENON_PLUGIN_TYPES_H
#define TENON_PLUGIN_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* The end offset of a struct's last known field. Not sizeof: growth can hide in tail padding. */
#define TN_STRUCT_END(type, last) ((uint32_t)(offsetof(type, last) + sizeof(((type *)0)->last)))

/* True when `object` (with a struct_size) was made by somebody who knew `field`. */
#define TN_HAS_FIELD(type, object, field) ((object)->struct_size >= TN_STRUCT_END(type, field))

/*
 * Element type: bits 0-7 the DLPack type code, 8-15 the bits of one element, 16-31 lanes (always
 * 1). In memory this is byte for byte DLPack's DLDataType. 0 means "not known".
 */
typedef uint32_t tn_dtype;

#define TN_DTYPE(code, bits) ((uint32_t)(code) | ((uint32_t)(bits) << 8) | ((uint32_t)1 << 16))
#define TN_I8 TN_DTYPE(0, 8)
#define TN_I16 TN_DTYPE(0, 16)
#define TN_I32 TN_DTYPE(0, 32)
#define TN_I64 TN_DTYPE(0, 64)
#define TN_U8 TN_DTYPE(1, 8)
#define TN_U16 TN_DTYPE(1, 16)
#define TN_U32 TN_DTYPE(1, 32)
#define TN_U64 TN_DTYPE(1, 64)
#define TN_F16 TN_DTYPE(2, 16)
#define TN_F32 TN_DTYPE(2, 32)
#define TN_F64 TN_DTYPE(2, 64)
#define TN_BF16 TN_DTYPE(4, 16)
#define TN_BOOL TN_DTYPE(6, 8) /* one byte, 0 or 1 */
/* A text: a `const char *` to bytes that end with a zero, made by the `string` service (host.h).
 * Equal texts are one pointer, NULL is the empty text, and all live as long as the runtime:
 * elements are copied and compared like integers. In host memory alone. */
#define TN_STRING TN_DTYPE(3, 64)
/* A byte of a sequence of tensors (sequence.h). In host memory alone. */
#define TN_SEQUENCE TN_DTYPE(3, 8)

/* Whether elements are no numbers, but texts or sequences. */
#define TN_DTYPE_IS_OPAQUE(dtype) (((dtype)&0xffu) == 3)

/* Bytes of one element. */
#define TN_DTYPE_SIZE(dtype) ((size_t)(((dtype) >> 8) & 0xffu) / 8)

/* How the elements are stored; sparse.h has more of the last two. */
#define TN_STORAGE_UNKNOWN 0u
#define TN_STORAGE_DENSE 1u      /* all of them */
#define TN_STORAGE_ROW_SPARSE 2u /* some rows of the first axis; the others are zero */
#define TN_STORAGE_CSR 3u        /* of a matrix, some elements of each row */

#define TN_MAX_RANK 32
#define TN_UNKNOWN (-1) /* as a rank: nothing is known; as an extent: this one is not */

/* A shape, possibly partial. Extents beyond `rank` are not read. An extent of 0 is an empty
 * tensor; rank 0 is a scalar with one element. */
typedef struct tn_shape {
    int32_t rank; /* 0 to TN_MAX_RANK, or TN_UNKNOWN */
    int32_t reserved;
    int64_t extents[TN_MAX_RANK]; /* each at least 0, or TN_UNKNOWN */
} tn_shape;

/* What inference knows of one tensor. */
typedef struct tn_tensor_type {
    tn_dtype dtype;   /* 0 when unknown */
    uint32_t storage; /* TN_STORAGE_… */
    tn_shape shape;
} tn_tensor_type;

/* DLPack's numbers for kinds of device. */
#define TN_DEVICE_TYPE_CPU 1
#define TN_DEVICE_TYPE_CUDA 2
#define TN_DEVICE_TYPE_VULKAN 7

typedef struct tn_device_id {
    int32_t type;  /* TN_DEVICE_TYPE_… */
    int32_t index; /* the backend's own numbering, from 0 */
} tn_device_id;

/*
 * Where the elements of a dense tensor lie. Row-major is what every tensor outside a plan has;
 * kernels can agree on another one for values that only they see (tn_kernel.layouts). A view in
 * channels-last layout has the logical shape (batch, channels, …) and says by its strides that axis
 * 1 is the innermost in memory.
 */
#define TN_LAYOUT_ROW_MAJOR 0u
#define TN_LAYOUT_CHANNELS_LAST 1u /* rank 3 or more */

/*
 * A tensor as plugins see it: the layout of DLPack's DLTensor, so that it can be handed to any
 * library that speaks DLPack. A view owns nothing and lasts for the call it was given to unless
 * the call says otherwise. On a device whose memory the host cannot address, `data` is the
 * backend's buffer handle and only `byte_offset` may be computed with. Where the storage is not
 * dense, `data` is a tn_sparse (sparse.h): only who asks for such tensors is given them.
 */
typedef struct tn_view {
    void *data;
    tn_device_id device;
    int32_t rank;
    tn_dtype dtype;
    const int64_t *shape;   /* `rank` extents */
    const int64_t *strides; /* in elements; NULL: compact, row-major */
    uint64_t byte_offset;   /* of the first element, from `data` */
} tn_view;

/* Lists inside parsed attributes. `count` -1 stands for "None". Owned by the host. */
typedef struct tn_ints {
    int64_t count;
    const int64_t *values; /* TN_NONE for an element given as None */
} tn_ints;

typedef struct tn_floats {
    int64_t count;
    const double *values;
} tn_floats;

#define TN_NONE INT64_MIN /* an integer attribute given as "None" */

/* One named text: an attribute, an option. Borrowed for the call. */
typedef struct tn_option {
    const char *name;
    const char *value;
} tn_option;

/* Options with names of any kind, in the order given. Owned by the host. */
typedef struct tn_options {
    int64_t count;
    const tn_option *items;
} tn_options;

/* Output number `output` of node number `node` of a graph. */
typedef struct tn_value {
    uint32_t node;
    uint32_t output;
} tn_value;

#define TN_NO_NODE UINT32_MAX /* an absent optional input, or "no gradient" */

/* Handles: made and destroyed by the host, only pointers to them cross the line. */
typedef struct tn_tensor tn_tensor;
typedef struct tn_graph tn_graph;
typedef struct tn_stream tn_stream;
typedef struct tn_device tn_device;
typedef struct tn_code_module tn_code_module;
typedef struct tn_device_kernel tn_device_kernel;
typedef struct tn_subgraph_runner tn_subgraph_runner;
typedef struct tn_host tn_host;

#endif
