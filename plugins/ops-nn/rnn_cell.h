/* One step of a recurrent layer in one direction, for a batch. */
#ifndef OPS_NN_RNN_CELL_H
#define OPS_NN_RNN_CELL_H

#include "rnn.h"

/* All memory holds reals of `dtype`, float32 or float64. */
typedef struct rnn_step {
    const rnn_attributes *attributes;
    tn_dtype dtype;
    int64_t batch;
    const void *input_gates; /* (batch, gates * state_size): what the step's input adds */
    const void *state_gates; /* the same for the state */
    void *state;             /* (batch, state_size), becomes the new one */
    void *cell;              /* the same, for an LSTM */
    void *output;            /* of the first sequence */
    int64_t output_stride;   /* from one sequence to the next */
    const tn_view *lengths;  /* NULL, or how many steps of each sequence count */
    int64_t index;           /* of the step */
} rnn_step;

void rnn_step_run(const tn_host *host, const rnn_step *step);

#endif
