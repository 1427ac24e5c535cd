/* Arrays in test files: tensors from JSON, elements as doubles, comparison. */
#ifndef TENON_TESTS_ARRAYS_H
#define TENON_TESTS_ARRAYS_H

#include <jansson.h>
#include <stdbool.h>

#include <tenon/tenon.h>

/* A runtime with every plugin of the build; NULL with a message on standard error. */
tn_runtime *test_runtime(void);

/* {"dtype": …, "shape": […], "data": […]} */
tn_status test_tensor_from_json(tn_runtime *runtime, const json_t *json, tn_tensor **out_tensor);

/* Element `index` as a double. */
double test_element(const tn_view *view, int64_t index);
void test_set_element(const tn_view *view, int64_t index, double value);

/* Whether `got` has the type of `expected` and every element agrees:
 * |got - expected| <= atol + rtol |expected|, nan with nan, infinities exactly. Otherwise writes
 * what differs first. */
bool test_tensors_agree(const tn_view *got, const tn_view *expected, double rtol, double atol,
                        char *message, size_t size);

#endif
