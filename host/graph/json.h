/* Tenon's own JSON. */
#ifndef TENON_GRAPH_JSON_H
#define TENON_GRAPH_JSON_H

#include <stdbool.h>

#include <tenon/graph.h>

#include "base/text.h"

enum { TNI_JSON_VERSION = 1 };

/* `parameters` (may be NULL) is the name of the companion file that holds the parameters. */
tn_status tni_graph_write_json(const tn_graph *graph, const char *parameters, tni_text *text);

/* `out_parameters` (may be NULL) receives the companion's name or NULL; freed with tni_free. */
tn_status tni_graph_read_json(tn_runtime *runtime, const char *text, size_t size,
                              tn_graph **out_graph, char **out_parameters);

/* Whether the bytes begin like it. */
bool tni_json_recognise(const char *text, size_t size);

#endif
