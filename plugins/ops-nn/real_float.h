/*
 * Included before a template: its REAL is float and its names end in _f32. A template is a header
 * without a guard that is included once after real_float.h and once after real_double.h.
 */
#undef REAL
#undef REAL_DTYPE
#undef REAL_NAME
#undef REAL_MATH
#undef OTHER_REAL
#define REAL float
#define REAL_DTYPE TN_F32
#define REAL_NAME(base) base##_f32
#define REAL_MATH(function) function##f
#define OTHER_REAL double
