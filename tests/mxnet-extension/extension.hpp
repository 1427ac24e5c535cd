/*
 * What the test libraries share: the exports of MXNet's library API, over a table of operators. A
 * file that includes this defines `operators`, and says the version as API_VERSION.
 */
#ifndef TEST_EXTENSION_HPP
#define TEST_EXTENSION_HPP

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#ifndef API_VERSION
#define API_VERSION 7
#endif

#define EXPORT extern "C" __attribute__((visibility("default")))

/* The function that a test names throws, whoever calls it. */
static void may_throw(const char *function) {
    const char *wanted = std::getenv("TEST_EXTENSION_THROWS");
    if (wanted != nullptr && std::strcmp(wanted, function) == 0) {
        throw std::runtime_error(std::string("thrown in ") + function);
    }
}

typedef void (*any_function)();
typedef std::map<std::string, std::string> texts;
typedef std::vector<std::vector<unsigned>> shape_list;

struct tensor {
    const int64_t *shape;
    int rank;
    void *data;
    int dtype;
    size_t id;
    int storage; /* 0 dense, 1 row-sparse, 2 CSR */
    int64_t *indices, *row_starts;
    int64_t index_count, row_start_count;
    int64_t size() const {
        int64_t count = 1;
        for (int i = 0; i < rank; i++) {
            count *= shape[i];
        }
        return count;
    }
    float *floats() const {
        return static_cast<float *>(data);
    }
};

struct resources {
    void *(*allocate)(void *, int);
    void *context;
    void *random_states;
    void (*allocate_sparse)(void *, int, int, int, void **, int64_t **, int64_t **);
};

typedef std::vector<tensor> tensors;
typedef std::function<int(const texts &, tensors &, tensors &, const resources &)> compute_function;
typedef std::function<int(const texts &, int *, int *)> parse_function;
typedef std::function<int(const texts &, std::vector<int> &, std::vector<int> &)> type_function;
typedef std::function<int(const texts &, shape_list &, shape_list &)> shape_function;
typedef std::function<int(const texts &, std::vector<int> &)> mutate_function;

struct state {
    virtual ~state() {
    }
    virtual int forward(tensors &, tensors &, const resources &) = 0;
    virtual int backward(tensors &, tensors &, const resources &) {
        return 0;
    }
};
typedef std::function<state *(const texts &)> create_function;

/* What the host is given as a function, and gives back. */
template <typename F> static any_function opaque(const F &function) {
    return function ? reinterpret_cast<any_function>(const_cast<F *>(&function)) : nullptr;
}
template <typename F> static const F &function_of(any_function given) {
    return *reinterpret_cast<const F *>(given);
}

struct registered {
    const char *name;
    parse_function parse;
    type_function type;
    shape_function shape;
    compute_function forward, backward;
    create_function create;
    mutate_function mutate;
    const char *context;
    type_function storage;
};

const std::vector<registered> &operators();

/* What the host has been given and not freed; and what it said of itself. */
static int live_blocks = 0, live_states = 0, told_version = 0;
EXPORT int test_live_blocks() {
    return live_blocks;
}
EXPORT int test_live_states() {
    return live_states;
}
EXPORT int test_told_version() {
    return told_version;
}

template <typename T> static T *give(size_t count) {
    T *memory = static_cast<T *>(std::malloc(count * sizeof(T) + 1));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    live_blocks++;
    return memory;
}

static std::vector<std::string> messages;
static int fail(const char *words) {
    messages.push_back(std::string("extension.cpp[1]: ") + words + "\n");
    return 0;
}

static texts to_texts(const char *const *keys, const char *const *values, int count) {
    texts result;
    for (int i = 0; i < count; i++) {
        result[keys[i]] = values[i];
    }
    return result;
}

EXPORT int _opVersion() {
    may_throw("_opVersion");
    return API_VERSION;
}

EXPORT void _opCallFree(void *memory) {
    live_blocks--;
    std::free(memory);
    may_throw("_opCallFree");
}

#if API_VERSION >= 8
EXPORT int _msgSize() {
    may_throw("_msgSize");
    return static_cast<int>(messages.size());
}
EXPORT void _msgGet(int index, const char **out) {
    may_throw("_msgGet");
    *out = messages[static_cast<size_t>(index)].c_str();
}
#endif

EXPORT int _opRegSize() {
    may_throw("_opRegSize");
    return static_cast<int>(operators().size());
}

