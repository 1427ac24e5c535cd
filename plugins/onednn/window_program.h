/*
 * Programs of nodes that slide a window over images: every item computes some rows of some images
 * by the primitive of its rows. What a convolution and a pooling have in common.
 */
#ifndef ONEDNN_WINDOW_PROGRAM_H
#define ONEDNN_WINDOW_PROGRAM_H

#include "program.h"
#include "window.h"

typedef struct window_job window_job;

/* What a primitive is described by, for one part of the rows. */
typedef struct window_part {
    row_part rows;
    dnnl_memory_desc_t source, target;
    dnnl_dims_t strides, pads, pads_behind;
} window_part;

/* A node; a kernel's own struct begins with it. */
struct window_job {
    const tn_view *data, *output;
    const tn_view *addend; /* NULL, or what is added to the result: input number addend_input */
    uint32_t addend_input;
    int32_t is_transposed; /* a deconvolution: the output is what the window moves over */
    int32_t keeps_target;  /* items leave their results in their own memory */
    window_shape window;
    image_split split;
    tn_status (*describe)(const tn_host *host, const window_job *job, const window_part *part,
                          dnnl_primitive_desc_t *out);
    /* NULL, or: gives the program what all items share, before there are any. */
    tn_status (*begin)(tn_prepare_call *call, const window_job *job, program *made);
    /* NULL, or: adds what an item has besides source, target and scratchpad. */
    tn_status (*add_arguments)(const tn_host *host, const window_job *job, const program *made,
                               const_dnnl_primitive_desc_t descriptor, program_item *item);
};

/* Describes the primitive of part `part` of job->split.parts. */
tn_status window_job_describe(const tn_host *host, const window_job *job, int64_t part,
                              row_part *out_rows, dnnl_primitive_desc_t *out);

/* Makes the program, which becomes the kernel's state. */
tn_status window_program_prepare(tn_prepare_call *call, const window_job *job);

/* Hands input 2 of the node to an item, as the argument `id` of its primitive. NULL: there is none.
 */
tn_status window_add_bias(const tn_host *host, const tn_view *bias, int id,
                          const dnnl_memory_desc_t *descriptor, program_item *item);

#endif
