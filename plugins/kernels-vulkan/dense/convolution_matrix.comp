// A convolution of float16 as a matrix product on matrix units: rows are filters, in sixteens,
// columns places, and terms, as in convolution_weight.comp, go through the channels of one element of
// the kernel after another: of a block of 32 terms all are at one place of the data.
#version 450
#include "common.glsl"
#define PACKED_WEIGHT
#include "convolution.glsl"
#define LEFT_ALONG_TERMS true
#define RIGHT_ALONG_TERMS true
#include "matrix_units.glsl"

// An invocation brings one block of 32 terms of one column of each part.
#define BLOCK 32
#define COLUMN (gl_LocalInvocationIndex % TILE_COLUMNS)
#define BLOCK_OF_PART (gl_LocalInvocationIndex / TILE_COLUMNS)
#if INVOCATIONS * BLOCK != DEPTH * TILE_COLUMNS
#error "invocations and blocks do not fit"
#endif

uint blocks_per_element() {
    return (channels + BLOCK - 1) / BLOCK;
}

uvec4 left[LEFT_EIGHTS];
uvec4 right[BLOCK / 8];

void load_left(uint group, uint tile_row, uint first_term, uint row_terms) {
    [[unroll]] for (uint p = 0; p < LEFT_EIGHTS; p++) {
        uvec2 place = left_place(p);
        uint row = tile_row + place.x;
        uint index = (group * filters + row) * row_terms + first_term + place.y;
        left[p] = row < filters ? packed_weight[index / 8] : uvec4(0);
    }
}

// `is_there` 0: the column is beyond the end.
void load_right(Place place, bool is_there, uint block) {
    uint element = block / blocks_per_element();
    uint channel = block % blocks_per_element() * BLOCK;
    int from = is_there && element < KERNEL_COUNT
                   ? data_index(place, channel, kernel_place(element))
                   : -1;
    int step = source[0] * source[1] * source[2];
    [[unroll]] for (uint p = 0; p < BLOCK / 8; p++) {
        right[p] = uvec4(0);
    }
    if (from >= 0) {
        bool is_whole = channel + BLOCK <= channels;
        [[unroll]] for (uint i = 0; i < BLOCK; i += 2) {
            int at = from + int(i) * step;
            f16vec2 pair;
            pair.x = is_whole || channel + i < channels ? data[at] : float16_t(0.0);
            pair.y = is_whole || channel + i + 1 < channels ? data[at + step] : float16_t(0.0);
            right[i / 8][i / 2 % 4] = packFloat2x16(pair);
        }
    }
}

void store_parts() {
    [[unroll]] for (uint p = 0; p < LEFT_EIGHTS; p++) {
        left_part[left_index(left_place(p))] = left[p];
    }
    [[unroll]] for (uint p = 0; p < BLOCK / 8; p++) {
        right_part[right_index(uvec2(COLUMN, BLOCK_OF_PART * BLOCK + p * 8))] = right[p];
    }
}

void begin_sums(uint group, uint first_row) {
    [[unroll]] for (uint i = 0; i < FRAGMENTS_DOWN; i++) {
        fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> start = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(0.0);
        uint row = first_row + i * 16;
        if (has_bias != 0 && row < filters) {
            // Columns that are 0 elements apart: all are the same.
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> same;
            coopMatLoadNV(same, bias, group * filters + row, 0, true);
            start = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(same);
        }
        [[unroll]] for (uint j = 0; j < FRAGMENTS_ALONG; j++) {
            sums[i][j] = start;
        }
    }
}

// Results of a sample are rows of places, which need not begin at multiples of anything: they go
// through shared memory, sixteen rows of each subgroup at a time, of which an invocation then has
// two columns.
void store_sums(uint group, uint first_row, uint first_column) {
    const uint pitch = SUBGROUP_COLUMNS / 8;
    const uint pairs = SUBGROUP_COLUMNS / 2;
    uint first = gl_LocalInvocationIndex / 32 * 16 * pitch;
    uint lane = gl_LocalInvocationIndex % 32;
    uint pair = lane % pairs;
    uint column = first_column + pair * 2;
    uint left_place = column / places * groups * filters * places + column % places;
    uint right_place = (column + 1) / places * groups * filters * places + (column + 1) % places;
    [[unroll]] for (uint i = 0; i < FRAGMENTS_DOWN; i++) {
        barrier();
        [[unroll]] for (uint j = 0; j < FRAGMENTS_ALONG; j++) {
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> rounded =
                fcoopmatNV<16, gl_ScopeSubgroup, 16, 8>(sums[i][j]);
            coopMatStoreNV(rounded, right_part, first + j, pitch, false);
        }
        barrier();
        if (first_row + i * 16 >= filters) {
            continue;
        }
        [[unroll]] for (uint row = lane / pairs; row < 16; row += 32 / pairs) {
            f16vec2 both =
                unpackFloat2x16(right_part[first + row * pitch + pair / 4][pair % 4]);
            uint from = (group * filters + first_row + i * 16 + row) * places;
            if (column < columns) {
                result[from + left_place] = both.x;
            }
            if (column + 1 < columns) {
                result[from + right_place] = both.y;
            }
        }
    }
}

void main() {
    uint tiles_along = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint tiles_down = (filters + TILE_ROWS - 1) / TILE_ROWS;
    uint tile = flat_group();
    uint tile_row = tile % tiles_down * TILE_ROWS;
    uint tile_column = tile / tiles_down % tiles_along * TILE_COLUMNS;
    uint group = tile / tiles_down / tiles_along;
    if (group >= groups) {
        return; // the whole workgroup
    }
    bool is_there = tile_column + COLUMN < columns;
    Place place = place_of(tile_column + COLUMN, group);
    uint used_terms = blocks_per_element() * KERNEL_COUNT * BLOCK;
    uint row_terms = (used_terms + 63) / 64 * 64; // as the host reserves
    begin_sums(group, tile_row + subgroup_row());
    load_left(group, tile_row, 0, row_terms);
    load_right(place, is_there, BLOCK_OF_PART);
    store_parts();
    barrier();
    for (uint first = DEPTH; first < used_terms; first += DEPTH) {
        load_left(group, tile_row, first, row_terms);
        load_right(place, is_there, first / BLOCK + BLOCK_OF_PART);
        multiply_parts();
        barrier();
        store_parts();
        barrier();
    }
    multiply_parts();
    store_sums(group, tile_row + subgroup_row(), tile_column + subgroup_column());
}
