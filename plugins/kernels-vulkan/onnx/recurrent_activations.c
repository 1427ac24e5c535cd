#include "recurrent_activations.h"

/* In the order of recurrent_cell.comp. */
static const struct {
    const char *name;
    int takes; /* how many of the two */
    float alpha, beta;
} known[] = {{"Affine", 2, 1, 0},
             {"Elu", 1, 1, 0},
             {"HardSigmoid", 2, 0.2F, 0.5F},
             {"LeakyRelu", 1, 0.01F, 0},
             {"Relu", 0, 0, 0},
             {"ScaledTanh", 2, 1, 1},
             {"Sigmoid", 0, 0, 0},
             {"Softplus", 0, 0, 0},
             {"Softsign", 0, 0, 0},
             {"Tanh", 0, 0, 0},
             {"ThresholdedRelu", 1, 1, 0}};

/* The function whose name, in any case of letters, begins the list, which goes on behind it. */
static int32_t next_function(const char **names) {
    for (uint32_t i = 0; i < COUNT_OF(known); i++) {
        const char *at = *names, *name = known[i].name;
        while (*name != '\0' && (*at | 0x20) == (*name | 0x20)) {
            at++;
            name++;
        }
        if (*name == '\0' && (*at == '\0' || *at == '|')) {
            *names = *at == '|' ? at + 1 : at;
            return (int32_t)i;
        }
    }
    return -1;
}

int32_t recurrent_activations(const char *names, const char *usual, const tn_floats *alphas,
                              const tn_floats *betas, uint32_t count,
                              recurrent_activation *out_activations) {
    const char *list = names[0] != '\0' ? names : usual;
    int64_t alpha = 0, beta = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t function = next_function(&list);
        if (function < 0) {
            return 0;
        }
        recurrent_activation *made = &out_activations[i];
        *made =
            (recurrent_activation){(uint32_t)function, known[function].alpha, known[function].beta};
        /* The lists have a number for each function that takes one. */
        if (known[function].takes > 0 && alpha < alphas->count) {
            made->alpha = (float)alphas->values[alpha++];
        }
        if (known[function].takes > 1 && beta < betas->count) {
            made->beta = (float)betas->values[beta++];
        }
    }
    return 1;
}
