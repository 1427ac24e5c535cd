/*
 * What SequenceMask, SequenceReverse and SequenceLast share. Their data holds a batch of sequences:
 * one of its first two axes counts the steps, the other one the sequences, and the input
 * sequence_length may say how many steps of each sequence count.
 */
#ifndef OPS_NN_SEQUENCE_H
#define OPS_NN_SEQUENCE_H

#include "description.h"

typedef struct sequence_attributes {
    int32_t use_sequence_length;
    double value; /* SequenceMask only */
    int64_t axis;
} sequence_attributes;

#define SEQUENCE_LENGTH_FIELD                                                                      \
    TN_FIELD(sequence_attributes, use_sequence_length, BOOL, "False", NULL,                        \
             "Takes the input sequence_length; otherwise all steps count.")

extern const char *const sequence_input_names[2];  /* "data", "sequence_length" */
extern const char *const sequence_output_names[1]; /* "output" */

tn_status sequence_arity(tn_arity_call *call);

/* sequence_length follows from data. */
tn_status sequence_infer_length(tn_infer_call *call);

/* For operators whose output has the type of data. */
tn_status sequence_infer(tn_infer_call *call);

int32_t sequence_supports(const tn_kernel_query *query);

/* Where the parts of data that belong to one step of one sequence lie. */
typedef struct sequence_layout {
    const char *data;
    const tn_view *lengths; /* or NULL */
    int64_t steps;
    int64_t sequences;
    int64_t part_length; /* in elements */
    size_t element_size;
    size_t part_size;    /* in bytes */
    int64_t step_stride; /* in parts */
    int64_t sequence_stride;
} sequence_layout;

sequence_layout sequence_layout_of(const tn_run_call *call);

/* How many steps of a sequence count. */
int64_t sequence_steps(const sequence_layout *layout, int64_t sequence);

static inline size_t sequence_offset(const sequence_layout *layout, int64_t step,
                                     int64_t sequence) {
    return (size_t)(step * layout->step_stride + sequence * layout->sequence_stride) *
           layout->part_size;
}

/* How many parts make a worthwhile share of a parallel loop. */
int64_t sequence_grain(const sequence_layout *layout);

#endif
