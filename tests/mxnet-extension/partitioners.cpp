/* An extension library with partitioners of both ways, and the operator that runs their subgraphs.
 */
#define HAS_PARTITIONERS
#include "extension.hpp"

#include <cmath>
#include <memory>

/* What there is to know of a node, read from the graph's text. */
struct parsed_node {
    std::string op, attributes;
    std::vector<size_t> inputs;
};

static std::vector<parsed_node> parse(const std::string &text) {
    std::vector<parsed_node> nodes;
    const size_t end = text.find("\"arg_nodes\"");
    for (size_t at = text.find("{\"op\": \""); at < end; at = text.find("{\"op\": \"", at + 1)) {
        parsed_node node;
        node.op = text.substr(at + 8, text.find('"', at + 8) - at - 8);
        const size_t inputs = text.find("\"inputs\": [", at) + 11;
        node.attributes = text.substr(at, inputs - at);
        for (size_t next = inputs; text[next] == '['; next += text[next] == ',' ? 2 : 0) {
            node.inputs.push_back(std::stoul(text.substr(next + 1)));
            next = text.find(']', next) + 1; /* ", [" or the end of the list */
        }
        nodes.push_back(node);
    }
    return nodes;
}

static bool is_wanted(const std::string &op) {
    return op == "exp" || op == "log" || op == "elemwise_sub";
}

static float computed(const std::string &op, float x, float y) {
    return op == "exp" ? std::exp(x) : op == "log" ? std::log(x) : x - y;
}

/* The operator: runs one node after the other, and adds what `plus` says, and the first element of
 * each input that the subgraph does not have. */
struct subgraph_state : state {
    std::vector<parsed_node> nodes;
    float plus;
    subgraph_state(const std::string &text, float p) : nodes(parse(text)), plus(p) {
    }
    /* For a chain of exp and log alone. Inputs: the output's gradient, the node's inputs (of which
     * the subgraph has the first), the output. */
    int backward(tensors &in, tensors &out, const resources &) override {
        if (out.size() != 1 || in.size() < 3) {
            return fail("a gradient of one input is asked for");
        }
        for (int64_t i = 0; i < out[0].size(); i++) {
            float x = in[1].floats()[i], slope = in[0].floats()[i];
            for (size_t k = 1; k < nodes.size(); k++) {
                const float y = computed(nodes[k].op, x, 0);
                slope *= nodes[k].op == "exp" ? y : 1 / x;
                x = y;
            }
            out[0].floats()[i] = slope;
        }
        return 1;
    }
    int forward(tensors &in, tensors &out, const resources &) override {
        std::vector<std::vector<float>> values;
        size_t next = 0;
        for (const parsed_node &node : nodes) {
            std::vector<float> value;
            if (node.op == "null") {
                const tensor &t = in[next++];
                value.assign(t.floats(), t.floats() + t.size());
            } else {
                const std::vector<float> &left = values[node.inputs[0]];
                const std::vector<float> &right = values[node.inputs[node.inputs.size() - 1]];
                for (size_t i = 0; i < left.size(); i++) {
                    value.push_back(computed(node.op, left[i], right[i]));
                }
            }
            values.push_back(value);
        }
        float more = plus;
        for (; next < in.size(); next++) {
            more += in[next].floats()[0];
        }
        for (int64_t i = 0; i < out[0].size(); i++) {
            out[0].floats()[i] = values.back()[static_cast<size_t>(i)] + more;
        }
        return 1;
    }
};

/* Says what it is told, in the text of an error, when the attribute `tell` asks for it. */
static state *create_subgraph(const texts &attributes) {
    if (attributes.count("tell")) {
        const std::string &text = attributes.at("subgraph_sym_json");
        const size_t at = text.find("\"attrs\": {");
        throw std::runtime_error(attributes.at("__ext_shape__") + attributes.at("__ext_dtype__") +
                                 text.substr(at, text.find('}', at) - at));
    }
    const auto plus = attributes.find("plus");
    return new subgraph_state(attributes.at("subgraph_sym_json"),
                              plus == attributes.end() ? 0 : std::stof(plus->second));
}

