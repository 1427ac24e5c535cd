/*
 * Small inline helpers for plugin authors: error texts, views, shapes, inference, loops. They use
 * nothing but the contract, and a plugin that does without them loses nothing but lines.
 */
#ifndef TENON_PLUGIN_HELPERS_H
#define TENON_PLUGIN_HELPERS_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/host.h>
#include <tenon/plugin/kernel.h>
#include <tenon/plugin/loader.h>
#include <tenon/plugin/operator.h>

/* Forwards a failure. Only where nothing is held. */
#define TN_TRY(expression)                                                                         \
    do {                                                                                           \
        const tn_status tn_try_status_ = (expression);                                             \
        if (tn_try_status_ != TN_OK) {                                                             \
            return tn_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

#if defined(__GNUC__)
#define TN_PRINTF_(text, first) __attribute__((format(printf, text, first), unused))
#define TN_INLINE_ static inline __attribute__((unused))
#else
#define TN_PRINTF_(text, first)
#define TN_INLINE_ static inline
#endif

/* Words this thread's error; see tn_fail. */
TN_PRINTF_(3, 4)
static void tn_set_error(const tn_host *host, tn_status status, const char *format, ...) {
    const tn_error_service *error = TN_SERVICE(host, error);
    if (error == NULL) {
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error->fail(host, status, message);
}

/* `return tn_fail(host, TN_INVALID_ARGUMENT, "kernel has %d extents, expected 1 to 3", n);`
 * A macro, so that the compiler sees that the value is a failure; `status` is a constant. */
#define tn_fail(host, status, ...) (tn_set_error(host, status, __VA_ARGS__), (tn_status)(status))

TN_PRINTF_(3, 4)
static void tn_log(const tn_host *host, uint32_t level, const char *format, ...) {
    const tn_log_service *log = TN_SERVICE(host, log);
    if (log == NULL) {
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log->write(host, level, message);
}

/* Room for `count` items from the service "memory", which the note requires; zeroed, and also for
 * none at all. OUT_OF_MEMORY says how much was wanted. To be given back by tn_free. */
TN_INLINE_ tn_status tn_allocate(const tn_host *host, uint64_t count, uint64_t item_size,
                                 void **out_memory) {
    const uint64_t items = count > 0 ? count : 1;
    void *memory = NULL;
    if (item_size > 0 && items <= SIZE_MAX / item_size) {
        memory = TN_SERVICE(host, memory)->allocate(host, items * item_size);
    }
    if (memory == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %llu items of %llu bytes",
                       (unsigned long long)items, (unsigned long long)item_size);
    }
    memset(memory, 0, (size_t)(items * item_size));
    *out_memory = memory;
    return TN_OK;
}

/* NULL is allowed. */
TN_INLINE_ void tn_free(const tn_host *host, void *memory) {
    TN_SERVICE(host, memory)->free(host, memory);
}

/* The first element of a view in host memory. */
TN_INLINE_ void *tn_data(const tn_view *view) {
    return (char *)view->data + view->byte_offset;
}

/* How many elements; the host has checked that it does not overflow. */
TN_INLINE_ int64_t tn_element_count(const tn_view *view) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < view->rank; axis++) {
        count *= view->shape[axis];
    }
    return count;
}

/* For kernels that compute element by element and so do not care where an element lies
 * (tn_kernel.layouts): channels-last when some input is, and all tensors have one shape. */
TN_INLINE_ void tn_layouts_elementwise(const tn_kernel_query *query, uint32_t *inputs,
                                       uint32_t *outputs) {
    const tn_shape *shape = &query->outputs[0].shape;
    uint32_t layout = TN_LAYOUT_ROW_MAJOR;
    uint32_t has_one_shape = 1;
    for (uint32_t i = 0; i < query->input_count; i++) {
        const tn_shape *other = &query->inputs[i].shape;
        has_one_shape = has_one_shape && other->rank == shape->rank &&
                        memcmp(other->extents, shape->extents,
                               (size_t)shape->rank * sizeof *shape->extents) == 0;
        layout = inputs[i] == TN_LAYOUT_ROW_MAJOR ? layout : inputs[i];
    }
    layout = has_one_shape ? layout : TN_LAYOUT_ROW_MAJOR;
    for (uint32_t i = 0; i < query->input_count; i++) {
        inputs[i] = layout;
    }
    for (uint32_t i = 0; i < query->output_count; i++) {
        outputs[i] = layout;
    }
}

/* For kernels that give their first output in the layout that their first input has, whichever it
 * is (tn_kernel.layouts); all else is row-major. */
TN_INLINE_ void tn_layouts_of_first(const tn_kernel_query *query, uint32_t *inputs,
                                    uint32_t *outputs) {
    for (uint32_t i = 1; i < query->input_count; i++) {
        inputs[i] = TN_LAYOUT_ROW_MAJOR;
    }
    outputs[0] = inputs[0];
}

TN_INLINE_ uint64_t tn_byte_size(const tn_view *view) {
    return (uint64_t)tn_element_count(view) * TN_DTYPE_SIZE(view->dtype);
}

/* The product of extents `begin` to `end` (exclusive): rows, columns, inner sizes. */
TN_INLINE_ int64_t tn_extent_product(const int64_t *extents, int32_t begin, int32_t end) {
    int64_t product = 1;
    for (int32_t axis = begin; axis < end; axis++) {
        product *= extents[axis];
    }
    return product;
}

/* Loops over 0 to count on the host's threads, or here when one grain covers it all. */
TN_INLINE_ void tn_parallel_for(const tn_host *host, int64_t count, int64_t grain,
                                void (*body)(void *context, int64_t begin, int64_t end),
                                void *context) {
    if (count > grain) {
        const tn_parallel_service *parallel = TN_SERVICE(host, parallel);
        if (parallel != NULL) {
            parallel->run(host, count, grain, body, context);
            return;
        }
    }
    if (count > 0) {
        body(context, 0, count);
    }
}

TN_INLINE_ const char *tn_dtype_name(tn_dtype dtype) {
    switch (dtype) {
    case TN_F16: return "float16";
    case TN_BF16: return "bfloat16";
    case TN_F32: return "float32";
    case TN_F64: return "float64";
    case TN_I8: return "int8";
    case TN_I16: return "int16";
    case TN_I32: return "int32";
    case TN_I64: return "int64";
    case TN_U8: return "uint8";
    case TN_U16: return "uint16";
    case TN_U32: return "uint32";
    case TN_U64: return "uint64";
    case TN_BOOL: return "bool";
    case TN_STRING: return "string";
    case TN_SEQUENCE: return "sequence";
    default: return "unknown";
    }
}

/* Shapes. */

TN_INLINE_ int tn_shape_is_known(const tn_shape *shape) {
    if (shape->rank < 0) {
        return 0;
    }
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (shape->extents[axis] < 0) {
            return 0;
        }
    }
    return 1;
}

