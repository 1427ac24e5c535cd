#ifndef OPS_NN_UPSAMPLING_H
#define OPS_NN_UPSAMPLING_H

#include <tenon/plugin.h>

enum { UPSAMPLING_NEAREST, UPSAMPLING_BILINEAR };
enum { UPSAMPLING_CONCAT, UPSAMPLING_SUM };

typedef struct upsampling_attributes {
    int64_t scale;
    int64_t num_filter;
    int64_t num_args;
    int64_t workspace;
    int32_t sample_type;
    int32_t multi_input_mode;
} upsampling_attributes;

/* The deconvolution that enlarges by `scale`: its stride is the scale. */
typedef struct upsampling_kernel_size {
    int64_t kernel;
    int64_t pad;
} upsampling_kernel_size;

static inline upsampling_kernel_size upsampling_kernel_size_of(int64_t scale) {
    return (upsampling_kernel_size){.kernel = 2 * scale - scale % 2, .pad = scale / 2};
}

#endif
