/* Libraries that must not load: each is this file with one thing defined otherwise. */
#include "extension.hpp"

#ifndef OPERATORS
#define OPERATORS                                                                                  \
    { "plain", parse, type, shape, forward, nullptr, nullptr, nullptr, "cpu" }
#endif

static int parse(const texts &, int *inputs, int *outputs) {
    *inputs = *outputs = 1;
    return 1;
}
static int type(const texts &, std::vector<int> &, std::vector<int> &) {
    return 1;
}
static int shape(const texts &, shape_list &, shape_list &) {
    return 1;
}
static int forward(const texts &, tensors &, tensors &, const resources &) {
    return 1;
}

const std::vector<registered> &operators() {
    static const std::vector<registered> all = {OPERATORS};
    return all;
}

/* So that no function is unused, whatever is registered. */
EXPORT const void *test_functions[];
const void *test_functions[] = {
    reinterpret_cast<const void *>(parse), reinterpret_cast<const void *>(type),
    reinterpret_cast<const void *>(shape), reinterpret_cast<const void *>(forward)};
