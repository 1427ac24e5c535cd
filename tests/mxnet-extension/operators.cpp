/* An extension library with operators of every kind, those that go wrong included. */
#include "extension.hpp"

#include <cstdio>
#include <random>

static int one_in_one_out(const texts &, int *inputs, int *outputs) {
    *inputs = *outputs = 1;
    return 1;
}

static int two_in_one_out(const texts &, int *inputs, int *outputs) {
    *inputs = 2;
    *outputs = 1;
    return 1;
}

static int same_type(const texts &, std::vector<int> &in, std::vector<int> &out) {
    for (int &type : out) {
        type = in[0];
    }
    return 1;
}

/* Knows nothing about an input whose type it is not told. */
static int float_type(const texts &, std::vector<int> &in, std::vector<int> &out) {
    for (int type : in) {
        if (type != 0) {
            return fail("all inputs must be float32");
        }
    }
    out[0] = 0;
    return 1;
}

static int same_shape(const texts &, shape_list &in, shape_list &out) {
    for (auto &shape : out) {
        shape = in[0];
    }
    return 1;
}

static void multiply(const float *a, const float *b, float *c, int64_t n, int64_t k, int64_t m) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            c[i * m + j] = 0;
            for (int64_t l = 0; l < k; l++) {
                c[i * m + j] += a[i * k + l] * b[l * m + j];
            }
        }
    }
}

static float *transposed(const tensor &t, const resources &given) {
    const int64_t rows = t.shape[0], columns = t.shape[1];
    float *result =
        static_cast<float *>(given.allocate(given.context, static_cast<int>(rows * columns * 4)));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            result[j * rows + i] = t.floats()[i * columns + j];
        }
    }
    return result;
}

static int product_forward(const texts &, tensors &in, tensors &out, const resources &) {
    multiply(in[0].floats(), in[1].floats(), out[0].floats(), in[0].shape[0], in[0].shape[1],
             in[1].shape[1]);
    return 1;
}

/* Inputs: the output's gradient, both inputs, the output. */
static int product_backward(const texts &, tensors &in, tensors &out, const resources &given) {
    const int64_t n = in[1].shape[0], k = in[1].shape[1], m = in[2].shape[1];
    float *left = transposed(in[1], given), *right = transposed(in[2], given);
    if (in.size() != 4 || left == right || reinterpret_cast<uintptr_t>(left) % 64 != 0) {
        return fail("inputs or memory are not as they must be");
    }
    multiply(in[0].floats(), right, out[0].floats(), n, m, k);
    multiply(left, in[0].floats(), out[1].floats(), k, n, m);
    return 1;
}

static int product_shape(const texts &, shape_list &in, shape_list &out) {
    if (in[0].size() != 2) {
        return fail("the first input must have two axes");
    }
    /* The second input's rows follow from the first's columns. */
    if (in[1].size() == 2 && in[1][0] == 0) {
        in[1][0] = in[0][1];
    }
    if (in[1].size() != 2 || in[1][0] != in[0][1]) {
        return fail("axis 1 of the first input must be as long as axis 0 of the second");
    }
    out[0] = {in[0][0], in[1][1]};
    return 1;
}

struct product_state : state {
    float runs;
    explicit product_state(float begin) : runs(begin) {
    }
    int forward(tensors &in, tensors &out, const resources &given) override {
        runs += 1;
        product_forward({}, in, out, given);
        for (int64_t i = 0; i < out[0].size(); i++) {
            out[0].floats()[i] += runs;
        }
        return 1;
    }
    int backward(tensors &in, tensors &out, const resources &given) override {
        product_backward({}, in, out, given);
        out[0].floats()[0] += 1000 * runs;
        return 1;
    }
};

static state *create_product(const texts &attributes) {
    const auto begin = attributes.find("begin");
    return new product_state(begin == attributes.end() ? 0 : std::stof(begin->second));
}

/* scale: out = in * factor, with any further attributes ignored; of any type, computed for float.
 */
static int scale_forward(const texts &attributes, tensors &in, tensors &out, const resources &) {
    const float factor = std::stof(attributes.at("factor"));
    for (int64_t i = 0; i < in[0].size(); i++) {
        out[0].floats()[i] = in[0].floats()[i] * factor;
    }
    return 1;
}

