/* The passes of this plugin; each is in the file of its name. */
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include <tenon/plugin.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Fields of a tn_pass: its options, and the struct that the host fills in by them. */
#define PASS_OPTIONS(TABLE, STRUCT)                                                                \
    .options = (TABLE), .option_count = COUNT_OF(TABLE), .option_stride = TN_ATTRIBUTE_STRIDE,     \
    .options_size = sizeof(STRUCT)

extern const tn_pass remove_dead_nodes;
extern const tn_pass merge_equal_nodes;
extern const tn_pass remove_identity;
extern const tn_pass fold_constants;
extern const tn_pass simplify_transpose;
extern const tn_pass simplify_reshape;
extern const tn_pass fold_batch_norm;
extern const tn_pass fuse_convolution;
extern const tn_pass fuse_quantize;
extern const tn_pass fuse_elementwise;
extern const tn_pass convert_dtype;
extern const tn_pass choose_layout;

#endif