TN_INLINE_ tn_shape tn_shape_of(int32_t rank, const int64_t *extents) {
    tn_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        shape.extents[axis] = extents[axis];
    }
    return shape;
}

TN_INLINE_ tn_shape tn_shape_unknown(void) {
    tn_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.rank = TN_UNKNOWN;
    return shape;
}

/* A shape of known rank with no extent known. */
TN_INLINE_ tn_shape tn_shape_of_rank(int32_t rank) {
    tn_shape shape = tn_shape_unknown();
    shape.rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        shape.extents[axis] = TN_UNKNOWN;
    }
    return shape;
}

/* "(2,3,?)", for messages. */
TN_INLINE_ const char *tn_shape_text(const tn_shape *shape, char *buffer, size_t size) {
    size_t used = 0;
    if (shape->rank < 0) {
        snprintf(buffer, size, "(unknown rank)");
        return buffer;
    }
    used += (size_t)snprintf(buffer, size, "(");
    for (int32_t axis = 0; axis < shape->rank && used + 24 < size; axis++) {
        const char *comma = axis > 0 ? "," : "";
        if (shape->extents[axis] < 0) {
            used += (size_t)snprintf(buffer + used, size - used, "%s?", comma);
        } else {
            used += (size_t)snprintf(buffer + used, size - used, "%s%lld", comma,
                                     (long long)shape->extents[axis]);
        }
    }
    if (used + 1 < size) {
        snprintf(buffer + used, size - used, ")");
    }
    return buffer;
}

