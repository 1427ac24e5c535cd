/*
 * What every header of the embedding API builds on: status codes, plain types, error texts.
 *
 * Conventions of the API, stated once:
 *   - Functions that can fail return tn_status; outputs come last, start with `out_`, and are
 *     untouched on failure. The text of the last failure on this thread is tn_error_message().
 *   - `create`/`destroy` and `open`/`close` make and end objects, `retain`/`release` count them;
 *     the ending functions accept NULL. `find` answers NULL (or TN_NOT_FOUND) without blame.
 *   - Structs with a `struct_size` are filled in by whoever owns them: options by the caller (set
 *     it with the TN_…_SIZE macro), infos by the library up to the size the caller states.
 *   - Thread labels as in tenon/plugin.h. Unless a function says otherwise it is [any]: it may be
 *     called from any thread; calls on one object that change it are [serial].
 *   - Nothing in the library ends the process, prints, or changes process-wide state.
 */
#ifndef TENON_API_H
#define TENON_API_H

#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

#ifdef __cplusplus
#define TN_API extern "C" __attribute__((visibility("default")))
#else
#define TN_API extern __attribute__((visibility("default")))
#endif

/* The library's version, "0.1.0". */
TN_API const char *tn_version(void);

/* "INVALID_ARGUMENT" for a status; "UNKNOWN" for a number that is none. */
TN_API const char *tn_status_name(tn_status status);

/* "an argument is not valid" */
TN_API const char *tn_status_sentence(tn_status status);

/* The text of the last failure on this thread, outermost context first: "run: node 'conv0'
 * (Convolution): …". Never NULL; empty before any failure. Valid until the next call into the
 * library on this thread. */
TN_API const char *tn_error_message(void);

/* "float32" for TN_F32; "unknown" for what is none. */
TN_API const char *tn_dtype_text(tn_dtype dtype);

/* The dtype of a name: "float32" or "f32", "int8" or "i8", "bool", "bfloat16" or "bf16"; 0 when
 * none has it. */
TN_API tn_dtype tn_dtype_from_text(const char *text);

#endif
