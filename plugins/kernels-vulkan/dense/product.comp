// result[b][i][j] = bias + the sum over k of left[b][i][k] * right[b][j][k], tile by tile.
#version 450
#include "common.glsl"
#include "product_push.glsl"

layout(binding = 0) readonly buffer Left { ELEMENT left_elements[]; };
layout(binding = 1) readonly buffer Right { ELEMENT right_elements[]; };
layout(binding = 2) readonly buffer Bias { ELEMENT bias[]; };
layout(binding = 3) writeonly buffer Result { RESULT result[]; };

uint left_base;
uint right_base;

vec4 load_left(uint row, uint term) {
    vec4 values = vec4(0.0);
    [[unroll]] for (uint i = 0; i < 4; i++) {
        if (row + i < rows && term < terms) {
            values[i] = float(left_elements[left_base + (row + i) * left_stride +
                                            term * left_term_stride]);
        }
    }
    return values;
}

vec4 load_right(uint column, uint term) {
    vec4 values = vec4(0.0);
    [[unroll]] for (uint i = 0; i < 4; i++) {
        if (column + i < columns && term < terms) {
            values[i] = float(right_elements[right_base + (column + i) * right_stride +
                                             term * right_term_stride]);
        }
    }
    return values;
}

#include "tiled_product.glsl"

void main() {
    uint tiles_along = (columns + TILE - 1) / TILE;
    uint tiles_down = (rows + TILE - 1) / TILE;
    uint tile = flat_group();
    uint batch = tile / (tiles_along * tiles_down);
    uint tile_row = tile / tiles_along % tiles_down * TILE;
    uint tile_column = tile % tiles_along * TILE;
    if (batch >= batches) {
        return; // the whole workgroup
    }
    left_base = left_first + batch * left_batch_stride;
    right_base = right_first + batch * right_batch_stride;
    multiply(tile_row, tile_column, terms);
    [[unroll]] for (uint i = 0; i < BLOCK; i++) {
        uint row = tile_row + row_of(i);
        [[unroll]] for (uint j = 0; j < BLOCK; j++) {
            uint column = tile_column + column_of(j / 4) + j % 4;
            if (row < rows && column < columns) {
                float sum = sums[i][j / 4][j % 4];
                if (has_bias != 0) {
                    sum += float(bias[bias_first + column]);
                }
                result[result_first + (batch * rows + row) * columns + column] = RESULT(sum);
            }
        }
    }
}
