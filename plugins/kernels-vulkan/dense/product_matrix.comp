// The matrix product of float16 on matrix units. For operands of which eight elements follow one
// another at multiples of eight, rows in sixteens and columns in eights.
#version 450
#include "common.glsl"
#include "product_push.glsl"

layout(constant_id = 0) const bool LEFT_ALONG_TERMS = true;
layout(constant_id = 1) const bool RIGHT_ALONG_TERMS = false;
// Rows, columns and terms fill their tiles: nothing lies beyond an end.
layout(constant_id = 2) const bool IS_WHOLE = false;

#include "matrix_units.glsl"

layout(binding = 0) readonly buffer Left { uvec4 left_elements[]; }; // eight elements each
layout(binding = 1) readonly buffer Right { uvec4 right_elements[]; };
layout(binding = 2) readonly buffer Bias { float16_t bias[]; };
layout(binding = 3) writeonly buffer Result { float16_t result[]; };

// Tiles are done in strips of so many tile rows, whose operands stay in the cache.
#define STRIP 8

uvec4 left[LEFT_EIGHTS];
uvec4 right[RIGHT_EIGHTS];

// From where on each eight is read; DEPTH terms further in each turn.
uint left_from[LEFT_EIGHTS];
uint right_from[RIGHT_EIGHTS];

void load_eights(uint tile_row, uint tile_column, uint first_term) {
    [[unroll]] for (uint p = 0; p < LEFT_EIGHTS; p++) {
        uvec2 place = left_place(p);
        bool is_there = tile_row + place.x < rows && first_term + place.y < terms;
        left[p] = IS_WHOLE || is_there ? left_elements[left_from[p]] : uvec4(0);
        left_from[p] += DEPTH * left_term_stride / 8;
    }
    [[unroll]] for (uint p = 0; p < RIGHT_EIGHTS; p++) {
        uvec2 place = right_place(p);
        bool is_there = tile_column + place.x < columns && first_term + place.y < terms;
        right[p] = IS_WHOLE || is_there ? right_elements[right_from[p]] : uvec4(0);
        right_from[p] += DEPTH * right_term_stride / 8;
    }
}

void store_eights() {
    [[unroll]] for (uint p = 0; p < LEFT_EIGHTS; p++) {
        left_part[left_index(left_place(p))] = left[p];
    }
    [[unroll]] for (uint p = 0; p < RIGHT_EIGHTS; p++) {
        right_part[right_index(right_place(p))] = right[p];
    }
}

void begin_sums(uint first_column) {
    [[unroll]] for (uint j = 0; j < FRAGMENTS_ALONG; j++) {
        fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> start = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(0.0);
        if (has_bias != 0 && first_column + j * 8 < columns) {
            // Rows that are 0 elements apart: all are the same.
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> same;
            coopMatLoadNV(same, bias, bias_first + first_column + j * 8, 0, false);
            start = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(same);
        }
        [[unroll]] for (uint i = 0; i < FRAGMENTS_DOWN; i++) {
            sums[i][j] = start;
        }
    }
}

void store_sums(uint batch, uint first_row, uint first_column) {
    [[unroll]] for (uint i = 0; i < FRAGMENTS_DOWN; i++) {
        [[unroll]] for (uint j = 0; j < FRAGMENTS_ALONG; j++) {
            uint row = first_row + i * 16;
            uint column = first_column + j * 8;
            if (IS_WHOLE || (row < rows && column < columns)) {
                fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> rounded =
                    fcoopmatNV<16, gl_ScopeSubgroup, 16, 8>(sums[i][j]);
                coopMatStoreNV(rounded, result, (batch * rows + row) * columns + column, columns,
                               false);
            }
        }
    }
}

void main() {
    uint tiles_along = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint tiles_down = (rows + TILE_ROWS - 1) / TILE_ROWS;
    uint batch = flat_group() / (tiles_along * tiles_down);
    uint tile = flat_group() % (tiles_along * tiles_down);
    uint strip = tile / (STRIP * tiles_along);
    uint strip_height = min(STRIP, tiles_down - strip * STRIP);
    uint in_strip = tile % (STRIP * tiles_along);
    uint tile_row = (strip * STRIP + in_strip % strip_height) * TILE_ROWS;
    uint tile_column = in_strip / strip_height * TILE_COLUMNS;
    if (batch >= batches) {
        return; // the whole workgroup
    }
    [[unroll]] for (uint p = 0; p < LEFT_EIGHTS; p++) {
        uvec2 place = left_place(p);
        left_from[p] = (left_first + batch * left_batch_stride + (tile_row + place.x) * left_stride +
                        place.y * left_term_stride) / 8;
    }
    [[unroll]] for (uint p = 0; p < RIGHT_EIGHTS; p++) {
        uvec2 place = right_place(p);
        right_from[p] = (right_first + batch * right_batch_stride +
                         (tile_column + place.x) * right_stride + place.y * right_term_stride) / 8;
    }
    begin_sums(tile_column + subgroup_column());
    load_eights(tile_row, tile_column, 0);
    store_eights();
    barrier();
    for (uint first = DEPTH; first < terms; first += DEPTH) {
        load_eights(tile_row, tile_column, first);
        multiply_parts();
        barrier();
        store_eights();
        barrier();
    }
    multiply_parts();
    store_sums(batch, tile_row + subgroup_row(), tile_column + subgroup_column());
}
