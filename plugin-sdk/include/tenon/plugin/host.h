/*
 * The host as a plugin sees it: who it is, and the services it lends. A plugin links against
 * nothing of the host's; it asks for a service by name and version and gets a table of functions.
 * A service that the note `requires` is always there; one that is `optional` may be NULL.
 *
 * Every function takes the `host` pointer that the plugin was given, by which the host knows who
 * calls. Texts and arrays given to a service are copied before it returns. No function of a
 * service may be called after fini [TN-REQ-040].
 */
#ifndef TENON_PLUGIN_HOST_H
#define TENON_PLUGIN_HOST_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

struct tn_host {
    uint32_t struct_size;
    uint32_t contract_major;
    uint32_t contract_minor;
    uint32_t reserved;
    const char *name;    /* of the host program's library: "tenon" */
    const char *version; /* its version */
    /* [any] The service's table, or NULL when this host has no such service or version. Valid as
     * long as the plugin is loaded. */
    const void *(*find_service)(const tn_host *host, const char *name, uint32_t version);
    void *plugin_state; /* the plugin's own, set in init: one for each runtime */
    void *internal;     /* the host's own */
};

#define TN_HOST_SIZE TN_STRUCT_END(tn_host, internal)

/* A service's table by its name, version 1: TN_SERVICE(host, log)->write(host, …). NULL where the
 * host has none, which a plugin whose note requires it need not look for. `host` is evaluated
 * twice. */
#define TN_SERVICE(host, name) ((const tn_##name##_service *)(host)->find_service((host), #name, 1))

/* "error", version 1. */
typedef struct tn_error_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Keeps `message` as this thread's error text and returns `status`, so that a plugin
     * writes `return error->fail(…)`. A message says what, where, what was expected and what to
     * do; the host puts the context in front of it. */
    tn_status (*fail)(const tn_host *host, tn_status status, const char *message);
} tn_error_service;

/* "log", version 1. */
#define TN_LOG_DEBUG 0u
#define TN_LOG_INFO 1u
#define TN_LOG_WARNING 2u
#define TN_LOG_ERROR 3u

typedef struct tn_log_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Hands one line, without a newline, to the embedding program. */
    void (*write)(const tn_host *host, uint32_t level, const char *message);
} tn_log_service;

/* "memory", version 1: host memory that the host accounts to the plugin. */
typedef struct tn_memory_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] 64-byte aligned, uninitialised; NULL when out of memory or `size` is 0. */
    void *(*allocate)(const tn_host *host, uint64_t size);
    /* [any] NULL is allowed. Only what `allocate` gave. */
    void (*free)(const tn_host *host, void *memory);
} tn_memory_service;

/* "attrs", version 1: the host's parser of attribute tables, for a plugin's own options. */
typedef struct tn_attrs_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Fills `out` (of `size` bytes) from `options` by the table. Unknown, missing, malformed
     * and out-of-range options are INVALID_ARGUMENT with a message that begins with `where`.
     * Strings and lists in `out` live until `release`. `out` is untouched on failure. */
    tn_status (*parse)(const tn_host *host, const char *where, const tn_attribute *table,
                       uint32_t count, uint32_t stride, const tn_option *options,
                       uint32_t option_count, void *out, uint64_t size);
    /* [any] Frees what the fields of `out` point to. */
    void (*release)(const tn_host *host, const tn_attribute *table, uint32_t count, uint32_t stride,
                    void *out);
} tn_attrs_service;

/* "tensor", version 1: dense tensors in host memory, counted. */
struct tn_source; /* format.h */

typedef struct tn_tensor_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Uninitialised elements. The caller holds one count. */
    tn_status (*create)(const tn_host *host, tn_dtype dtype, int32_t rank, const int64_t *extents,
                        tn_tensor **out_tensor);
    /* [any] Uses the caller's memory, compact; release(context) is called once when the last count
     * is gone, and not when wrap fails. `release` may be NULL. */
    tn_status (*wrap)(const tn_host *host, tn_dtype dtype, int32_t rank, const int64_t *extents,
                      void *data, void (*release)(void *context), void *context,
                      tn_tensor **out_tensor);
    /* [any] */
    void (*retain)(const tn_host *host, tn_tensor *tensor);
    /* [any] NULL is allowed. */
    void (*release)(const tn_host *host, tn_tensor *tensor);
    /* [any] Lives as long as the tensor. Of a sparse tensor `data` is a tn_sparse (sparse.h). */
    const tn_view *(*view)(const tn_host *host, const tn_tensor *tensor);
    /* [any] A tensor whose elements lie row-major at `bytes`, as numbers of this machine. Where
     * that is in a source that is being read (a format's, or one of map_file), aligned for the
     * dtype and not small, the tensor is that memory itself and keeps it; otherwise it is a copy.
     */
    tn_status (*of_bytes)(const tn_host *host, tn_dtype dtype, int32_t rank, const int64_t *extents,
                          const void *bytes, tn_tensor **out_tensor);
    /* [any] A file beside the one that is being read, as a source: mapped, or read as a whole. The
     * descriptor stays the caller's and may be closed; `path` must live as long as the source. */
    tn_status (*map_file)(const tn_host *host, int32_t descriptor, const char *path,
                          struct tn_source *out_source);
    /* [any] For each that map_file gave. Tensors keep what they use. */
    void (*unmap_file)(const tn_host *host, struct tn_source *source);
} tn_tensor_service;

