/*
 * Calling the C functions that plugins offer, by name. For cold, user-declared calls: a call costs
 * about ten times a plain one. Signatures are described in tenon/plugin/function.h.
 */
#ifndef TENON_FUNCTION_H
#define TENON_FUNCTION_H

#include <tenon/runtime.h>

/* One argument or result; the signature says which member counts. */
typedef union tn_argument {
    int64_t i;           /* i8 to i64 */
    uint64_t u;          /* u8 to u64 */
    double f;            /* f32, f64 */
    const char *text;    /* text */
    const tn_view *view; /* view */
    void *pointer;       /* pointer */
} tn_argument;

/* The signature and documentation of a function; both live as long as its plugin. */
TN_API tn_status tn_function_find(tn_runtime *runtime, const char *name, const char **out_signature,
                                  const char **out_doc);

/* Calls it. The number of arguments must be the signature's; integers must fit their type. */
TN_API tn_status tn_function_call(tn_runtime *runtime, const char *name,
                                  const tn_argument *arguments, uint32_t argument_count,
                                  tn_argument *out_result);

/* Calls it with texts, converted as the signature says, and writes the result as a text. `view` and
 * `pointer` arguments are INVALID_ARGUMENT here. */
TN_API tn_status tn_function_call_text(tn_runtime *runtime, const char *name,
                                       const char *const *arguments, uint32_t argument_count,
                                       char *out_text, size_t out_size);

#endif
