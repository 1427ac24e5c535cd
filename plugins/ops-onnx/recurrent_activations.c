#include <math.h>

#include "recurrent.h"

/* X(name, parameters that it takes, alpha, beta, expression of x, a and b) */
#define ACTIVATIONS(X)                                                                             \
    X(Affine, 2, 1, 0, a *x + b)                                                                   \
    X(Elu, 1, 1, 0, x < 0 ? a * expm1(x) : x)                                                      \
    X(HardSigmoid, 2, 0.2, 0.5, fmin(fmax(a *x + b, 0), 1))                                        \
    X(LeakyRelu, 1, 0.01, 0, x < 0 ? a * x : x)                                                    \
    X(Relu, 0, 0, 0, x < 0 ? 0 : x)                                                                \
    X(ScaledTanh, 2, 1, 1, a *tanh(b *x))                                                          \
    X(Sigmoid, 0, 0, 0, 1 / (1 + exp(-x)))                                                         \
    X(Softplus, 0, 0, 0, x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)))                               \
    X(Softsign, 0, 0, 0, x / (1 + fabs(x)))                                                        \
    X(Tanh, 0, 0, 0, tanh(x))                                                                      \
    X(ThresholdedRelu, 1, 1, 0, x > a ? x : 0)

static const struct {
    const char *name;
    int takes; /* how many of the two */
    double alpha, beta;
} known[] = {
#define ACTIVATION_ROW(NAME, TAKES, ALPHA, BETA, EXPRESSION)                                       \
    [ACTIVATION_##NAME] = {#NAME, TAKES, ALPHA, BETA},
    ACTIVATIONS(ACTIVATION_ROW)};

double apply_activation(const recurrent_activation *activation, double x) {
    const double a = activation->alpha, b = activation->beta;
    switch (activation->function) {
#define ACTIVATION_CASE(NAME, TAKES, ALPHA, BETA, EXPRESSION)                                      \
    case ACTIVATION_##NAME: return EXPRESSION;
        ACTIVATIONS(ACTIVATION_CASE)
    default: return (void)b, x;
    }
}

/* The function whose name, in any case of letters, is the first of the list, which goes on behind
 * it; -1 when there is none. */
static int32_t next_function(const char **list) {
    for (int32_t i = 0; i < ACTIVATION_COUNT; i++) {
        const char *at = *list, *name = known[i].name;
        while (*name != '\0' && (*at | 0x20) == (*name | 0x20)) {
            at++;
            name++;
        }
        if (*name == '\0' && (*at == '\0' || *at == '|')) {
            *list = *at == '|' ? at + 1 : at;
            return i;
        }
    }
    return -1;
}

static const char *usual_activations(recurrent_cell cell) {
    switch (cell) {
    case CELL_LSTM: return "Sigmoid|Tanh|Tanh|Sigmoid|Tanh|Tanh";
    case CELL_GRU: return "Sigmoid|Tanh|Sigmoid|Tanh";
    default: return "Tanh|Tanh";
    }
}

tn_status find_activations(const tn_host *host, const recurrent_attributes *own,
                           recurrent_cell cell, recurrent_activation *out_activations) {
    const int directions = own->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    const char *list = own->activations[0] != '\0' ? own->activations : usual_activations(cell);
    int64_t alphas = 0, betas = 0;
    for (int i = 0; i < directions * cell_activations(cell); i++) {
        const int32_t function = next_function(&list);
        if (function < 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "activation %d of '%s' is missing or not one that is known", i,
                           own->activations);
        }
        out_activations[i] =
            (recurrent_activation){function, known[function].alpha, known[function].beta};
        /* The lists have a number for each function that takes one. */
        if (known[function].takes > 0 && alphas < own->activation_alpha.count) {
            out_activations[i].alpha = own->activation_alpha.values[alphas++];
        }
        if (known[function].takes > 1 && betas < own->activation_beta.count) {
            out_activations[i].beta = own->activation_beta.values[betas++];
        }
    }
    return TN_OK;
}