/* "axis" from the front or, negative, from the back; fails when it is out of bounds. */
TN_INLINE_ tn_status tn_resolve_axis(const tn_host *host, int64_t axis, int32_t rank,
                                     int32_t *out_axis) {
    const int64_t resolved = axis < 0 ? axis + rank : axis;
    if (resolved < 0 || resolved >= rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "axis %lld is out of bounds for a tensor of rank %d: expected %d to %d",
                       (long long)axis, (int)rank, (int)-rank, (int)rank - 1);
    }
    *out_axis = (int32_t)resolved;
    return TN_OK;
}

/* For loaders: whether the library defines that dynamic symbol. */
TN_INLINE_ int tn_defines_symbol(const tn_foreign_file *file, const char *name) {
    uint32_t low = 0, high = file->symbol_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(file->symbols[middle], name);
        if (order == 0) {
            return 1;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

/* Inference: each merges a fact into what is known and words the error when they disagree. */

TN_INLINE_ tn_status tn_infer_shape(const tn_host *host, const char *what, tn_shape *known,
                                    const tn_shape *fact) {
    if (fact->rank < 0) {
        return TN_OK;
    }
    if (known->rank < 0) {
        *known = *fact;
        return TN_OK;
    }
    int agree = known->rank == fact->rank;
    for (int32_t axis = 0; agree && axis < fact->rank; axis++) {
        agree = known->extents[axis] < 0 || fact->extents[axis] < 0 ||
                known->extents[axis] == fact->extents[axis];
    }
    if (!agree) {
        char left[256], right[256];
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has shape %s, but %s is expected", what,
                       tn_shape_text(known, left, sizeof left),
                       tn_shape_text(fact, right, sizeof right));
    }
    for (int32_t axis = 0; axis < fact->rank; axis++) {
        if (known->extents[axis] < 0) {
            known->extents[axis] = fact->extents[axis];
        }
    }
    return TN_OK;
}

TN_INLINE_ tn_status tn_infer_dtype(const tn_host *host, const char *what, tn_dtype *known,
                                    tn_dtype fact) {
    if (fact == 0 || *known == fact) {
        return TN_OK;
    }
    if (*known == 0) {
        *known = fact;
        return TN_OK;
    }
    return tn_fail(host, TN_INVALID_ARGUMENT, "%s is %s, but %s is expected", what,
                   tn_dtype_name(*known), tn_dtype_name(fact));
}

/* Both shapes are the same: what one knows the other learns. */
TN_INLINE_ tn_status tn_infer_same_shape(const tn_host *host, const char *what, tn_shape *left,
                                         tn_shape *right) {
    TN_TRY(tn_infer_shape(host, what, left, right));
    return tn_infer_shape(host, what, right, left);
}

/* All inputs and outputs have one dtype. */
TN_INLINE_ tn_status tn_infer_one_dtype(tn_infer_call *call) {
    tn_dtype dtype = 0;
    for (uint32_t i = 0; i < call->input_count && dtype == 0; i++) {
        dtype = call->inputs[i].dtype;
    }
    for (uint32_t i = 0; i < call->output_count && dtype == 0; i++) {
        dtype = call->outputs[i].dtype;
    }
    if (dtype == 0) {
        return TN_OK;
    }
    char what[32];
    for (uint32_t i = 0; i < call->input_count; i++) {
        snprintf(what, sizeof what, "input %u", (unsigned)i);
        TN_TRY(tn_infer_dtype(call->host, what, &call->inputs[i].dtype, dtype));
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        snprintf(what, sizeof what, "output %u", (unsigned)i);
        TN_TRY(tn_infer_dtype(call->host, what, &call->outputs[i].dtype, dtype));
    }
    return TN_OK;
}

/* All inputs and outputs have one shape and one dtype: the inference of an element-wise operator.
 */
TN_INLINE_ tn_status tn_infer_elementwise(tn_infer_call *call) {
    char what[32];
    tn_shape shape = tn_shape_unknown();
    TN_TRY(tn_infer_one_dtype(call));
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < call->input_count; i++) {
            snprintf(what, sizeof what, "input %u", (unsigned)i);
            TN_TRY(tn_infer_same_shape(call->host, what, &call->inputs[i].shape, &shape));
        }
        for (uint32_t i = 0; i < call->output_count; i++) {
            snprintf(what, sizeof what, "output %u", (unsigned)i);
            TN_TRY(tn_infer_same_shape(call->host, what, &call->outputs[i].shape, &shape));
        }
    }
    return TN_OK;
}

#endif
