/* Numbers that inference takes from constant inputs: extents, axes, pads. */
#ifndef OPS_ONNX_EXTENTS_H
#define OPS_ONNX_EXTENTS_H

#include <tenon/plugin.h>

/* Up to this many numbers: one for each end of each axis. */
enum { MAX_NUMBERS = 2 * TN_MAX_RANK };

struct numbers {
    int32_t is_known; /* 0: the input is no constant (yet), or is absent */
    int32_t count;
    int64_t values[MAX_NUMBERS];
};

/* A vector (or scalar) of int32 or int64, from the elements that inference was given. */
tn_status numbers_of_value(const tn_host *host, const char *what, const tn_view *value,
                           struct numbers *out);

/* In infer: the elements of input `index`. */
tn_status infer_numbers(const tn_infer_call *call, uint32_t index, const char *what,
                        struct numbers *out);

/* The number of elements of a shape, or TN_UNKNOWN; fails when it does not fit 63 bits. */
tn_status count_elements(const tn_host *host, const tn_shape *shape, int64_t *out_count);

#endif
