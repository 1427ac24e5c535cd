// Activation functions of one element, by number.
const uint RELU = 0, SIGMOID = 1, SOFTRELU = 2, SOFTSIGN = 3, TANH = 4, ELU = 5, GELU = 6,
           LEAKY = 7, SELU = 8, CLIP = 9, SWISH = 10, IDENTITY = 11;

float activate(uint function, float x, float alpha, float beta) {
    switch (function) {
    case RELU: return is_nan(x) || x > 0.0 ? x : 0.0; // compilers make less a max, without NaN
    case SIGMOID: return logistic(x);
    case SOFTRELU: return (x < 0.0 ? 0.0 : x) + logarithm_of_one_plus(exponential(-abs(x)));
    case SOFTSIGN: return x / (1.0 + abs(x));
    case TANH: return hyperbolic_tangent(x);
    case ELU: return x > 0.0 ? x : alpha * exponential_minus_one(x);
    case GELU: return 0.5 * x * (1.0 + error_function(x * 0.70710678118654752440));
    case SELU:
        return 1.0507009873554805 * (x > 0.0 ? x : 1.6732632423543772 * exponential_minus_one(x));
    case CLIP: return is_nan(x) ? x : x < alpha ? alpha : x > beta ? beta : x;
    case SWISH: return x * logistic(x);
    case IDENTITY: return x;
    default: return x < 0.0 ? alpha * x : x;
    }
}
