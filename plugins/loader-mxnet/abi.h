/*
 * The functions that an MXNet extension library exports, in its library API versions 7, 10 and 11,
 * and the callbacks that it is given. Where a type differs between versions both forms are here.
 *
 * What these functions take as `extension_function` are C++ functions inside the library, which
 * only the library itself can call.
 */
#ifndef LOADER_MXNET_ABI_H
#define LOADER_MXNET_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { EXTENSION_FAILED = 0, EXTENSION_SUCCEEDED = 1 };

typedef void (*extension_function)(void);
typedef const char *const *extension_texts;

/* Scratch memory of one call; NULL when there is none. */
typedef void *(*extension_allocate)(void *context, int size);
/* Room for a sparse output: the library fills in what the three pointers lead to. */
typedef void (*extension_allocate_sparse)(void *context, int output, int index_count, int row_count,
                                          void **out_data, int64_t **out_indices,
                                          int64_t **out_row_starts);
/* A new parameter of a graph that a pass works on. */
typedef void (*extension_allocate_array)(const void *context, const int64_t *shape, int rank,
                                         const char *device, int device_index, int dtype,
                                         const char *name, int is_argument, void **out_data);

/* The tensors of a call, an array for each property. */
#define EXTENSION_TENSORS                                                                          \
    const int64_t **, int *, void **, int *, size_t *, const char **, int *, int

/* What follows the operator's function and attributes, or the state, in every call that computes:
 * inputs, outputs, scratch memory for CPU and GPU, the CUDA stream, sparse outputs, storage types,
 * indices, row starts and their counts, the random states for CPU and GPU. */
#define EXTENSION_COMPUTE                                                                          \
    EXTENSION_TENSORS, EXTENSION_TENSORS, extension_allocate, void *, extension_allocate, void *,  \
        void *, extension_allocate_sparse, void *, int *, int *, void **, void **, void **,        \
        void **, int64_t *, int64_t *, int64_t *, int64_t *, void *, void *

/* Named arrays of a graph: names, count, data, shapes, ranks, dtypes, ids, devices, their indices.
 */
#define EXTENSION_ARRAYS                                                                           \
    extension_texts, int, void *const *, const int64_t *const *, const int *, const int *,         \
        const size_t *, extension_texts, const int *

struct extension_exports {
    int (*version)(void);
    int (*initialize)(int version);
    void (*free_memory)(void *memory);
    int (*message_count)(void);                        /* from version 8 */
    void (*message)(int index, const char **out_text); /* from version 8 */

    int (*op_count)(void);
    void (*op)(int index, const char **name, int *is_subgraph, extension_texts *forward_contexts,
               extension_function **forward, int *forward_count, extension_texts *backward_contexts,
               extension_function **backward, int *backward_count, extension_texts *create_contexts,
               extension_function **create, int *create_count, extension_function *parse,
               extension_function *type, extension_function *storage, extension_function *shape,
               extension_function *mutate);
    int (*parse)(extension_function, extension_texts, extension_texts, int, int *, int *);
    int (*infer_shape)(extension_function, extension_texts, extension_texts, int, unsigned **,
                       int *, int, unsigned ***, int **, unsigned ***, int **, int);
    int (*infer_type)(extension_function, extension_texts, extension_texts, int, int *, int, int *,
                      int);
    int (*infer_storage)(extension_function, extension_texts, extension_texts, int, int *, int,
                         int *, int);
    int (*mutate)(extension_function, extension_texts, extension_texts, int, int **, int *);
    int (*compute)(extension_function, extension_texts, extension_texts, int, EXTENSION_COMPUTE);
    int (*compute_stateful)(int is_forward, void *state, EXTENSION_COMPUTE);
    /* One symbol, whose parameters changed with version 10. */
    int (*create_state_7)(extension_function, extension_texts, extension_texts, int, void **);
    int (*create_state)(extension_function, extension_texts, extension_texts, int, const char *,
                        int, unsigned **, int *, int, const int *, void **);
    void (*destroy_state)(void *state); /* from version 11 */

    int (*partitioner_count)(void);
    int (*partitioner)(int index, const char **name);
    void (*strategy)(int partitioner, int index, const char **name, extension_function *supported,
                     extension_function *create_selector, extension_function *review,
                     const char **op);
    int (*supported_ops)(extension_function, const char *json, int, int *, extension_texts,
                         extension_texts, int);
    int (*create_selector)(extension_function, const char *json, void **, extension_texts,
                           extension_texts, int);
    void (*select)(void *selector, int node, int *);
    void (*select_input)(void *selector, int node, int input, int *);
    void (*select_output)(void *selector, int node, int output, int *);
    void (*filter)(void *selector, int *, int, int **, int *);
    void (*reset)(void *selector);
    int (*review)(extension_function, const char *json, int, int *, extension_texts,
                  extension_texts, int, char ***, char ***, int *, EXTENSION_ARRAYS,
                  EXTENSION_ARRAYS);

    int (*pass_count)(void);
    void (*pass)(int index, extension_function *function, const char **name);
    int (*run_pass)(extension_function, const char *json, char **, extension_texts, extension_texts,
                    int, const char *name, EXTENSION_ARRAYS, EXTENSION_ARRAYS,
                    extension_allocate_array, const void *);
};

#endif