EXPORT void _opRegGet(int index, const char **name, int *is_subgraph,
                      const char *const **forward_contexts, any_function **forward,
                      int *forward_count, const char *const **backward_contexts,
                      any_function **backward, int *backward_count,
                      const char *const **create_contexts, any_function **create, int *create_count,
                      any_function *parse, any_function *type, any_function *storage,
                      any_function *shape, any_function *mutate) {
    may_throw("_opRegGet");
    const registered &op = operators()[static_cast<size_t>(index)];
    /* Contexts in an order that says nothing, and one that is not for this machine. */
    struct table {
        const char *contexts[2];
        any_function functions[2];
    };
    static std::map<std::pair<int, int>, table> tables;
    const auto fill = [&](int which, any_function function, const char *const **contexts,
                          any_function **functions, int *count) {
        table &t = tables[std::make_pair(index, which)];
        t = {{"gpu", op.context}, {function, function}};
        *contexts = t.contexts;
        *functions = t.functions;
        *count = function != nullptr ? 2 : 0;
    };
    *name = op.name;
    *is_subgraph = op.parse == nullptr && op.create != nullptr;
    fill(0, opaque(op.forward), forward_contexts, forward, forward_count);
    fill(1, opaque(op.backward), backward_contexts, backward, backward_count);
    fill(2, opaque(op.create), create_contexts, create, create_count);
    *parse = opaque(op.parse);
    *type = opaque(op.type);
    *storage = opaque(op.storage);
    *shape = opaque(op.shape);
    *mutate = opaque(op.mutate);
}

EXPORT int _opCallParseAttrs(any_function parse, const char *const *keys, const char *const *values,
                             int count, int *inputs, int *outputs) {
    may_throw("_opCallParseAttrs");
    return function_of<parse_function>(parse)(to_texts(keys, values, count), inputs, outputs);
}

static void give_shapes(const shape_list &shapes, unsigned ***rows, int **ranks) {
    *rows = give<unsigned *>(shapes.size());
    *ranks = give<int>(shapes.size());
    for (size_t i = 0; i < shapes.size(); i++) {
        (*rows)[i] = give<unsigned>(shapes[i].size());
        (*ranks)[i] = static_cast<int>(shapes[i].size());
        for (size_t j = 0; j < shapes[i].size(); j++) {
            (*rows)[i][j] = shapes[i][j];
        }
    }
}

EXPORT int _opCallInferShape(any_function shape, const char *const *keys, const char *const *values,
                             int count, unsigned **inputs, int *ranks, int input_count,
                             unsigned ***out_inputs, int **out_input_ranks, unsigned ***outputs,
                             int **output_ranks, int output_count) {
    may_throw("_opCallInferShape");
    shape_list in, out(static_cast<size_t>(output_count));
    for (int i = 0; i < input_count; i++) {
        in.push_back(std::vector<unsigned>(inputs[i], inputs[i] + (ranks[i] > 0 ? ranks[i] : 0)));
    }
    const int result = function_of<shape_function>(shape)(to_texts(keys, values, count), in, out);
    if (result == 2) {
        return 1; /* a success that gives nothing */
    }
    if (result != 0) {
        give_shapes(in, out_inputs, out_input_ranks);
        give_shapes(out, outputs, output_ranks);
    }
    return result;
}

EXPORT int _opCallInferType(any_function type, const char *const *keys, const char *const *values,
                            int count, int *inputs, int input_count, int *outputs,
                            int output_count) {
    may_throw("_opCallInferType");
    std::vector<int> in(inputs, inputs + input_count), out(outputs, outputs + output_count);
    const int result = function_of<type_function>(type)(to_texts(keys, values, count), in, out);
    if (result != 0) {
        std::copy(in.begin(), in.end(), inputs);
        std::copy(out.begin(), out.end(), outputs);
    }
    return result;
}

EXPORT int _opCallInferSType(any_function storage, const char *const *keys,
                             const char *const *values, int count, int *inputs, int input_count,
                             int *outputs, int output_count) {
    may_throw("_opCallInferSType");
    return _opCallInferType(storage, keys, values, count, inputs, input_count, outputs,
                            output_count);
}

EXPORT int _opCallMutateInputs(any_function mutate, const char *const *keys,
                               const char *const *values, int count, int **indices, int *size) {
    may_throw("_opCallMutateInputs");
    std::vector<int> found;
    const int result = function_of<mutate_function>(mutate)(to_texts(keys, values, count), found);
    if (result != 0) {
        *indices = give<int>(found.size());
        *size = static_cast<int>(found.size());
        std::copy(found.begin(), found.end(), *indices);
    }
    return result;
}

/* The list of parameters from the shapes of the inputs on. */
#define COMPUTE                                                                                    \
    const int64_t **in_shapes, int *in_ranks, void **in_data, int *in_types, size_t *in_ids,       \
        const char **in_devices, int *, int in_count, const int64_t **out_shapes, int *out_ranks,  \
        void **out_data, int *out_types, size_t *out_ids, const char **, int *, int out_count,     \
        void *(*allocate)(void *, int), void *context, void *(*)(void *, int), void *, void *,     \
        void (*allocate_sparse)(void *, int, int, int, void **, int64_t **, int64_t **),           \
        void *sparse_context, int *in_storages, int *out_storages, void **in_indices,              \
        void **out_indices, void **in_row_starts, void **out_row_starts, int64_t *in_index_counts, \
        int64_t *out_index_counts, int64_t *in_row_start_counts, int64_t *out_row_start_counts,    \
        void *random_states, void *

