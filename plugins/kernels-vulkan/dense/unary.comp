// Activation functions of each element by itself.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FUNCTION = 0;
layout(push_constant) uniform Push {
    uint count;
    float slope;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

const uint RELU = 0, SIGMOID = 1, SOFTRELU = 2, SOFTSIGN = 3, TANH = 4, ELU = 5, GELU = 6,
           LEAKY = 7, SELU = 8;

float apply(float x) {
    switch (FUNCTION) {
    case RELU: return is_nan(x) || x > 0.0 ? x : 0.0; // compilers make less a max, without NaN
    case SIGMOID: return logistic(x);
    case SOFTRELU: return (x < 0.0 ? 0.0 : x) + logarithm_of_one_plus(exponential(-abs(x)));
    case SOFTSIGN: return x / (1.0 + abs(x));
    case TANH: return hyperbolic_tangent(x);
    case ELU: return x > 0.0 ? x : slope * exponential_minus_one(x);
    case GELU: return 0.5 * x * (1.0 + error_function(x * 0.70710678118654752440));
    case SELU:
        return 1.0507009873554805 * (x > 0.0 ? x : 1.6732632423543772 * exponential_minus_one(x));
    default: return x < 0.0 ? slope * x : x;
    }
}

void main() {
    uint i = flat_invocation();
    if (i < count) {
        to[i] = ELEMENT(apply(float(from[i])));
    }
}
