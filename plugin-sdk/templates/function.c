/*
 * A function that is called by name: `tenon call @NAME@ 3 4`. This line builds it; nothing of Tenon
 * is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <tenon/plugin.h>

static double length(double x, double y) {
    return x * x + y * y;
}

/* The signature must say what the function is: nobody else can check it. */
static const tn_function function = {.struct_size = TN_FUNCTION_SIZE,
                                     .doc = "The square of the length of (x, y).",
                                     .signature = "f64(f64,f64)",
                                     .address = (void (*)(void))length};

static const tn_entry entries[] = {TN_ENTRY_FUNCTION("@NAME@", &function)};
TN_PLUGIN("@NAME@", "0.1.0", entries);
