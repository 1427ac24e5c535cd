#include <errno.h>
#include <stdlib.h>

#include "dtype.h"
#include "variable_type.h"

static const char *skip_spaces(const char *text) {
    while (*text == ' ') {
        text++;
    }
    return text;
}

/* One extent and what may follow it: a Python 2 L, spaces, a comma. NULL when it is none. */
static const char *parse_extent(const char *text, int64_t *out_extent) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || errno != 0) {
        return NULL;
    }
    *out_extent = value;
    const char *next = skip_spaces(*end == 'L' ? end + 1 : end);
    return *next == ',' ? skip_spaces(next + 1) : next;
}

/* Whether `text` is a list of extents as a whole. */
static int parse_extents(const char *text, tn_shape *shape) {
    const char open = *(text = skip_spaces(text));
    const char close = open == '(' ? ')' : open == '[' ? ']' : '\0';
    shape->rank = 0;
    text = skip_spaces(close != '\0' ? text + 1 : text);
    while (*text != close && *text != '\0') {
        if (shape->rank == TN_MAX_RANK) {
            return 0;
        }
        text = parse_extent(text, &shape->extents[shape->rank++]);
        if (text == NULL) {
            return 0;
        }
    }
    return *text == close && (close == '\0' || *skip_spaces(text + 1) == '\0');
}

tn_status shape_from_text(const tn_host *host, const char *variable, const char *text,
                          int32_t numpy_shapes, tn_shape *out_shape) {
    tn_shape shape = tn_shape_unknown();
    if (strcmp(text, "None") == 0) {
        *out_shape = shape;
        return TN_OK;
    }
    if (!parse_extents(text, &shape)) {
        return tn_fail(host, TN_CORRUPT,
                       "variable '%.80s': " SHAPE_ATTRIBUTE " is '%.80s', not a shape like (2, 3)",
                       variable, text);
    }
    if (!numpy_shapes && shape.rank == 0) {
        shape.rank = TN_UNKNOWN;
    }
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.extents[axis] < 0 || (!numpy_shapes && shape.extents[axis] == 0)) {
            shape.extents[axis] = TN_UNKNOWN;
        }
    }
    *out_shape = shape;
    return TN_OK;
}

tn_status dtype_from_text(const tn_host *host, const char *variable, const char *text,
                          tn_dtype *out_dtype) {
    char *end;
    const long number = strtol(text, &end, 10);
    const tn_dtype dtype = end != text && *end == '\0' ? dtype_from_mxnet(number) : 0;
    if (dtype == 0 && strcmp(text, "-1") != 0) {
        return tn_fail(host, TN_CORRUPT,
                       "variable '%.80s': " DTYPE_ATTRIBUTE
                       " is '%.80s', not the number of an MXNet element type",
                       variable, text);
    }
    *out_dtype = dtype;
    return TN_OK;
}

tn_status storage_from_text(const tn_host *host, const char *variable, const char *text,
                            uint32_t *out_storage) {
    static const char *const numbers[] = {"-1", "0", "1", "2"}; /* in the order of TN_STORAGE_… */
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(text, numbers[i]) == 0) {
            *out_storage = i;
            return TN_OK;
        }
    }
    return tn_fail(host, TN_CORRUPT,
                   "variable '%.80s': " STORAGE_ATTRIBUTE
                   " is '%.80s': expected 0 for dense, 1 for row_sparse or 2 for csr",
                   variable, text);
}

void shape_to_text(const tn_shape *shape, int32_t numpy_shapes, char *text) {
    size_t used = (size_t)snprintf(text, SHAPE_TEXT_SIZE, "(");
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        const int64_t extent = shape->extents[axis];
        const long long shown = extent >= 0 ? extent : numpy_shapes ? -1 : 0;
        used += (size_t)snprintf(text + used, SHAPE_TEXT_SIZE - used, "%s%lld",
                                 axis > 0 ? ", " : "", shown);
    }
    snprintf(text + used, SHAPE_TEXT_SIZE - used, shape->rank == 1 ? ",)" : ")");
}