/* accumulate: adds input 0 to input 1, which `where` may name otherwise, and gives the sum. */
static int accumulate_mutates(const texts &attributes, std::vector<int> &indices) {
    indices.push_back(attributes.count("where") ? std::stoi(attributes.at("where")) : 1);
    return 1;
}

static int accumulate_forward(const texts &, tensors &in, tensors &out, const resources &) {
    for (int64_t i = 0; i < in[0].size(); i++) {
        out[0].floats()[i] = in[1].floats()[i] += in[0].floats()[i];
    }
    return 1;
}

static int add_forward(const texts &, tensors &in, tensors &out, const resources &) {
    for (int64_t i = 0; i < in[0].size(); i++) {
        out[0].floats()[i] = in[0].floats()[i] + in[1].floats()[i];
    }
    return 1;
}

/* Talks on standard output, as many libraries do. */
static int talking_forward(const texts &, tensors &in, tensors &out, const resources &) {
    std::printf("Info: it runs\n");
    std::fflush(stdout);
    std::memcpy(out[0].data, in[0].data, static_cast<size_t>(in[0].size()) * sizeof(float));
    return 1;
}

static int noise_forward(const texts &, tensors &in, tensors &out, const resources &given) {
    std::mt19937 *states = static_cast<std::mt19937 *>(given.random_states);
    for (int64_t i = 0; i < in[0].size(); i++) {
        out[0].floats()[i] = static_cast<float>(states[i % 1024]() >> 8);
    }
    return 1;
}

/* ids: what the inputs' ids are, as float. */
static int ids_forward(const texts &, tensors &in, tensors &out, const resources &) {
    for (int64_t i = 0; i < out[0].size(); i++) {
        out[0].floats()[i] = static_cast<float>(in[static_cast<size_t>(i)].id);
    }
    return 1;
}

static int split_parse(const texts &attributes, int *inputs, int *outputs) {
    *inputs = 1;
    *outputs = std::stoi(attributes.at("parts"));
    return 1;
}

static int split_forward(const texts &, tensors &in, tensors &out, const resources &) {
    for (size_t j = 0; j < out.size(); j++) {
        for (int64_t i = 0; i < in[0].size(); i++) {
            out[j].floats()[i] = in[0].floats()[i] + static_cast<float>(j);
        }
    }
    return 1;
}

/* The gradient of every part, added. */
static int split_backward(const texts &, tensors &in, tensors &out, const resources &) {
    const size_t parts = (in.size() - 1) / 2;
    for (int64_t i = 0; i < out[0].size(); i++) {
        out[0].floats()[i] = 0;
        for (size_t j = 0; j < parts; j++) {
            out[0].floats()[i] += in[j].floats()[i];
        }
    }
    return 1;
}

/* Sparse tensors. */

template <int wanted>
static int same_storage(const texts &, std::vector<int> &in, std::vector<int> &out) {
    if (in[0] != wanted) {
        return fail("the first input has another storage type");
    }
    for (int &storage : out) {
        storage = wanted;
    }
    return 1;
}

static int swapped_shape(const texts &, shape_list &in, shape_list &out) {
    if (in[0].size() != 2) {
        return fail("the input must have two axes");
    }
    out[0] = {in[0][1], in[0][0]};
    return 1;
}

/* ext_transpose_csr: counts the elements of each column, and puts them there. */
static int transpose_forward(const texts &, tensors &in, tensors &out, const resources &given) {
    const tensor &a = in[0];
    const int64_t rows = a.shape[0], columns = a.shape[1];
    void *data = nullptr;
    int64_t *indices = nullptr, *starts = nullptr;
    if (a.storage != 2 || out[0].storage != 2 || a.row_start_count != rows + 1 ||
        a.row_starts == nullptr) {
        return fail("the tensors are not as they must be");
    }
    given.allocate_sparse(given.context, 0, static_cast<int>(a.index_count),
                          static_cast<int>(columns + 1), &data, &indices, &starts);
    std::vector<int64_t> next(static_cast<size_t>(columns) + 1, 0);
    for (int64_t i = 0; i < a.index_count; i++) {
        next[static_cast<size_t>(a.indices[i]) + 1]++;
    }
    for (int64_t c = 0; c <= columns; c++) {
        next[static_cast<size_t>(c)] += c > 0 ? next[static_cast<size_t>(c) - 1] : 0;
        starts[c] = next[static_cast<size_t>(c)];
    }
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t i = a.row_starts[r]; i < a.row_starts[r + 1]; i++) {
            const int64_t place = next[static_cast<size_t>(a.indices[i])]++;
            static_cast<float *>(data)[place] = a.floats()[i];
            indices[place] = r;
        }
    }
    return 1;
}