const std::vector<registered> &operators() {
    static const std::vector<registered> all = {{"_ext_subgraph", nullptr, nullptr, nullptr,
                                                 nullptr, nullptr, create_subgraph, nullptr,
                                                 "cpu"}};
    return all;
}

/* Partitioners. */

struct selector {
    std::vector<parsed_node> nodes;
    int resets;
};

typedef std::vector<int> numbers;
typedef int (*supported_function)(const std::string &, numbers &, const texts &);
typedef selector *(*selector_function)(const std::string &, const texts &);
typedef int (*review_function)(const std::string &, int, int *, const texts &, texts &,
                               const std::vector<std::string> &);

static int find_wanted(const std::string &text, numbers &groups, const texts &) {
    const auto nodes = parse(text);
    if (nodes.size() != groups.size()) {
        return fail("the numbers of nodes differ");
    }
    for (size_t i = 0; i < nodes.size(); i++) {
        groups[i] = is_wanted(nodes[i].op) ? -1 : groups[i];
    }
    return 1;
}

static selector *create_selector(const std::string &text, const texts &) {
    return new selector{parse(text), 0};
}

/* Accepts unless the option `reject` is given; says what it has seen as attribute `seen`. */
static int review(const std::string &text, int index, int *accept, const texts &options,
                  texts &attributes, const std::vector<std::string> &arguments) {
    attributes["plus"] = options.count("plus") ? options.at("plus") : "0";
    if (options.count("tell")) {
        attributes["tell"] = "1";
    }
    attributes["seen"] = std::to_string(index) + (arguments.empty() ? "" : " " + arguments[0]) +
                         (text.find("\"isArg\": \"True\"") != std::string::npos ? " isArg" : "") +
                         (text.find("__ext_shape__") != std::string::npos ? " shapes" : "");
    *accept = options.count("reject") ? 0 : 1;
    return 1;
}

static int fail_supported(const std::string &, numbers &, const texts &) {
    return fail("supportedOps does not like it");
}
static int wild_supported(const std::string &, numbers &groups, const texts &) {
    groups[0] = -9;
    return 1;
}
static selector *no_selector(const std::string &, const texts &) {
    return nullptr;
}
static selector *wild_selector(const std::string &text, const texts &) {
    return new selector{parse(text), -100};
}
static int throw_review(const std::string &, int, int *, const texts &, texts &,
                        const std::vector<std::string> &) {
    throw std::runtime_error("nothing pleases it");
}

static const struct {
    const char *name;
    supported_function supported;
    selector_function selector;
    review_function review;
    const char *op;
} partitioners[] = {
    {"ext_supported", find_wanted, nullptr, review, "_ext_subgraph"},
    {"ext_selector", nullptr, create_selector, review, "_ext_subgraph"},
    {"ext_plain", find_wanted, nullptr, nullptr, "_CachedOp"},
    {"bad_supported", fail_supported, nullptr, nullptr, "_ext_subgraph"},
    {"bad_group", wild_supported, nullptr, nullptr, "_ext_subgraph"},
    {"bad_selector", nullptr, no_selector, nullptr, "_ext_subgraph"},
    {"bad_filter", nullptr, wild_selector, nullptr, "_ext_subgraph"},
    {"bad_review", find_wanted, nullptr, throw_review, "_ext_subgraph"},
    {"bad_strategy", nullptr, nullptr, nullptr, "_ext_subgraph"},
    {"bad_operator", find_wanted, nullptr, nullptr, "_nobody_offers_this"},
};

EXPORT int _partRegSize() {
    may_throw("_partRegSize");
    return static_cast<int>(sizeof partitioners / sizeof partitioners[0]);
}

EXPORT int _partRegGetCount(int index, const char **name) {
    may_throw("_partRegGetCount");
    *name = partitioners[index].name;
    return 1;
}