/* "string", version 1: texts as elements of tensors (TN_STRING). */
typedef struct tn_string_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] The element for these bytes, of which none may be 0. The runtime keeps one copy of each
     * text until it ends: this is for labels and words, not for data that never repeats. */
    tn_status (*intern)(const tn_host *host, const void *bytes, uint64_t size,
                        const char **out_string);
} tn_string_service;

/* "random", version 1: what random numbers follow from. */
typedef struct tn_random_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] The seed, 0 before one is set. `out_turn` changes whenever one is set, be it the same:
     * whoever draws numbers and sees another turn than before begins anew. */
    uint64_t (*seed)(const tn_host *host, uint64_t *out_turn);
} tn_random_service;

/* "parallel", version 1: loops over the host's threads. */
typedef struct tn_parallel_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [worker] Calls body(context, begin, end) for ranges that cover 0 to count, each of at least
     * `grain` but for the last, on several threads, and returns when all are done. `body` must
     * not start a loop of its own. Prefer tn_parallel_for of helpers.h, which runs a small loop
     * without a call. */
    void (*run)(const tn_host *host, int64_t count, int64_t grain,
                void (*body)(void *context, int64_t begin, int64_t end), void *context);
    /* [any] How many threads such a loop can use, at least 1. */
    uint32_t (*thread_count)(const tn_host *host);
} tn_parallel_service;

/* "function", version 1: functions that other plugins offer, by name. */
typedef struct tn_function_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] The address, when a function of that name and exactly that signature is there (to be
     * cast and called directly); otherwise NOT_FOUND or INVALID_ARGUMENT. */
    tn_status (*find)(const tn_host *host, const char *name, const char *signature,
                      void (**out_function)(void));
} tn_function_service;

/* "graph", version 1: building, reading and changing graphs. Used by formats, gradients, passes. */

/* One use of what a node makes. A value: it is frozen as it stands. */
typedef struct tn_use {
    uint32_t node;   /* the user; TN_NO_NODE: the graph, as its output number `input` */
    uint32_t input;  /* which input; TN_USE_CONTROL: the user only runs later */
    uint32_t output; /* which output is used */
} tn_use;

#define TN_USE_CONTROL UINT32_MAX

/* What a variable is to its graph. */
#define TN_VARIABLE_INPUT 0u     /* must be given to run */
#define TN_VARIABLE_PARAMETER 1u /* has a tensor */
#define TN_VARIABLE_AUXILIARY 2u /* changed by some operator (with or without a tensor) */
#define TN_VARIABLE_TRAINING 3u  /* read only by training: labels */

typedef struct tn_node_info {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t visible_output_count;
    uint32_t attribute_count;
    uint32_t annotation_count;
    uint32_t control_count;
    uint32_t subgraph_count;
    const char *op; /* NULL: a variable */
    const char *name;
    const tn_value *inputs;
    const tn_option *attributes;  /* the operator's, as given, in the order given */
    const tn_option *annotations; /* everything else that is attached */
    const uint32_t *controls;     /* nodes that must run before it */
    tn_graph *const *subgraphs;
} tn_node_info;

#define TN_NODE_INFO_SIZE TN_STRUCT_END(tn_node_info, subgraphs)

