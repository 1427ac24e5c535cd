/* An extension library with graph passes, which change the text of the graph as text. */
#define HAS_PASSES
#include "extension.hpp"

const std::vector<registered> &operators() {
    static const std::vector<registered> all = {};
    return all;
}

struct array {
    const char *name;
    void *data;
    const int64_t *shape;
    int rank;
};

typedef void (*array_allocator)(const void *, const int64_t *, int, const char *, int, int,
                                const char *, int, void **);

struct pass_call {
    std::string graph;
    texts options;
    std::vector<array> arguments, auxiliaries;
    array_allocator allocate;
    const void *context;
};

typedef int (*pass_function)(pass_call &);

static void replace(std::string &text, const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), to);
        at += to.size();
    }
}

static int keep(pass_call &) {
    return 1;
}

/* relu, or what the option `from` says, becomes what the option `op` says. */
static int exchange(pass_call &call) {
    const std::string from = call.options.count("from") ? call.options["from"] : "relu";
    replace(call.graph, "\"op\": \"" + from + "\"", "\"op\": \"" + call.options["op"] + "\"");
    return 1;
}

/* The argument w gives its place to w2, which has twice its elements; and b its elements to another
 * array of that name. */
static int twice(pass_call &call) {
    for (const array &argument : call.arguments) {
        if (std::strcmp(argument.name, "w") != 0 && std::strcmp(argument.name, "b") != 0) {
            continue;
        }
        const bool is_w = argument.name[0] == 'w';
        void *data = nullptr;
        call.allocate(call.context, argument.shape, argument.rank, "cpu", 0, 0, is_w ? "w2" : "b",
                      1, &data);
        if (data == nullptr) {
            return fail("no room for a parameter");
        }
        for (int64_t i = 0; i < argument.shape[0]; i++) {
            static_cast<float *>(data)[i] = 2 * static_cast<float *>(argument.data)[i];
        }
    }
    replace(call.graph, "\"name\": \"w\"", "\"name\": \"w2\"");
    return 1;
}

/* How many nodes the graph itself has, those of graphs in it not counted. */
static size_t node_count(const std::string &graph) {
    size_t count = 0, depth = 0;
    for (size_t at = 0; at < graph.rfind("], \"arg_nodes\""); at++) {
        depth += graph[at] == '{';
        count += graph[at] == '{' && depth == 2;
        depth -= graph[at] == '}';
    }
    return count;
}

static void add_node(std::string &graph, const std::string &op, const std::string &name,
                     const std::string &inputs) {
    graph.insert(graph.rfind("], \"arg_nodes\""), ", {\"op\": \"" + op + "\", \"name\": \"" + name +
                                                      "\", \"inputs\": [" + inputs + "]}");
}

/* Puts a sigmoid, or what the option `op` says, behind the first output, at the end of the list of
 * nodes. */
static int append(pass_call &call) {
    const size_t heads = call.graph.find("\"heads\": [[");
    const std::string head = call.graph.substr(heads + 10, call.graph.find("]", heads) - heads - 9);
    const std::string op = call.options.count("op") ? call.options["op"] : "sigmoid";
    call.graph.replace(heads + 10, head.size(),
                       "[" + std::to_string(node_count(call.graph)) + ", 0, 0]");
    add_node(call.graph, op, "appended", head);
    return 1;
}

/* Makes the first variable an output, too. */
static int one_output_more(pass_call &call) {
    const size_t heads = call.graph.find("\"heads\": [[");
    call.graph.insert(call.graph.find("]", heads) + 1, ", [0, 0, 0]");
    return 1;
}

/* The first of several outputs goes. */
static int no_output(pass_call &call) {
    const size_t heads = call.graph.find("\"heads\": [[") + 10;
    call.graph.erase(heads, call.graph.find("], ", heads) + 3 - heads);
    return 1;
}

/* Gives the node only0, which stands for a subgraph, an input more, that is -5. */
static int extra_input(pass_call &call) {
    const int64_t one = 1;
    void *data = nullptr;
    call.allocate(call.context, &one, 1, "cpu", 0, 0, "more", 1, &data);
    if (data == nullptr) {
        return fail("no room for a parameter");
    }
    *static_cast<float *>(data) = -5;
    const size_t attributes = call.graph.find("{", call.graph.find("\"name\": \"only0\"")) + 1;
    const size_t inputs = call.graph.find("], \"subgraphs\"", attributes);
    call.graph.insert(inputs, ", [" + std::to_string(node_count(call.graph)) + ", 0, 0]");
    call.graph.insert(attributes, "\"__ext_extra_inputs__\": \"1\", ");
    add_node(call.graph, "null", "more", "");
    return 1;
}