EXPORT void _partRegGet(int index, int, const char **strategy, any_function *supported,
                        any_function *create, any_function *reviewer, const char **op) {
    may_throw("_partRegGet");
    *strategy = "only";
    *supported = reinterpret_cast<any_function>(partitioners[index].supported);
    *create = reinterpret_cast<any_function>(partitioners[index].selector);
    *reviewer = reinterpret_cast<any_function>(partitioners[index].review);
    *op = partitioners[index].op;
}

EXPORT int _partCallSupportedOps(any_function function, const char *json, int count, int *ids,
                                 const char *const *keys, const char *const *values,
                                 int option_count) {
    may_throw("_partCallSupportedOps");
    numbers groups(ids, ids + count);
    const int result = reinterpret_cast<supported_function>(function)(
        json, groups, to_texts(keys, values, option_count));
    if (result != 0) {
        std::copy(groups.begin(), groups.end(), ids);
    }
    return result;
}

EXPORT int _partCallCreateSelector(any_function function, const char *json, void **out,
                                   const char *const *keys, const char *const *values, int count) {
    may_throw("_partCallCreateSelector");
    static std::vector<std::unique_ptr<selector>> all; /* no host ends one */
    selector *made =
        reinterpret_cast<selector_function>(function)(json, to_texts(keys, values, count));
    all.emplace_back(made);
    *out = made;
    return 1;
}

static bool wants(void *object, int node) {
    const selector *s = static_cast<selector *>(object);
    return is_wanted(s->nodes.at(static_cast<size_t>(node)).op);
}
EXPORT void _partCallSelect(void *object, int node, int *selected) {
    may_throw("_partCallSelect");
    *selected = wants(object, node);
}
EXPORT void _partCallSelectInput(void *object, int, int input, int *selected) {
    may_throw("_partCallSelectInput");
    *selected = wants(object, input);
}
EXPORT void _partCallSelectOutput(void *object, int, int output, int *selected) {
    may_throw("_partCallSelectOutput");
    *selected = wants(object, output);
}

/* Keeps all, the last first; a selector that counts from -100 keeps what nobody offered. */
EXPORT void _partCallFilter(void *object, int *candidates, int count, int **keep, int *keep_count) {
    may_throw("_partCallFilter");
    *keep = give<int>(static_cast<size_t>(count));
    *keep_count = count;
    for (int i = 0; i < count; i++) {
        (*keep)[i] = static_cast<selector *>(object)->resets < 0 ? 4711 : candidates[count - 1 - i];
    }
}

EXPORT void _partCallReset(void *object) {
    may_throw("_partCallReset");
    static_cast<selector *>(object)->resets++;
}

#define ARRAYS(which)                                                                              \
    const char *const *which##_names, int which##_count, void *const *, const int64_t *const *,    \
        const int *, const int *, const size_t *, const char *const *, const int *

EXPORT int _partCallReviewSubgraph(any_function function, const char *json, int index, int *accept,
                                   const char *const *keys, const char *const *values, int count,
                                   char ***out_keys, char ***out_values, int *out_count,
                                   ARRAYS(argument), ARRAYS(auxiliary)) {
    may_throw("_partCallReviewSubgraph");
    texts attributes;
    std::vector<std::string> arguments(argument_names, argument_names + argument_count);
    if (auxiliary_count > 0) {
        arguments.push_back(auxiliary_names[0]);
    }
    if (reinterpret_cast<review_function>(function)(
            json, index, accept, to_texts(keys, values, count), attributes, arguments) == 0) {
        return 0;
    }
    *out_count = static_cast<int>(attributes.size());
    *out_keys = give<char *>(attributes.size());
    *out_values = give<char *>(attributes.size());
    int i = 0;
    for (const auto &pair : attributes) {
        (*out_keys)[i] = std::strcpy(give<char>(pair.first.size()), pair.first.c_str());
        (*out_values)[i++] = std::strcpy(give<char>(pair.second.size()), pair.second.c_str());
    }
    return 1;
}