/* ext_double_rows: the rows of a row-sparse tensor, each element twice as large. */
static int double_forward(const texts &, tensors &in, tensors &out, const resources &given) {
    const tensor &a = in[0];
    const int64_t width = a.size() / a.shape[0];
    void *data = nullptr;
    int64_t *indices = nullptr, *starts = nullptr;
    if (a.storage != 1 || out[0].storage != 1 || a.row_starts != nullptr) {
        return fail("the tensors are not as they must be");
    }
    given.allocate_sparse(given.context, 0, static_cast<int>(a.index_count), 0, &data, &indices,
                          &starts);
    for (int64_t i = 0; i < a.index_count; i++) {
        indices[i] = a.indices[i];
        for (int64_t j = 0; j < width; j++) {
            static_cast<float *>(data)[i * width + j] = 2 * a.floats()[i * width + j];
        }
    }
    return 1;
}

/* Leaves its output as it is: empty. */
static int empty_forward(const texts &, tensors &, tensors &, const resources &) {
    return 1;
}

/* Asks for what there is not, and writes there all the same. */
static int greedy_forward(const texts &, tensors &in, tensors &, const resources &given) {
    void *data = nullptr;
    int64_t *indices = nullptr, *starts = nullptr;
    given.allocate_sparse(given.context, 0, 4, static_cast<int>(in[0].shape[0]) + 7, &data,
                          &indices, &starts);
    for (int64_t i = 0; i < 4; i++) {
        static_cast<float *>(data)[i] = 1;
        indices[i] = i;
    }
    for (int64_t i = 0; i < in[0].shape[0] + 7; i++) {
        starts[i] = i;
    }
    return 1;
}

static int disordered_forward(const texts &, tensors &in, tensors &, const resources &given) {
    void *data = nullptr;
    int64_t *indices = nullptr, *starts = nullptr;
    const int rows = static_cast<int>(in[0].shape[0]);
    given.allocate_sparse(given.context, 0, 1, rows + 1, &data, &indices, &starts);
    static_cast<float *>(data)[0] = 1;
    indices[0] = 4711;
    for (int i = 1; i <= rows; i++) {
        starts[i] = 1;
    }
    return 1;
}

/* What goes wrong. */

static int fail_parse(const texts &, int *, int *) {
    return fail("parseAttrs does not like it");
}
static int throw_parse(const texts &attributes, int *, int *) {
    return static_cast<int>(attributes.at("nowhere").size());
}
static int bad_parse(const texts &, int *inputs, int *outputs) {
    *inputs = -3;
    *outputs = 70000;
    return 1;
}
static int silent_parse(const texts &, int *, int *) {
    return 1;
}
static int fail_type(const texts &, std::vector<int> &, std::vector<int> &) {
    return fail("inferType does not like it");
}
static int bad_type(const texts &, std::vector<int> &, std::vector<int> &out) {
    out[0] = 42;
    return 1;
}
static int other_type(const texts &, std::vector<int> &in, std::vector<int> &out) {
    in[0] = 4;
    out[0] = 4;
    return 1;
}
static int throw_type(const texts &, std::vector<int> &, std::vector<int> &) {
    throw 7;
}
static int fail_shape(const texts &, shape_list &, shape_list &) {
    return 0;
}
static int no_shape(const texts &, shape_list &, shape_list &) {
    return 2;
}
static int deep_shape(const texts &, shape_list &, shape_list &out) {
    out[0].assign(99, 1u);
    return 1;
}
static int other_shape(const texts &, shape_list &in, shape_list &out) {
    in[0] = {9, 9, 9};
    out[0] = in[0];
    return 1;
}
static int huge_shape(const texts &, shape_list &, shape_list &out) {
    out[0].assign(8, 4000000000u);
    return 1;
}
static int fail_forward(const texts &, tensors &, tensors &, const resources &) {
    return fail("forward does not like it");
}
static int throw_forward(const texts &, tensors &, tensors &, const resources &) {
    throw std::out_of_range("the seventh of three");
}
static int throw_odd_forward(const texts &, tensors &, tensors &, const resources &) {
    throw std::string("odd");
}
static int bad_mutates(const texts &, std::vector<int> &indices) {
    indices.push_back(5);
    return 1;
}
static state *no_state(const texts &) {
    return nullptr;
}
static state *throw_state(const texts &) {
    throw std::runtime_error("no state today");
}

