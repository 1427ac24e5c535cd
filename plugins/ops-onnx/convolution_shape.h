/* Attributes and sizes that Conv, ConvTranspose and DeformConv share. */
#ifndef OPS_ONNX_CONVOLUTION_SHAPE_H
#define OPS_ONNX_CONVOLUTION_SHAPE_H

#include "window_columns.h"

typedef struct convolution_attributes {
    window_attributes window;
    tn_ints output_padding;
    tn_ints output_shape;
    int64_t group;
    int64_t offset_group;
} convolution_attributes;

#define CONVOLUTION_FIELDS                                                                         \
    WINDOW_FIELDS(convolution_attributes),                                                         \
        TN_FIELD(convolution_attributes, group, INT, "1", "[1,2147483647]",                        \
                 "Into how many groups the channels are divided; each is convolved for itself.")

/* The window of a convolution, and of a transposed one: that of the convolution which has the
 * output as its data. */
tn_status convolution_window(const tn_host *host, const convolution_attributes *own,
                             const tn_shape *data, const tn_shape *weight,
                             sliding_window *out_window);
tn_status transposed_window(const tn_host *host, const convolution_attributes *own,
                            const tn_shape *data, const tn_shape *weight,
                            sliding_window *out_window);

/* Output 0 of a convolution, from data, weight and, unless it is absent, a bias. */
tn_status infer_convolution(tn_infer_call *call, uint32_t data, uint32_t weight, uint32_t bias);

/* a * b + c of sizes that are not negative, for a workspace; fails when it is too large. */
tn_status add_workspace(const tn_host *host, int64_t a, int64_t b, uint64_t *size);

#endif
