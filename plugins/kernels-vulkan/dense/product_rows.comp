// The matrix product with one result for each LANES invocations, which share its terms: for few
// rows, and for products with many terms and few results.
#version 450
#include "common.glsl"
#include "product_push.glsl"
#include "lanes.glsl"

layout(binding = 0) readonly buffer Left { ELEMENT left_elements[]; };
layout(binding = 1) readonly buffer Right { ELEMENT right_elements[]; };
layout(binding = 2) readonly buffer Bias { ELEMENT bias[]; };
layout(binding = 3) writeonly buffer Result { RESULT result[]; };

void main() {
    uint index = lane_row();
    bool is_there = index < batches * rows * columns;
    uint column = index % columns;
    uint row = index / columns % rows;
    uint batch = index / columns / rows;
    uint left = left_first + batch * left_batch_stride + row * left_stride;
    uint right = right_first + batch * right_batch_stride + column * right_stride;
    Sum products = Sum(0.0, 0.0, 0);
    if (is_there) {
        for (uint k = lane(); k < terms; k += LANES) {
            add_to(products, float(left_elements[left + k * left_term_stride]) *
                                 float(right_elements[right + k * right_term_stride]));
        }
    }
    float sum = lanes_sum(products.whole + products.part);
    if (is_there && lane() == 0) {
        if (has_bias != 0) {
            sum += float(bias[bias_first + column]);
        }
        result[result_first + index] = RESULT(sum);
    }
}