/* Says what it was given, in the text of an error. */
static int describe(pass_call &call) {
    std::string words;
    for (const array &a : call.arguments) {
        words += std::string(" argument ") + a.name;
    }
    for (const array &a : call.auxiliaries) {
        words += std::string(" auxiliary ") + a.name;
    }
    throw std::runtime_error(words.substr(words.size() > 240 ? words.size() - 240 : 0));
}

static int shapes(pass_call &call) {
    const size_t at = call.graph.find("__ext_shape__");
    throw std::runtime_error(at == std::string::npos ? "no shapes" : call.graph.substr(at, 60));
}

static int fails(pass_call &) {
    return fail("the pass does not like it");
}
static int nothing(pass_call &call) {
    call.graph = "";
    return 1;
}
static int cut_short(pass_call &call) {
    call.graph.resize(call.graph.size() / 2);
    return 1;
}
static int no_heads(pass_call &call) {
    replace(call.graph, "\"heads\"", "\"tails\"");
    return 1;
}
static int wild_input(pass_call &call) {
    replace(call.graph, "[[0, 0, 0]", "[[77, 0, 0]");
    return 1;
}
static int cycle(pass_call &call) {
    replace(call.graph, "[[0, 0, 0]", "[[1, 0, 0]");
    return 1;
}
static int bad_parameter(pass_call &call) {
    const int64_t shape = 2;
    void *data = &call;
    call.allocate(call.context, &shape, 1, "cpu", 0, 77, "p", 1, &data);
    return data == nullptr ? fail("no room for a type 77") : 1;
}

static const struct {
    const char *name;
    pass_function function;
} passes[] = {
    {"ext_keep", keep},
    {"ext_exchange", exchange},
    {"ext_twice", twice},
    {"ext_append", append},
    {"ext_more", one_output_more},
    {"ext_extra", extra_input},
    {"bad_no_output", no_output},
    {"bad_describe", describe},
    {"bad_shapes", shapes},
    {"bad_fails", fails},
    {"bad_nothing", nothing},
    {"bad_cut_short", cut_short},
    {"bad_no_heads", no_heads},
    {"bad_input", wild_input},
    {"bad_cycle", cycle},
    {"bad_parameter", bad_parameter},
};

EXPORT int _passRegSize() {
    may_throw("_passRegSize");
    return static_cast<int>(sizeof passes / sizeof passes[0]);
}

EXPORT void _passRegGet(int index, any_function *function, const char **name) {
    may_throw("_passRegGet");
    *function = reinterpret_cast<any_function>(passes[index].function);
    *name = passes[index].name;
}

#define ARRAYS(which)                                                                              \
    const char *const *which##_names, int which##_count, void *const *which##_data,                \
        const int64_t *const *which##_shapes, const int *which##_ranks, const int *,               \
        const size_t *, const char *const *, const int *

EXPORT int _passCallGraphPass(any_function function, const char *json, char **out_json,
                              const char *const *keys, const char *const *values, int count,
                              const char *, ARRAYS(argument), ARRAYS(auxiliary),
                              array_allocator allocate, const void *context) {
    may_throw("_passCallGraphPass");
    pass_call call = {json, to_texts(keys, values, count), {}, {}, allocate, context};
    for (int i = 0; i < argument_count; i++) {
        call.arguments.push_back(
            {argument_names[i], argument_data[i], argument_shapes[i], argument_ranks[i]});
    }
    for (int i = 0; i < auxiliary_count; i++) {
        call.auxiliaries.push_back(
            {auxiliary_names[i], auxiliary_data[i], auxiliary_shapes[i], auxiliary_ranks[i]});
    }
    if (reinterpret_cast<pass_function>(function)(call) == 0) {
        return 0;
    }
    if (call.graph.empty()) {
        return 1;
    }
    *out_json = give<char>(call.graph.size());
    std::memcpy(*out_json, call.graph.data(), call.graph.size());
    (*out_json)[call.graph.size()] = API_VERSION == 7 ? 'Z' : '\0'; /* version 7 ends it not */
    return 1;
}