const std::vector<registered> &operators() {
    static const std::vector<registered> all = {
        {"ext_product", two_in_one_out, float_type, product_shape, product_forward,
         product_backward, nullptr, nullptr, "cpu"},
        {"ext_state_product", two_in_one_out, float_type, product_shape, nullptr, nullptr,
         create_product, nullptr, "cpu"},
        {"ext_scale", one_in_one_out, same_type, same_shape, scale_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"ext_accumulate", two_in_one_out, same_type, same_shape, accumulate_forward, nullptr,
         nullptr, accumulate_mutates, "cpu"},
        {"ext_add", two_in_one_out, same_type, same_shape, add_forward, nullptr, nullptr, nullptr,
         "cpu"},
        {"ext_talking", one_in_one_out, same_type, same_shape, talking_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"ext_noise", one_in_one_out, same_type, same_shape, noise_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"ext_transpose_csr", one_in_one_out, same_type, swapped_shape, transpose_forward, nullptr,
         nullptr, nullptr, "cpu", same_storage<2>},
        {"ext_double_rows", one_in_one_out, same_type, same_shape, double_forward, double_forward,
         nullptr, nullptr, "cpu", same_storage<1>},
        {"ext_empty", one_in_one_out, same_type, same_shape, empty_forward, nullptr, nullptr,
         nullptr, "cpu", same_storage<2>},
        {"bad_greedy", one_in_one_out, same_type, same_shape, greedy_forward, nullptr, nullptr,
         nullptr, "cpu", same_storage<2>},
        {"bad_disordered", one_in_one_out, same_type, same_shape, disordered_forward, nullptr,
         nullptr, nullptr, "cpu", same_storage<2>},
        {"ext_ids", two_in_one_out, same_type, same_shape, ids_forward, nullptr, nullptr, nullptr,
         "cpu"},
        {"ext_split", split_parse, same_type, same_shape, split_forward, split_backward, nullptr,
         nullptr, "cpu"},
        {"ext_elsewhere", one_in_one_out, same_type, same_shape, scale_forward, nullptr, nullptr,
         nullptr, "fpga"},
        {"bad_parse_fails", fail_parse, same_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_parse_throws", throw_parse, same_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_counts", bad_parse, same_type, same_shape, fail_forward, nullptr, nullptr, nullptr,
         "cpu"},
        {"bad_no_counts", silent_parse, same_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_type_fails", one_in_one_out, fail_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_type_throws", one_in_one_out, throw_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_type", one_in_one_out, bad_type, same_shape, fail_forward, nullptr, nullptr, nullptr,
         "cpu"},
        {"bad_other_type", one_in_one_out, other_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_shape_fails", one_in_one_out, same_type, fail_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_no_shape", one_in_one_out, same_type, no_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_deep_shape", one_in_one_out, same_type, deep_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_other_shape", one_in_one_out, same_type, other_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_huge_shape", one_in_one_out, same_type, huge_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_forward_fails", one_in_one_out, same_type, same_shape, fail_forward, nullptr, nullptr,
         nullptr, "cpu"},
        {"bad_forward_throws", one_in_one_out, same_type, same_shape, throw_forward, nullptr,
         nullptr, nullptr, "cpu"},
        {"bad_forward_throws_oddly", one_in_one_out, same_type, same_shape, throw_odd_forward,
         nullptr, nullptr, nullptr, "cpu"},
        {"bad_mutates", one_in_one_out, same_type, same_shape, fail_forward, nullptr, nullptr,
         bad_mutates, "cpu"},
        {"bad_no_state", one_in_one_out, same_type, same_shape, nullptr, nullptr, no_state, nullptr,
         "cpu"},
        {"bad_state_throws", one_in_one_out, same_type, same_shape, nullptr, nullptr, throw_state,
         nullptr, "cpu"},
    };
    return all;
}
