/* What convolutions that compute in double share. */
#ifndef OPS_ONNX_CONVOLUTION_H
#define OPS_ONNX_CONVOLUTION_H

#include <tenon/plugin.h>

/* Planes of `size` elements as the channels of group `group` in the output, of whose groups,
 * counted through the batch, this is number `number`; with the bias, which may be NULL, added. */
void store_planes(const tn_view *output, const tn_view *bias, const double *planes,
                  int64_t channels, int64_t size, int64_t group, int64_t number);

#endif
