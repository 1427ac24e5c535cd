/* Functions with all types of arguments. */
#include "sample.h"

#include <math.h>

static double add(double x, double y) {
    return x + y;
}

static float scale(float x, int8_t by) {
    return x * (float)by;
}

static int64_t sum(int8_t a, int16_t b, int32_t c, int64_t d, uint8_t e, uint16_t f, uint32_t g) {
    return a + b + c + d + e + f + (int64_t)g;
}

static uint64_t same(uint64_t value) {
    return value;
}

static int8_t negate(int8_t value) {
    return (int8_t)-value;
}

static const char *tail(const char *text) {
    return text[0] != '\0' ? text + 1 : text;
}

static int64_t rank(const tn_view *view) {
    return view->rank;
}

static void *pass(void *pointer) {
    return pointer;
}

static int called;

static void touch(void) {
    called++;
}

static int32_t touched(void) {
    return called;
}

#define FUNCTION(NAME, SIGNATURE, DOC)                                                             \
    static const tn_function NAME##_function = {.struct_size = TN_FUNCTION_SIZE,                   \
                                                .doc = DOC,                                        \
                                                .signature = SIGNATURE,                            \
                                                .address = (void (*)(void))NAME}

FUNCTION(add, "f64(f64,f64)", "Adds two numbers.");
FUNCTION(scale, "f32(f32,i8)", NULL);
FUNCTION(sum, "i64(i8,i16,i32,i64,u8,u16,u32)", NULL);
FUNCTION(same, "u64(u64)", NULL);
FUNCTION(negate, "i8(i8)", NULL);
FUNCTION(tail, "text(text)", NULL);
FUNCTION(rank, "i64(view)", NULL);
FUNCTION(pass, "pointer(pointer)", NULL);
FUNCTION(touch, "void()", NULL);
FUNCTION(touched, "i32()", NULL);

static const tn_entry entries[] = {
    TN_ENTRY_FUNCTION("add", &add_function),       TN_ENTRY_FUNCTION("scale", &scale_function),
    TN_ENTRY_FUNCTION("sum", &sum_function),       TN_ENTRY_FUNCTION("same", &same_function),
    TN_ENTRY_FUNCTION("negate", &negate_function), TN_ENTRY_FUNCTION("tail", &tail_function),
    TN_ENTRY_FUNCTION("rank", &rank_function),     TN_ENTRY_FUNCTION("pass", &pass_function),
    TN_ENTRY_FUNCTION("touch", &touch_function),   TN_ENTRY_FUNCTION("touched", &touched_function),
    TN_ENTRY_OP("functions", &sample_op),
};
TN_PLUGIN("functions", "1.0", entries);