#define MAKE_TENSOR(which, i)                                                                      \
    {                                                                                              \
        which##_shapes[i], which##_ranks[i], which##_data[i], which##_types[i], which##_ids[i],    \
            which##_storages[i], static_cast<int64_t *>(which##_indices[i]),                       \
            static_cast<int64_t *>(which##_row_starts[i]), which##_index_counts[i],                \
            which##_row_start_counts[i]                                                            \
    }

#define MAKE_TENSORS                                                                               \
    tensors in, out;                                                                               \
    for (int i = 0; i < in_count; i++) {                                                           \
        if (std::strcmp(in_devices[i], "cpu") != 0) {                                              \
            return fail("a tensor is not on the CPU");                                             \
        }                                                                                          \
        in.push_back(MAKE_TENSOR(in, i));                                                          \
    }                                                                                              \
    for (int i = 0; i < out_count; i++) {                                                          \
        out.push_back(MAKE_TENSOR(out, i));                                                        \
    }                                                                                              \
    if (context != sparse_context) {                                                               \
        return fail("the callbacks have no common context");                                       \
    }                                                                                              \
    const resources given = {allocate, context, random_states, allocate_sparse}

EXPORT int _opCallFCompute(any_function compute, const char *const *keys, const char *const *values,
                           int count, COMPUTE) {
    may_throw("_opCallFCompute");
    MAKE_TENSORS;
    return function_of<compute_function>(compute)(to_texts(keys, values, count), in, out, given);
}

#if API_VERSION >= 10
EXPORT int _opCallCreateOpState(any_function create, const char *const *keys,
                                const char *const *values, int count, const char *device, int,
                                unsigned **shapes, int *ranks, int input_count, const int *types,
                                void **out) {
    may_throw("_opCallCreateOpState");
    for (int i = 0; i < input_count; i++) {
        if (ranks[i] < 0 || types[i] < 0 || (ranks[i] > 0 && shapes[i][0] == 0) ||
            std::strcmp(device, "cpu") != 0) {
            return fail("a state is created without shapes, types or device");
        }
    }
#else
EXPORT int _opCallCreateOpState(any_function create, const char *const *keys,
                                const char *const *values, int count, void **out) {
    may_throw("_opCallCreateOpState");
#endif
    state *made = function_of<create_function>(create)(to_texts(keys, values, count));
    live_states += made != nullptr;
#if API_VERSION < 11 && defined(__SANITIZE_ADDRESS__)
    __lsan_ignore_object(made); /* these versions have no function by which a host destroys it */
#endif
    *out = made;
    return 1;
}

#if API_VERSION >= 11
EXPORT void _opCallDestroyOpState(void *object) {
    live_states--;
    delete static_cast<state *>(object);
    may_throw("_opCallDestroyOpState");
}
#endif

EXPORT int _opCallFStatefulCompute(int is_forward, void *object, COMPUTE) {
    may_throw("_opCallFStatefulCompute");
    MAKE_TENSORS;
    state *s = static_cast<state *>(object);
    return is_forward ? s->forward(in, out, given) : s->backward(in, out, given);
}

#define UNUSED_EXPORT(name)                                                                        \
    EXPORT int name() {                                                                            \
        may_throw(#name);                                                                          \
        return 0;                                                                                  \
    }
#ifndef HAS_PARTITIONERS
UNUSED_EXPORT(_partRegSize)
UNUSED_EXPORT(_partRegGetCount)
UNUSED_EXPORT(_partRegGet)
UNUSED_EXPORT(_partCallSupportedOps)
UNUSED_EXPORT(_partCallCreateSelector)
UNUSED_EXPORT(_partCallSelect)
UNUSED_EXPORT(_partCallSelectInput)
UNUSED_EXPORT(_partCallSelectOutput)
UNUSED_EXPORT(_partCallFilter)
UNUSED_EXPORT(_partCallReset)
UNUSED_EXPORT(_partCallReviewSubgraph)
#endif
#ifndef HAS_PASSES
EXPORT int _passRegSize() {
    may_throw("_passRegSize");
    return 0;
}
UNUSED_EXPORT(_passRegGet)
UNUSED_EXPORT(_passCallGraphPass)
#endif

#ifndef HAS_INITIALIZE
#ifndef REFUSES
#define REFUSES 0
#endif
EXPORT int initialize(int version) {
    may_throw("initialize");
    told_version = version;
    return REFUSES ? 0 : 1;
}
#endif

#endif
