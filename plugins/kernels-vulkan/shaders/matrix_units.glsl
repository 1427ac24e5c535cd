// A tile of a matrix product of float16 on matrix units, summed up in float. Each subgroup of 32 has
// SUBGROUP_ROWS * SUBGROUP_COLUMNS of the results, in fragments of 16 * 8; parts of both operands,
// DEPTH terms of each result, are brought to shared memory while those before are multiplied.
//
// A shader defines TILE_ROWS, TILE_COLUMNS, DEPTH, SUBGROUP_ROWS, SUBGROUP_COLUMNS, and the
// conditions LEFT_ALONG_TERMS and RIGHT_ALONG_TERMS: whether a part lies in shared memory as rows of
// terms or as terms of rows. It includes this file, fills left_part and right_part at the places of
// left_index and right_index, and calls multiply_parts between barriers.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#define SUBGROUPS_ALONG (TILE_COLUMNS / SUBGROUP_COLUMNS)
#define INVOCATIONS (TILE_ROWS / SUBGROUP_ROWS * SUBGROUPS_ALONG * 32)
#define FRAGMENTS_DOWN (SUBGROUP_ROWS / 16)
#define FRAGMENTS_ALONG (SUBGROUP_COLUMNS / 8)
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

layout(local_size_x = INVOCATIONS) in;

// Eight elements at once. One more at the end of each row keeps rows that are read together in
// different banks.
#define ALONG_PITCH (DEPTH / 8 + 1)
#define LEFT_PITCH (LEFT_ALONG_TERMS ? ALONG_PITCH : TILE_ROWS / 8 + 1)
#define RIGHT_PITCH (RIGHT_ALONG_TERMS ? ALONG_PITCH : TILE_COLUMNS / 8 + 1)
shared uvec4 left_part[LARGER(TILE_ROWS * ALONG_PITCH, DEPTH * (TILE_ROWS / 8 + 1))];
shared uvec4 right_part[LARGER(TILE_COLUMNS * ALONG_PITCH, DEPTH * (TILE_COLUMNS / 8 + 1))];

fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> sums[FRAGMENTS_DOWN][FRAGMENTS_ALONG];

// The eights of either operand that an invocation brings.
#define LEFT_EIGHTS (DEPTH * TILE_ROWS / 8 / INVOCATIONS)
#define RIGHT_EIGHTS (DEPTH * TILE_COLUMNS / 8 / INVOCATIONS)

// The place of eight number `part` of an invocation: x the row or column in the tile, y the term.
uvec2 eight_place(uint part, bool along_terms, uint extent) {
    uint index = gl_LocalInvocationIndex + part * INVOCATIONS;
    return along_terms ? uvec2(index / (DEPTH / 8), index % (DEPTH / 8) * 8)
                       : uvec2(index % (extent / 8) * 8, index / (extent / 8));
}

uvec2 left_place(uint part) {
    return eight_place(part, LEFT_ALONG_TERMS, TILE_ROWS);
}

uvec2 right_place(uint part) {
    return eight_place(part, RIGHT_ALONG_TERMS, TILE_COLUMNS);
}

// The first row and column of the subgroup's results in the tile.
uint subgroup_row() {
    return gl_LocalInvocationIndex / 32 / SUBGROUPS_ALONG * SUBGROUP_ROWS;
}

uint subgroup_column() {
    return gl_LocalInvocationIndex / 32 % SUBGROUPS_ALONG * SUBGROUP_COLUMNS;
}

// Where the eight elements from a place on lie in shared memory.
uint left_index(uvec2 place) {
    return LEFT_ALONG_TERMS ? place.x * LEFT_PITCH + place.y / 8
                            : place.y * LEFT_PITCH + place.x / 8;
}

uint right_index(uvec2 place) {
    return RIGHT_ALONG_TERMS ? place.x * RIGHT_PITCH + place.y / 8
                             : place.y * RIGHT_PITCH + place.x / 8;
}

// A load's order of elements must be a constant for some compilers: hence the branches.
void multiply_parts() {
    uint first_row = subgroup_row();
    uint first_column = subgroup_column();
    [[unroll]] for (uint k = 0; k < DEPTH; k += 16) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> left[FRAGMENTS_DOWN];
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> right;
        [[unroll]] for (uint i = 0; i < FRAGMENTS_DOWN; i++) {
            uint at = left_index(uvec2(first_row + i * 16, k));
            if (LEFT_ALONG_TERMS) {
                coopMatLoadNV(left[i], left_part, at, LEFT_PITCH, false);
            } else {
                coopMatLoadNV(left[i], left_part, at, LEFT_PITCH, true);
            }
        }
        [[unroll]] for (uint j = 0; j < FRAGMENTS_ALONG; j++) {
            uint at = right_index(uvec2(first_column + j * 8, k));
            if (RIGHT_ALONG_TERMS) {
                coopMatLoadNV(right, right_part, at, RIGHT_PITCH, true);
            } else {
                coopMatLoadNV(right, right_part, at, RIGHT_PITCH, false);
            }
            [[unroll]] for (uint i = 0; i < FRAGMENTS_DOWN; i++) {
                sums[i][j] = coopMatMulAddNV(left[i], right, sums[i][j]);
            }
        }
    }
}
