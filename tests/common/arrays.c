#include "arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/half.h>
#include <tenon/plugin/helpers.h>

tn_runtime *test_runtime(void) {
    tn_runtime *runtime = NULL;
    tn_status status = tn_runtime_create(NULL, &runtime);
    if (status == TN_OK) {
        status = tn_plugin_load_all(runtime, NULL, 0, 0);
    }
    if (status != TN_OK) {
        fprintf(stderr, "test runtime: %s\n", tn_error_message());
        tn_runtime_destroy(runtime);
        return NULL;
    }
    return runtime;
}

static double json_element(const json_t *json) {
    if (!json_is_string(json)) {
        return json_number_value(json);
    }
    const char *text = json_string_value(json);
    return strcmp(text, "nan") == 0 ? (double)NAN
                                    : (text[0] == '-' ? -(double)INFINITY : (double)INFINITY);
}

void test_set_element(const tn_view *view, int64_t index, double value) {
    void *data = tn_data(view);
    switch (view->dtype) {
    case TN_F16: ((uint16_t *)data)[index] = tn_f16_from_float((float)value); break;
    case TN_BF16: ((uint16_t *)data)[index] = tn_bf16_from_float((float)value); break;
    case TN_F32: ((float *)data)[index] = (float)value; break;
    case TN_F64: ((double *)data)[index] = value; break;
    case TN_I8: ((int8_t *)data)[index] = (int8_t)value; break;
    case TN_I16: ((int16_t *)data)[index] = (int16_t)value; break;
    case TN_I32: ((int32_t *)data)[index] = (int32_t)value; break;
    case TN_I64: ((int64_t *)data)[index] = (int64_t)value; break;
    case TN_U16: ((uint16_t *)data)[index] = (uint16_t)value; break;
    case TN_U32: ((uint32_t *)data)[index] = (uint32_t)value; break;
    case TN_U64: ((uint64_t *)data)[index] = (uint64_t)value; break;
    default: ((uint8_t *)data)[index] = (uint8_t)value; break;
    }
}

double test_element(const tn_view *view, int64_t index) {
    const void *data = tn_data(view);
    switch (view->dtype) {
    case TN_F16: return (double)tn_float_from_f16(((const uint16_t *)data)[index]);
    case TN_BF16: return (double)tn_float_from_bf16(((const uint16_t *)data)[index]);
    case TN_F32: return (double)((const float *)data)[index];
    case TN_F64: return ((const double *)data)[index];
    case TN_I8: return ((const int8_t *)data)[index];
    case TN_I16: return ((const int16_t *)data)[index];
    case TN_I32: return ((const int32_t *)data)[index];
    case TN_I64: return (double)((const int64_t *)data)[index];
    case TN_U16: return ((const uint16_t *)data)[index];
    case TN_U32: return ((const uint32_t *)data)[index];
    case TN_U64: return (double)((const uint64_t *)data)[index];
    default: return ((const uint8_t *)data)[index];
    }
}

tn_status test_tensor_from_json(tn_runtime *runtime, const json_t *json, tn_tensor **out_tensor) {
    const tn_dtype dtype = tn_dtype_from_text(json_string_value(json_object_get(json, "dtype")));
    const json_t *shape = json_object_get(json, "shape");
    const json_t *data = json_object_get(json, "data");
    int64_t extents[TN_MAX_RANK];
    for (size_t axis = 0; axis < json_array_size(shape); axis++) {
        extents[axis] = json_integer_value(json_array_get(shape, axis));
    }
    const tn_status status =
        tn_tensor_create(runtime, dtype, (int32_t)json_array_size(shape), extents, out_tensor);
    if (status != TN_OK) {
        return status;
    }
    const tn_view *view = tn_tensor_view(*out_tensor);
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *element = json_array_get(data, i);
        if (dtype == TN_I64 && json_is_integer(element)) { /* may not fit a double */
            ((int64_t *)tn_data(view))[i] = json_integer_value(element);
        } else {
            test_set_element(view, (int64_t)i, json_element(element));
        }
    }
    return TN_OK;
}

static bool element_agrees(const tn_view *got, const tn_view *expected, int64_t index, double rtol,
                           double atol) {
    if (got->dtype == TN_STRING) { /* equal texts are one pointer */
        return ((const char *const *)tn_data(got))[index] ==
               ((const char *const *)tn_data(expected))[index];
    }
    if (got->dtype == TN_I64) {
        const int64_t a = ((const int64_t *)tn_data(got))[index];
        const int64_t b = ((const int64_t *)tn_data(expected))[index];
        if (a == b) {
            return true;
        }
    }
    const double a = test_element(got, index), b = test_element(expected, index);
    if (isnan(b) || isinf(b)) {
        return isnan(b) ? isnan(a) : a == b;
    }
    return fabs(a - b) <= atol + rtol * fabs(b);
}

bool test_tensors_agree(const tn_view *got, const tn_view *expected, double rtol, double atol,
                        char *message, size_t size) {
    const tn_shape got_shape = tn_shape_of(got->rank, got->shape);
    const tn_shape expected_shape = tn_shape_of(expected->rank, expected->shape);
    char left[300], right[300];
    tn_shape_text(&got_shape, left, sizeof left);
    tn_shape_text(&expected_shape, right, sizeof right);
    if (got->dtype != expected->dtype || strcmp(left, right) != 0) {
        snprintf(message, size, "is %s %s, expected %s %s", tn_dtype_text(got->dtype), left,
                 tn_dtype_text(expected->dtype), right);
        return false;
    }
    for (int64_t i = 0; i < tn_element_count(got); i++) {
        if (!element_agrees(got, expected, i, rtol, atol)) {
            snprintf(message, size, "element %lld of %s %s is %.9g, expected %.9g", (long long)i,
                     tn_dtype_text(got->dtype), left, test_element(got, i),
                     test_element(expected, i));
            return false;
        }
    }
    return true;
}
