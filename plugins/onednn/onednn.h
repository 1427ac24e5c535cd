/*
 * What all kernels of this plugin share: the library's engine and stream, and its failures as
 * statuses.
 *
 * oneDNN never starts threads of its own here: primitives are made and executed as for one thread,
 * and a node's work is cut into items that run on the host's threads (program.h). So there is one
 * pool, and a thread that is kept from running by a neighbour loses an item, not half of the work.
 */
#ifndef ONEDNN_ONEDNN_H
#define ONEDNN_ONEDNN_H

#include <dnnl.h>

#include <tenon/plugin.h>

typedef struct onednn_library {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
} onednn_library;

static inline const onednn_library *onednn_library_of(const tn_host *host) {
    return host->plugin_state;
}

/* OK, or the library's failure with the name of the call that it came from. */
tn_status onednn_check(const tn_host *host, dnnl_status_t status, const char *call);

#define ONEDNN_TRY(host, call) TN_TRY(onednn_check(host, call, #call))

/* The attributes of a primitive: its scratchpad is given to it. To be destroyed. */
tn_status onednn_attributes(const tn_host *host, dnnl_primitive_attr_t *out_attributes);

/* Describes a primitive with such attributes, of which `wanted` says what the library wants to
 * know; `what` is for its failure. */
tn_status onednn_describe(const tn_host *host, const void *wanted, const char *what,
                          dnnl_primitive_desc_t *out);

/* The kernels' functions. */
int32_t convolution_supports(const tn_kernel_query *query);
tn_status convolution_prepare(tn_prepare_call *call);
void convolution_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs);
int32_t pooling_supports(const tn_kernel_query *query);
tn_status pooling_prepare(tn_prepare_call *call);

/* For kernels whose first input and output have channels. */
void channels_last_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs);

#endif
