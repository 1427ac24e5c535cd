/* The layout of a convolution's weights, which all primitives of a node share. */
#ifndef ONEDNN_WEIGHTS_LAYOUT_H
#define ONEDNN_WEIGHTS_LAYOUT_H

#include "window_program.h"

/* One layout for all parts, to *packed, which job->describe reads. Parts differ in rows and
 * padding, and so may like different ones; when none is good for all, the rows are not cut. `any`
 * leaves the layout open. */
tn_status choose_weights_layout(const tn_host *host, window_job *job, const dnnl_memory_desc_t *any,
                                dnnl_memory_desc_t *packed);

#endif