typedef struct tn_graph_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* All are [serial] by graph. Nodes are numbered from 0 in the order they were added. Borrowed
     * pointers live until the next call that changes the graph. */

    /* A variable: an input, a parameter or an auxiliary state. `type` may be NULL or partial. */
    tn_status (*add_variable)(const tn_host *host, tn_graph *graph, const char *name,
                              const tn_tensor_type *type, uint32_t *out_node);
    /* A node. `name` may be NULL: the host makes one. Attributes are parsed at once: an unknown
     * operator is NOT_FOUND, a wrong attribute INVALID_ARGUMENT. Fewer inputs than the operator
     * takes are allowed here and completed by complete_inputs or set_input before the graph is
     * used. */
    tn_status (*add_node)(const tn_host *host, tn_graph *graph, const char *op, const char *name,
                          const tn_option *attributes, uint32_t attribute_count,
                          const tn_value *inputs, uint32_t input_count, uint32_t *out_node);
    /* Adds variables "<node name>_<input name>" for the inputs that are missing. */
    tn_status (*complete_inputs)(const tn_host *host, tn_graph *graph, uint32_t node);
    tn_status (*add_control)(const tn_host *host, tn_graph *graph, uint32_t node, uint32_t before);
    /* Attaches a text that no operator reads; `value` NULL takes it away. */
    tn_status (*annotate)(const tn_host *host, tn_graph *graph, uint32_t node, const char *name,
                          const char *value);
    /* A new empty graph inside a node; it belongs to the node. */
    tn_status (*add_subgraph)(const tn_host *host, tn_graph *graph, uint32_t node,
                              tn_graph **out_subgraph);
    tn_status (*set_outputs)(const tn_host *host, tn_graph *graph, const tn_value *outputs,
                             uint32_t count);
    /* Gives the variable `name` its elements; takes a count of its own on the tensor. A name that
     * no variable has is NOT_FOUND. */
    tn_status (*set_parameter)(const tn_host *host, tn_graph *graph, const char *name,
                               tn_tensor *tensor);
    /* Whether a variable, output or node has this name; TN_NO_NODE when none has. */
    uint32_t (*find_node)(const tn_host *host, const tn_graph *graph, const char *name);

    uint32_t (*node_count)(const tn_host *host, const tn_graph *graph);
    /* `out_info->struct_size` says how much the caller knows. */
    tn_status (*node_info)(const tn_host *host, const tn_graph *graph, uint32_t node,
                           tn_node_info *out_info);
    /* The operator's name for one of the node's inputs ("weight"). */
    const char *(*input_name)(const tn_host *host, const tn_graph *graph, uint32_t node,
                              uint32_t input);
    /* Whether the operator changes that input. */
    int32_t (*input_is_mutated)(const tn_host *host, const tn_graph *graph, uint32_t node,
                                uint32_t input);
    const tn_value *(*outputs)(const tn_host *host, const tn_graph *graph, uint32_t *out_count);
    /* The tensor bound to a variable, borrowed, or NULL. */
    tn_tensor *(*parameter)(const tn_host *host, const tn_graph *graph, uint32_t node);
    /* What is known of a variable's type. */
    tn_status (*variable_type)(const tn_host *host, const tn_graph *graph, uint32_t node,
                               tn_tensor_type *out_type);

    /* [worker] From a kernel's run: runs the node's subgraph number `index` once. `inputs` follow
     * the subgraph's variables that have no tensor, in their order, `outputs` its outputs; all have
     * the types that inference gave them. */
    tn_status (*run_subgraph)(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                              const tn_view *const *inputs, uint32_t input_count,
                              const tn_view *const *outputs, uint32_t output_count);

    /* Changing. A node that is removed leaves a hole: the others keep their numbers, and node_info
     * of the hole is NOT_FOUND. The host closes the holes when the pass has ended. */

    /* Whatever reads `from` reads `to` afterwards, the graph's outputs too; the inputs of `to`'s
     * own node stay, so that a node can be put behind another. */
    tn_status (*replace_uses)(const tn_host *host, tn_graph *graph, tn_value from, tn_value to);
    /* The number after the last adds an input, as long as the node takes more. */
    tn_status (*set_input)(const tn_host *host, tn_graph *graph, uint32_t node, uint32_t input,
                           tn_value value);
    /* FAILED_PRECONDITION while something uses it; the message names a user. */
    tn_status (*remove_node)(const tn_host *host, tn_graph *graph, uint32_t node);
    /* `value` NULL takes the attribute away. Attributes that change the number of outputs are
     * FAILED_PRECONDITION; further inputs may become wanted. */
    tn_status (*set_attribute)(const tn_host *host, tn_graph *graph, uint32_t node,
                               const char *name, const char *value);
    tn_status (*rename)(const tn_host *host, tn_graph *graph, uint32_t node, const char *name);
    /* A variable with a tensor; takes a count of its own. */
    tn_status (*add_parameter)(const tn_host *host, tn_graph *graph, const char *name,
                               tn_tensor *tensor, uint32_t *out_node);
    /* Another declared type (NULL: the tensor's, or as it is) and another tensor (NULL: none, the
     * variable becomes an input) for a variable. */
    tn_status (*set_variable)(const tn_host *host, tn_graph *graph, uint32_t node,
                              const tn_tensor_type *type, tn_tensor *tensor);

    /* The nodes that the outputs depend on, each after those it depends on; NULL with an error when
     * there is a cycle. */
    const uint32_t *(*order)(const tn_host *host, const tn_graph *graph, uint32_t *out_count);
    /* Who uses the node: `out_count` uses, in no particular order, which follows from the changes
     * alone. Costs nothing, however large the graph. */
    tn_status (*uses)(const tn_host *host, const tn_graph *graph, uint32_t node,
                      const tn_use **out_uses, uint32_t *out_count);
    /* TN_VARIABLE_…; INPUT for what is no variable. */
    uint32_t (*variable_kind)(const tn_host *host, const tn_graph *graph, uint32_t node);
    /* The operator's TN_OP_… flags; 0 for a variable. */
    uint32_t (*op_flags)(const tn_host *host, const tn_graph *graph, uint32_t node);
    /* What was known of a value when types were last inferred; for a node added since, nothing. */
    tn_status (*value_type)(const tn_host *host, const tn_graph *graph, tn_value value,
                            tn_tensor_type *out_type);
    /* Infers again, from what the pass's caller gave. */
    tn_status (*infer)(const tn_host *host, tn_graph *graph);

    /* Runs the node once on the CPU on these tensors, in place of its inputs (NULL: absent).
     * `outputs` has a place for each visible output; NULL is replaced by a new tensor with one
     * count for the caller. */
    tn_status (*compute)(const tn_host *host, const tn_graph *graph, uint32_t node,
                         tn_tensor *const *inputs, uint32_t input_count, tn_tensor **outputs,
                         uint32_t output_count);
    /* Which nodes a device has kernels for, with the types that are known: `out_computable`, by
     * node number, receives 1 or 0; 0 where a type is not known. Only preparing a kernel, when the
     * graph is run, shows for certain. Opens the device meanwhile. */
    tn_status (*find_computable)(const tn_host *host, const tn_graph *graph, const char *device,
                                 int32_t *out_computable);

    /* [worker] As run_subgraph, for operators with TN_OP_DATA_DEPENDENT: types may be others in
     * every call. `outputs` gets new tensors in host memory with one count each for the caller; on
     * failure none. */
    tn_status (*call_subgraph)(const tn_host *host, tn_subgraph_runner *runner, uint32_t index,
                               const tn_view *const *inputs, uint32_t input_count,
                               tn_tensor **outputs, uint32_t output_count);

    /* What the graph's output `index` is called, other than its value; NULL: as its value is.
     * set_outputs leaves the names at their indices. */
    tn_status (*name_output)(const tn_host *host, tn_graph *graph, uint32_t index,
                             const char *name);
    /* The name it was given, or else its value's; lives until the next call on this thread. */
    const char *(*output_name)(const tn_host *host, const tn_graph *graph, uint32_t index);
} tn_graph_service;

