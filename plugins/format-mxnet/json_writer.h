/* Writes JSON in the layout of MXNet's own files, so that the two can be compared by text. */
#ifndef FORMAT_MXNET_JSON_WRITER_H
#define FORMAT_MXNET_JSON_WRITER_H

#include <tenon/plugin.h>

#include "symbol.h"

/* A node's subgraph adds four levels: its list, itself, its nodes, a node. */
enum { JSON_WRITER_MAX_DEPTH = 4 * (SYMBOL_MAX_NESTING + 1) + 4 };

struct json_scope {
    int32_t is_array;
    int32_t is_multi_line;
    uint32_t item_count;
};

struct json_writer {
    const tn_byte_sink *sink;
    tn_status status; /* of the first write that failed; later ones do nothing */
    uint32_t depth;
    struct json_scope scopes[JSON_WRITER_MAX_DEPTH];
};

void json_writer_begin_object(struct json_writer *writer, int multi_line);
void json_writer_begin_array(struct json_writer *writer, int multi_line);
/* Ends the innermost object or array. */
void json_writer_end(struct json_writer *writer);

/* The key of the next value of an object. */
void json_writer_key(struct json_writer *writer, const char *key);
/* Goes before each value of an array. */
void json_writer_item(struct json_writer *writer);

void json_writer_string(struct json_writer *writer, const char *text);
void json_writer_number(struct json_writer *writer, int64_t number);

/* A list of numbers, on one line when it is short. */
void json_writer_begin_list(struct json_writer *writer, uint64_t count);

#endif
