/* Template, see activation.c. */

static void REAL_NAME(activate)(const void *parameters, const REAL *x, REAL *y, int64_t count) {
    const activation_attributes *given = parameters;
    switch (given->act_type) {
    case ACTIVATION_RELU:
        for (int64_t i = 0; i < count; i++) {
            y[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays NaN */
        }
        break;
    case ACTIVATION_SIGMOID:
        for (int64_t i = 0; i < count; i++) {
            y[i] = REAL_NAME(sigmoid)(x[i]);
        }
        break;
    case ACTIVATION_SOFTRELU:
        for (int64_t i = 0; i < count; i++) { /* exp of a negative number cannot overflow */
            const REAL positive = x[i] < 0 ? 0 : x[i];
            y[i] = positive + REAL_MATH(log1p)(REAL_NAME(exponential)(-REAL_MATH(fabs)(x[i])));
        }
        break;
    case ACTIVATION_SOFTSIGN:
        for (int64_t i = 0; i < count; i++) {
            y[i] = x[i] / (1 + REAL_MATH(fabs)(x[i]));
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            y[i] = REAL_NAME(hyperbolic_tangent)(x[i]);
        }
        break;
    }
}
