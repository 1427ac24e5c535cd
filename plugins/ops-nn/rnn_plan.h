/* The sizes and the scratch memory of a node with the operator RNN. */
#ifndef OPS_NN_RNN_PLAN_H
#define OPS_NN_RNN_PLAN_H

#include "matrix_product.h"
#include "rnn.h"

/* Offsets in the workspace. All its parts hold reals. */
typedef struct rnn_plan {
    const rnn_attributes *attributes;
    tn_dtype dtype; /* of the reals */
    int64_t steps;
    int64_t batch;
    int64_t features;
    int64_t gates; /* elements in the gates of one step of one sequence */
    uint64_t data; /* half precision inputs, widened */
    uint64_t parameters;
    uint64_t input_gates; /* of all steps */
    uint64_t state_gates; /* of one step */
    uint64_t state;
    uint64_t cell;
    uint64_t outputs[2];    /* of even and odd layers */
    uint64_t state_weights; /* packed */
    uint64_t product;       /* what a matrix product needs */
    uint64_t size;          /* of the workspace; more than INT64_MAX when it is too large */
} rnn_plan;

rnn_plan rnn_plan_of(const rnn_attributes *given, const tn_view *data, const tn_view *parameters);

/* What a layer's inputs add to the gates of all steps; operands' data and result are not set. */
matrix_product rnn_input_product(const rnn_plan *plan, int64_t layer);

/* What the states add to the gates of one step. */
matrix_product rnn_state_product(const rnn_plan *plan);

#endif