/* "dispatch", version 1: for kernels that bring device code. */
typedef struct tn_binding {
    void *buffer; /* a view's data */
    uint64_t offset;
    uint64_t size; /* bytes */
} tn_binding;

typedef struct tn_specialization {
    uint32_t id;    /* the constant's id in the module */
    uint32_t value; /* its 32 bits */
} tn_specialization;

#define TN_ACCESS_READ 1u
#define TN_ACCESS_WRITE 2u

typedef struct tn_device_kernel_desc {
    uint32_t struct_size;
    uint32_t binding_count;
    const char *entry_point;
    const uint32_t *access; /* TN_ACCESS_… for each binding */
    const tn_specialization *specializations;
    uint32_t specialization_count;
    uint32_t push_size; /* bytes of push constants */
    uint32_t workgroup_size[3];
    uint32_t subgroup_size; /* 0: any */
} tn_device_kernel_desc;

#define TN_DEVICE_KERNEL_DESC_SIZE TN_STRUCT_END(tn_device_kernel_desc, subgroup_size)

/* Subgroup operations of kernels. */
#define TN_SUBGROUP_BASIC 1u
#define TN_SUBGROUP_VOTE 2u
#define TN_SUBGROUP_ARITHMETIC 4u
#define TN_SUBGROUP_BALLOT 8u
#define TN_SUBGROUP_SHUFFLE 16u
#define TN_SUBGROUP_SHUFFLE_RELATIVE 32u
#define TN_SUBGROUP_CLUSTERED 64u
#define TN_SUBGROUP_QUAD 128u

