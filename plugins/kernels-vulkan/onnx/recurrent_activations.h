/* The activations of LSTM, GRU and RNN, by their names. */
#ifndef KERNELS_VULKAN_ONNX_RECURRENT_ACTIVATIONS_H
#define KERNELS_VULKAN_ONNX_RECURRENT_ACTIVATIONS_H

#include "kernels.h"

typedef struct recurrent_activation {
    uint32_t function; /* as recurrent_cell.comp numbers them */
    float alpha, beta;
} recurrent_activation;

/* `count` names of a list with bars between them, or the usual ones where it is empty. Returns 0
 * when one is missing or not known. */
int32_t recurrent_activations(const char *names, const char *usual, const tn_floats *alphas,
                              const tn_floats *betas, uint32_t count,
                              recurrent_activation *out_activations);

#endif
