/* The two-argument and three-argument functions of the C library's mathematics, callable by name.
 */
#include <math.h>

#include <tenon/plugin.h>

/* name, signature, what it computes */
#define FUNCTIONS(X)                                                                               \
    X(hypot, "f64(f64,f64)", "The length of the vector (x, y), without undue overflow.")           \
    X(pow, "f64(f64,f64)", "x to the power y.")                                                    \
    X(fmod, "f64(f64,f64)", "The remainder of x / y, with the sign of x.")                         \
    X(remainder, "f64(f64,f64)", "x minus the multiple of y that is nearest to x.")                \
    X(atan2, "f64(f64,f64)", "The angle of the point (y, x), in radians.")                         \
    X(copysign, "f64(f64,f64)", "x with the sign of y.")                                           \
    X(nextafter, "f64(f64,f64)", "The next double after x in the direction of y.")                 \
    X(fdim, "f64(f64,f64)", "x - y where that is positive, otherwise 0.")                          \
    X(fma, "f64(f64,f64,f64)", "x y + z, rounded once.")                                           \
    X(ldexp, "f64(f64,i32)", "x times 2 to the power n.")                                          \
    X(sqrt, "f64(f64)", "The square root.")                                                        \
    X(cbrt, "f64(f64)", "The cube root.")                                                          \
    X(exp, "f64(f64)", "e to the power x.")                                                        \
    X(log, "f64(f64)", "The natural logarithm.")                                                   \
    X(sin, "f64(f64)", "The sine of an angle in radians.")                                         \
    X(cos, "f64(f64)", "The cosine of an angle in radians.")                                       \
    X(tan, "f64(f64)", "The tangent of an angle in radians.")                                      \
    X(erf, "f64(f64)", "The error function.")                                                      \
    X(tgamma, "f64(f64)", "The gamma function.")

#define DEFINE(NAME, SIGNATURE, DOC)                                                               \
    static const tn_function NAME##_function = {.struct_size = TN_FUNCTION_SIZE,                   \
                                                .doc = DOC,                                        \
                                                .signature = SIGNATURE,                            \
                                                .address = (void (*)(void))NAME};
FUNCTIONS(DEFINE)

#define ENTRY(NAME, SIGNATURE, DOC) TN_ENTRY_FUNCTION(#NAME, &NAME##_function),
static const tn_entry entries[] = {FUNCTIONS(ENTRY)};

TN_PLUGIN("functions-math", "0.1.0", entries);
