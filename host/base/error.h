/* The error text of each thread, built from the inside outwards. */
#ifndef TENON_BASE_ERROR_H
#define TENON_BASE_ERROR_H

#include <stdarg.h>

#include <tenon/api.h>

/* Replaces this thread's text. */
__attribute__((format(printf, 1, 2))) void tni_error_set(const char *format, ...);

/* The same, as an expression whose value is `status`. A macro, so that the compiler sees that the
 * value is a failure. */
#define tni_fail(status, ...) (tni_error_set(__VA_ARGS__), (tn_status)(status))

/* Puts "text: " in front of this thread's text and returns `status`; does nothing for TN_OK. */
__attribute__((format(printf, 2, 3))) tn_status tni_in(tn_status status, const char *format, ...);

/* Empties the text, so that a failure without one is not given another's. */
void tni_error_clear(void);

/* Gives a failure without a text the status's own sentence. For results of plugin code. */
tn_status tni_error_complete(tn_status status);

tn_status tni_fail_memory(uint64_t size);

#define TNI_TRY(expression)                                                                        \
    do {                                                                                           \
        const tn_status tni_try_status_ = (expression);                                            \
        if (tni_try_status_ != TN_OK) {                                                            \
            return tni_try_status_;                                                                \
        }                                                                                          \
    } while (0)

#endif
