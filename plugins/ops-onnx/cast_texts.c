/* Kernels of Cast and CastLike where numbers become texts, or texts numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "elements.h"
#include "operator.h"
#include "text.h"
#include "text_kernels.h"

static const tn_dtype dtypes[] = {TN_STRING, TN_F32, TN_F64, TN_F16, TN_BF16, TN_BOOL, TN_I8,
                                  TN_I16,    TN_I32, TN_I64, TN_U8,  TN_U16,  TN_U32,  TN_U64};

static int32_t supports(const tn_kernel_query *query) {
    return query->inputs[0].dtype == TN_STRING || query->outputs[0].dtype == TN_STRING;
}

static tn_status write_text(const tn_run_call *call, int64_t index) {
    const tn_view *data = call->inputs[0];
    char text[48];
    if (data->dtype == TN_STRING) {
        ((const char **)tn_data(call->outputs[0]))[index] =
            ((const char *const *)tn_data(data))[index];
        return TN_OK;
    }
    if (data->dtype == TN_BOOL) {
        snprintf(text, sizeof text, "%s",
                 read_integer(TN_BOOL, tn_data(data), index) ? "True" : "False");
    } else if (is_floating(data->dtype)) {
        text_of_number(read_number(data->dtype, tn_data(data), index), data->dtype != TN_F64, text,
                       sizeof text);
    } else if (data->dtype == TN_U64) {
        snprintf(text, sizeof text, "%" PRIu64, ((const uint64_t *)tn_data(data))[index]);
    } else {
        snprintf(text, sizeof text, "%" PRId64, read_integer(data->dtype, tn_data(data), index));
    }
    return set_text(call->host, call->outputs[0], index, text, strlen(text));
}

/* "1e5", "-INF", "NaN"; for integers "12", and a fraction is cut off. */
static tn_status read_text(const tn_run_call *call, int64_t index) {
    const tn_view *output = call->outputs[0];
    const char *text = text_at(call->inputs[0], index);
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0') {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "element %lld, '%.100s', is no number",
                       (long long)index, text);
    }
    if (is_floating(output->dtype) || strpbrk(text, ".eEnNxX") != NULL) {
        write_number(output->dtype, tn_data(output), index, number);
    } else if (output->dtype == TN_U64) {
        ((uint64_t *)tn_data(output))[index] = strtoull(text, NULL, 10);
    } else {
        write_integer(output->dtype, tn_data(output), index, strtoll(text, NULL, 10));
    }
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const int makes_texts = call->outputs[0]->dtype == TN_STRING;
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        TN_TRY(makes_texts ? write_text(call, i) : read_text(call, i));
    }
    return TN_OK;
}

#define TEXT_CAST(NAME)                                                                            \
    { CPU_KERNEL(NAME), KERNEL_DTYPES(dtypes), .supports = supports, .run = run }

const tn_kernel cast_texts_kernel = TEXT_CAST("Cast");
const tn_kernel cast_like_texts_kernel = TEXT_CAST("onnx.CastLike");
