/* Included before a template: its REAL is double and its names end in _f64; see real_float.h. */
#undef REAL
#undef REAL_DTYPE
#undef REAL_NAME
#undef REAL_MATH
#undef OTHER_REAL
#define REAL double
#define REAL_DTYPE TN_F64
#define REAL_NAME(base) base##_f64
#define REAL_MATH(function) function
#define OTHER_REAL float
