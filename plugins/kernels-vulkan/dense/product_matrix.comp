// The matrix product of float16 on matrix units: a tile of 128 * 128 results for a workgroup of
// eight subgroups of 32, each with 64 * 32 of them, summed up in float. For operands of which eight
// elements follow one another at multiples of eight, and rows and columns in sixteens.
#version 450
#include "common.glsl"
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "product_push.glsl"
#define DEPTH 64
#define TILE 128
#define PARTS (DEPTH * TILE / 8 / 256) // of either operand, that an invocation brings

layout(local_size_x = 256) in;
layout(constant_id = 0) const bool LEFT_ALONG_TERMS = true;
layout(constant_id = 1) const bool RIGHT_ALONG_TERMS = false;

layout(binding = 0) readonly buffer Left { uvec4 left_elements[]; }; // eight elements each
layout(binding = 1) readonly buffer Right { uvec4 right_elements[]; };
layout(binding = 2) readonly buffer Bias { float16_t bias[]; };
layout(binding = 3) writeonly buffer Result { float16_t result[]; };

// As the operands lie in memory: rows of terms, or terms of rows. One more at the end of each keeps
// rows that are read together in different banks.
#define ALONG_PITCH (DEPTH / 8 + 1)
#define ACROSS_PITCH (TILE / 8 + 1)
#define PART_SIZE (TILE * ALONG_PITCH) // the other is smaller
shared uvec4 left_part[PART_SIZE];
shared uvec4 right_part[PART_SIZE];

// Where part `part` of an invocation lies: x the row, y the term.
uvec2 place_of(uint part, bool along_terms) {
    uint index = gl_LocalInvocationIndex + part * 256;
    return along_terms ? uvec2(index / (DEPTH / 8), index % (DEPTH / 8) * 8)
                       : uvec2(index % (TILE / 8) * 8, index / (TILE / 8));
}

uint shared_index(uvec2 place, bool along_terms) {
    return along_terms ? place.x * ALONG_PITCH + place.y / 8
                       : place.y * ACROSS_PITCH + place.x / 8;
}

uvec4 load_left(uint base, uint row, uint term) {
    uint index = base + row * left_stride + term * left_term_stride;
    return row < rows && term < terms ? left_elements[index / 8] : uvec4(0);
}

uvec4 load_right(uint base, uint column, uint term) {
    uint index = base + column * right_stride + term * right_term_stride;
    return column < columns && term < terms ? right_elements[index / 8] : uvec4(0);
}

fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> sums[4][2];

void multiply_parts(uint first_row, uint first_column) {
    [[unroll]] for (uint k = 0; k < DEPTH; k += 16) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> left[4];
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> right;
        [[unroll]] for (uint i = 0; i < 4; i++) {
            uvec2 place = uvec2(first_row + i * 16, k);
            if (LEFT_ALONG_TERMS) {
                coopMatLoadNV(left[i], left_part, shared_index(place, true), ALONG_PITCH, false);
            } else {
                coopMatLoadNV(left[i], left_part, shared_index(place, false), ACROSS_PITCH, true);
            }
        }
        [[unroll]] for (uint j = 0; j < 2; j++) {
            uvec2 place = uvec2(first_column + j * 16, k);
            if (RIGHT_ALONG_TERMS) {
                coopMatLoadNV(right, right_part, shared_index(place, true), ALONG_PITCH, true);
            } else {
                coopMatLoadNV(right, right_part, shared_index(place, false), ACROSS_PITCH, false);
            }
            [[unroll]] for (uint i = 0; i < 4; i++) {
                sums[i][j] = coopMatMulAddNV(left[i], right, sums[i][j]);
            }
        }
    }
}

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
    uint left_base = left_first + batch * left_batch_stride;
    uint right_base = right_first + batch * right_batch_stride;
    uint row = (gl_LocalInvocationIndex / 32) / 4 * 64;
    uint column = (gl_LocalInvocationIndex / 32) % 4 * 32;
    [[unroll]] for (uint j = 0; j < 2; j++) {
        fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> start =
            fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
        if (has_bias != 0 && tile_column + column + j * 16 < columns) {
            // Rows that are 0 elements apart: all are the same.
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> same;
            coopMatLoadNV(same, bias, bias_first + tile_column + column + j * 16, 0, false);
            start = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(same);
        }
        [[unroll]] for (uint i = 0; i < 4; i++) {
            sums[i][j] = start;
        }
    }
    uvec4 left[PARTS];
    uvec4 right[PARTS];
    for (uint first = 0; first < terms + DEPTH; first += DEPTH) {
        [[unroll]] for (uint p = 0; p < PARTS; p++) {
            uvec2 left_place = place_of(p, LEFT_ALONG_TERMS);
            uvec2 right_place = place_of(p, RIGHT_ALONG_TERMS);
            left[p] = load_left(left_base, tile_row + left_place.x, first + left_place.y);
            right[p] = load_right(right_base, tile_column + right_place.x, first + right_place.y);
        }
        if (first > 0) {
            multiply_parts(row, column);
        }
        barrier();
        [[unroll]] for (uint p = 0; p < PARTS; p++) {
            left_part[shared_index(place_of(p, LEFT_ALONG_TERMS), LEFT_ALONG_TERMS)] = left[p];
            right_part[shared_index(place_of(p, RIGHT_ALONG_TERMS), RIGHT_ALONG_TERMS)] = right[p];
        }
        barrier();
    }
    [[unroll]] for (uint i = 0; i < 4; i++) {
        [[unroll]] for (uint j = 0; j < 2; j++) {
            uint to_row = tile_row + row + i * 16;
            uint to_column = tile_column + column + j * 16;
            if (to_row < rows && to_column < columns) {
                fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> rounded =
                    fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>(sums[i][j]);
                coopMatStoreNV(rounded, result, (batch * rows + to_row) * columns + to_column,
                               columns, false);
            }
        }
    }
}
