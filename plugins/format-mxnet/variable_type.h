/* The texts that MXNet attaches to a variable to say its type: __shape__, __dtype__ and
 * __storage_type__. */
#ifndef FORMAT_MXNET_VARIABLE_TYPE_H
#define FORMAT_MXNET_VARIABLE_TYPE_H

#include <tenon/plugin.h>

#define SHAPE_ATTRIBUTE "__shape__"
#define DTYPE_ATTRIBUTE "__dtype__"
#define STORAGE_ATTRIBUTE "__storage_type__"

/* "(2, 3)", "[2,3]", "(2,)", "2", "(2L, 3L)", "()" or "None". In classic mode an extent of 0 and
 * an empty shape are unknown; with numpy shapes they are what they say, and -1 is unknown.
 * `variable` is for the message. */
tn_status shape_from_text(const tn_host *host, const char *variable, const char *text,
                          int32_t numpy_shapes, tn_shape *out_shape);

/* MXNet's number of an element type; -1: not known. */
tn_status dtype_from_text(const tn_host *host, const char *variable, const char *text,
                          tn_dtype *out_dtype);

/* MXNet's number of a storage: 0 dense, 1 row_sparse, 2 csr; -1: not known. */
tn_status storage_from_text(const tn_host *host, const char *variable, const char *text,
                            uint32_t *out_storage);

/* Room for the longest text that shape_to_text makes. */
#define SHAPE_TEXT_SIZE ((size_t)TN_MAX_RANK * 24 + 8)

/* "(2, 3)" as MXNet's Python side writes it. The rank must be known. */
void shape_to_text(const tn_shape *shape, int32_t numpy_shapes, char *text);

#endif
