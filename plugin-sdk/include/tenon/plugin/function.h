/*
 * Kind "function", version 1: a C function with a typed signature, to be called by name from the
 * command line, from other languages, or from another plugin. The entry's name is the function's.
 *
 * A signature is written "f64(f64,f64)": the result, then the arguments. The types are
 *   void (result only)  i8 i16 i32 i64  u8 u16 u32 u64  f32 f64
 *   text     const char *, NUL-terminated, borrowed for the call
 *   view     const tn_view *, borrowed for the call
 *   pointer  void *
 * A signature is case-sensitive and has no spaces; at most 32 arguments [TN-REQ-070].
 */
#ifndef TENON_PLUGIN_FUNCTION_H
#define TENON_PLUGIN_FUNCTION_H

#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

typedef struct tn_function {
    uint32_t struct_size;
    uint32_t reserved;
    const char *doc;
    const char *signature;
    void (*address)(void); /* [any] the function, cast */
} tn_function;

#define TN_FUNCTION_VERSION 1u
#define TN_FUNCTION_SIZE TN_STRUCT_END(tn_function, address)
#define TN_ENTRY_FUNCTION(NAME, IMPL)                                                              \
    { TN_KIND_FUNCTION, NAME, TN_FUNCTION_VERSION, 0, IMPL }

#endif
