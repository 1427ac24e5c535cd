/*
 * Status codes: the one result type of every call that can fail, in plugins, in the host and in
 * the embedding API. The list below yields code, name and sentence together, so that they cannot
 * drift apart. Codes are fixed for ever; new ones are added at the end [TN-REQ-001].
 */
#ifndef TENON_PLUGIN_STATUS_H
#define TENON_PLUGIN_STATUS_H

#include <stdint.h>

/* X(code, NAME, sentence) */
#define TN_STATUS_LIST(X)                                                                          \
    X(0, OK, "success")                                                                            \
    X(1, INVALID_ARGUMENT, "an argument is not valid")                                             \
    X(2, NOT_FOUND, "the thing asked for does not exist")                                          \
    X(3, ALREADY_EXISTS, "the name is already taken")                                              \
    X(4, OUT_OF_MEMORY, "memory could not be had")                                                 \
    X(5, UNSUPPORTED, "this is valid, but nothing here can do it")                                 \
    X(6, INCOMPATIBLE, "the two sides do not speak the same contract")                             \
    X(7, FAILED_PRECONDITION, "the object is not in a state that allows the call")                 \
    X(8, OUT_OF_RANGE, "an index or size is beyond the object's bounds")                           \
    X(9, CORRUPT, "the data does not follow its format")                                           \
    X(10, IO, "the system could not read or write")                                                \
    X(11, CANCELLED, "the work was cancelled")                                                     \
    X(12, TIMEOUT, "the deadline passed first")                                                    \
    X(13, BUSY, "the object is still in use")                                                      \
    X(14, DENIED, "a rule of trust forbids it")                                                    \
    X(15, DEVICE_LOST, "the device is gone")                                                       \
    X(16, UNAVAILABLE, "the service or device is not there now")                                   \
    X(17, INTERNAL, "a fault of the library or of a plugin")

/* A fixed-width integer, not an enum type: the width of an enum is the compiler's choice. */
typedef int32_t tn_status;

enum {
#define TN_STATUS_ENUM(code, name, sentence) TN_##name = code,
    TN_STATUS_LIST(TN_STATUS_ENUM)
#undef TN_STATUS_ENUM
};

#endif