/* result = a b + c on cooperative matrices: a is m x k, b is k x n, c and the result are m x n. */
typedef struct tn_matrix_shape {
    uint32_t m, n, k;
    uint32_t scope; /* SPIR-V's number: 3 subgroup, 2 workgroup */
    tn_dtype a, b, c, result;
} tn_matrix_shape;

/* What a device can do: a kernel chooses its variant by it. Growth at the end. 0 means no, or not
 * known, or that there is no such thing on the device. Texts and lists live as long as the device
 * is open. */
typedef struct tn_device_limits {
    uint32_t struct_size;
    uint32_t subgroup_size; /* unless a kernel requires another */
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_invocations;
    uint32_t max_workgroup_count[3];
    uint32_t shared_memory_size; /* bytes of a workgroup */
    uint64_t max_binding_size;   /* bytes */
    uint32_t binding_alignment;  /* of a binding's offset */
    uint32_t max_push_size;      /* bytes */
    uint32_t has_f16;            /* arithmetic, and elements of buffers; so the next */
    uint32_t has_i8;
    uint32_t has_i64;
    uint32_t has_f64;
    uint32_t has_cooperative_matrix; /* 1: the NV form, 2: the KHR form, or both */
    uint32_t max_loop_iterations;    /* of an invocation, all loops together; 0: no limit known */

    uint32_t min_subgroup_size;   /* a kernel may require a size from this one */
    uint32_t max_subgroup_size;   /* to this one */
    uint32_t max_subgroups;       /* of a workgroup whose kernel requires a size */
    uint32_t subgroup_operations; /* TN_SUBGROUP_… */
    uint32_t max_bindings;        /* of a kernel */
    uint32_t push_constant_size;  /* bytes of push data that go with the command itself; more go
                                     through a buffer */
    uint32_t has_i16;
    uint32_t has_16_bit_storage; /* elements of buffers, whatever computes with them */
    uint32_t has_8_bit_storage;
    uint32_t has_integer_dot;      /* dot products of packed 8-bit integers */
    uint32_t has_memory_model;     /* Vulkan's, in SPIR-V */
    uint32_t has_device_addresses; /* pointers to buffers in kernels */
    uint32_t has_unified_memory;   /* the device's memory is the host's too */
    uint32_t has_transfer_queue;   /* copies run beside kernels on an engine of their own */
    uint32_t queue_count;          /* streams beyond these share one */
    uint32_t timestamp_bits;
    double timestamp_period;      /* nanoseconds between two values of the device's clock */
    uint64_t max_allocation_size; /* bytes of one buffer */
    uint64_t
        copy_command_rate;     /* bytes a second of copies within the device by its copy command, */
    uint64_t copy_kernel_rate; /* and by a kernel, as measured when it was opened */
    uint32_t copies_by_kernel; /* large copies go by the kernel */
    uint32_t matrix_shape_count;
    const tn_matrix_shape *matrix_shapes; /* of the form that has_cooperative_matrix prefers: KHR */
    uint64_t matrix_shape_stride;
    const char *features; /* names of what is used of the device, separated by ',' */
    const char *note;     /* what its driver does other than it says, for reports */
} tn_device_limits;

#define TN_DEVICE_LIMITS_SIZE TN_STRUCT_END(tn_device_limits, note)

typedef struct tn_dispatch_service {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] `out_limits->struct_size` says how much the caller knows. */
    tn_status (*limits)(const tn_host *host, tn_device *device, tn_device_limits *out_limits);
    /* [any] From prepare. Modules of the same bytes are shared. Release with release_kernel. */
    tn_status (*create_kernel)(const tn_host *host, tn_device *device, const void *code,
                               uint64_t code_size, const tn_device_kernel_desc *desc,
                               tn_device_kernel **out_kernel);
    void (*release_kernel)(const tn_host *host, tn_device_kernel *kernel);
    /* [worker] From run: queues a launch on the call's stream. `groups` counts workgroups; one of
     * them 0 launches nothing and keeps its place in the order. */
    tn_status (*launch)(const tn_host *host, tn_stream *stream, tn_device_kernel *kernel,
                        const uint32_t groups[3], const tn_binding *bindings,
                        uint32_t binding_count, const void *push, uint32_t push_size);
} tn_dispatch_service;

#endif
