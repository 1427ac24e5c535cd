/*
 * Calls into an extension library. A C++ exception that leaves the library ends here: the call then
 * gives EXTENSION_THREW, and `words` has what the exception says; or EXTENSION_NO_MEMORY when that
 * is what it says.
 */
#ifndef LOADER_MXNET_CALLS_H
#define LOADER_MXNET_CALLS_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EXTENSION_THREW = -1, EXTENSION_NO_MEMORY = -2 };

struct call_words {
    char text[256];
};

/* The attributes of a node, or the options of a pass. */
struct call_options {
    extension_texts keys;
    extension_texts values;
    int count;
};

/* The tensors of one call, an array for each property, each with `count` items. */
struct call_tensors {
    const int64_t **shapes;
    int *ranks;
    void **data;
    int *dtypes;
    size_t *ids;
    const char **devices;
    int *device_indices;
    int *storages;
    void **indices;
    void **row_starts;
    int64_t *index_counts;
    int64_t *row_start_counts;
    int count;
};

struct call_compute {
    extension_function function; /* NULL: a state computes */
    void *state;
    int is_forward;
    struct call_options options;
    struct call_tensors inputs, outputs;
    extension_allocate allocate;
    extension_allocate_sparse allocate_sparse;
    void *context; /* of both */
    void *random_states;
};

/* What inference of shapes gives; each array and each row is the library's to free. */
struct call_shapes {
    unsigned **inputs, **outputs;
    int *input_ranks, *output_ranks;
};

/* Named arrays of a graph. */
struct call_arrays {
    const char **names;
    void **data;
    const int64_t **shapes;
    int *ranks;
    int *dtypes;
    size_t *ids;
    const char **devices;
    int *device_indices;
    int count;
};

struct call_create {
    extension_function function;
    struct call_options options;
    unsigned **shapes;
    int *ranks;
    int *dtypes;
    int input_count;
};

/* Anything that calls into a library, from C: what it returns, or how it was left. */
int call_guarded(int (*body)(void *context), void *context, struct call_words *words);

/* Gives memory back to the library; what it throws then is nobody's concern. */
void call_free(const struct extension_exports *exports, void *memory);
/* The text of a message, or NULL. */
const char *call_message(const struct extension_exports *exports, int index);
/* How many messages there are; 0 when it does not say. */
int call_message_count(const struct extension_exports *exports);

/* Each gives EXTENSION_SUCCEEDED, EXTENSION_FAILED, EXTENSION_THREW or EXTENSION_NO_MEMORY. */
int call_initialize(const struct extension_exports *exports, int version, struct call_words *words);
int call_parse(const struct extension_exports *exports, extension_function parse,
               const struct call_options *options, int *out_inputs, int *out_outputs,
               struct call_words *words);
int call_infer_type(const struct extension_exports *exports, extension_function type,
                    const struct call_options *options, int *inputs, int input_count, int *outputs,
                    int output_count, struct call_words *words);
int call_infer_storage(const struct extension_exports *exports, extension_function storage,
                       const struct call_options *options, int *inputs, int input_count,
                       int *outputs, int output_count, struct call_words *words);
int call_infer_shape(const struct extension_exports *exports, extension_function shape,
                     const struct call_options *options, unsigned **inputs, int *input_ranks,
                     int input_count, int output_count, struct call_shapes *out_shapes,
                     struct call_words *words);
int call_mutate(const struct extension_exports *exports, extension_function mutate,
                const struct call_options *options, int **out_indices, int *out_count,
                struct call_words *words);
int call_create_state(const struct extension_exports *exports, const struct call_create *create,
                      void **out_state, struct call_words *words);
int call_destroy_state(const struct extension_exports *exports, void *state,
                       struct call_words *words);
int call_run(const struct extension_exports *exports, const struct call_compute *compute,
             struct call_words *words);
int call_pass(const struct extension_exports *exports, extension_function pass, const char *name,
              const char *json, const struct call_options *options,
              const struct call_arrays *arguments, const struct call_arrays *auxiliaries,
              extension_allocate_array allocate, const void *context, char **out_json,
              struct call_words *words);

int call_supported_ops(const struct extension_exports *exports, extension_function supported,
                       const char *json, int *groups, int count, const struct call_options *options,
                       struct call_words *words);
int call_create_selector(const struct extension_exports *exports, extension_function create,
                         const char *json, const struct call_options *options, void **out_selector,
                         struct call_words *words);
/* `which` is one of the library's functions select, select_input and select_output; `other` is not
 * read by the first. */
enum call_selection { CALL_SELECT, CALL_SELECT_INPUT, CALL_SELECT_OUTPUT };
int call_select(const struct extension_exports *exports, enum call_selection which, void *selector,
                int node, int other, int *out_selected, struct call_words *words);
int call_filter(const struct extension_exports *exports, void *selector, int *nodes, int count,
                int **out_kept, int *out_kept_count, struct call_words *words);
int call_reset(const struct extension_exports *exports, void *selector, struct call_words *words);
/* What a review gives besides its verdict. */
struct call_attributes {
    char **keys, **values;
    int count;
};
int call_review(const struct extension_exports *exports, extension_function review,
                const char *json, int index, const struct call_options *options,
                const struct call_arrays *arguments, const struct call_arrays *auxiliaries,
                int *out_accept, struct call_attributes *out_attributes, struct call_words *words);

#ifdef __cplusplus
}
#endif

#endif
