// A convolution as a matrix product whose right operand is gathered on the way to shared memory.
#version 450
#include "common.glsl"
#include "convolution.glsl"

uint group;
Place columns_places[4]; // of the four columns that the invocation loads

vec4 load_left(uint row, uint term) {
    vec4 values = vec4(0.0);
    if (term < terms) {
        uint channel = term / KERNEL_COUNT;
        uint element = term % KERNEL_COUNT;
        [[unroll]] for (uint i = 0; i < 4; i++) {
            if (row + i < filters) {
                values[i] = weight_at(group, row + i, channel, element);
            }
        }
    }
    return values;
}

vec4 load_right(uint column, uint term) {
    vec4 values = vec4(0.0);
    if (term < terms) {
        uint channel = term / KERNEL_COUNT;
        ivec3 at = kernel_place(term % KERNEL_COUNT);
        [[unroll]] for (uint i = 0; i < 4; i++) {
            if (column + i < columns) {
                values[i] = data_at(columns_places[i], channel, at);
            }
        }
    }
    return values;
}

#include "tiled_product.glsl"

void main() {
    uint tiles_along = (columns + TILE - 1) / TILE;
    uint tiles_down = (filters + TILE - 1) / TILE;
    uint tile = flat_group();
    uint tile_row = tile % tiles_down * TILE;
    uint tile_column = tile / tiles_down % tiles_along * TILE;
    group = tile / tiles_down / tiles_along;
    if (group >= groups) {
        return; // the whole workgroup
    }
    [[unroll]] for (uint i = 0; i < 4; i++) {
        columns_places[i] =
            place_of(tile_column + gl_LocalInvocationIndex % QUADS * 4 + i, group);
    }
    multiply(tile_row, tile_column, terms);
    [[unroll]] for (uint i = 0; i < BLOCK; i++) {
        uint row = tile_row + row_of(i);
        [[unroll]] for (uint j = 0; j < BLOCK; j++) {
            uint column = tile_column + column_of(j / 4) + j % 4;
            if (row < filters && column < columns) {
                store_result(group, row, column, sums[i][j / 4][j % 4]);
            }
        }
    }
}
