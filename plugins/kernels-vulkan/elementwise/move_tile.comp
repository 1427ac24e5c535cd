// Copies a batch of matrices whose rows become columns, through tiles in shared memory, so that
// both sides are read and written along their own rows.
#version 450
#include "common.glsl"
#include "moved.glsl"
#define TILE 32
#define ROWS 8
layout(local_size_x = TILE, local_size_y = ROWS) in;
layout(push_constant) uniform Push {
    uint rows; // of the source
    uint columns;
    uint tiles_across; // of the source
    uint tiles; // of one matrix
    uint matrices;
    uint inner_matrices; // the batch has two axes: how many there are along the inner one
    uint from_row; // strides
    uint to_column;
    uint from_outer;
    uint from_inner;
    uint to_outer;
    uint to_inner;
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 1) writeonly buffer To { MOVED to[]; };
#if SIZE == 2
#define HELD uint
#else
#define HELD MOVED
#endif
shared HELD tile[TILE][TILE + 1];

void main() {
    uint group = flat_group();
    uint matrix = group / tiles;
    uint place = group - matrix * tiles;
    uint down = place / tiles_across;
    uint row = down * TILE, column = (place - down * tiles_across) * TILE;
    uint outer = matrix / inner_matrices, inner = matrix - outer * inner_matrices;
    uint source = outer * from_outer + inner * from_inner;
    uint target = outer * to_outer + inner * to_inner;
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    if (matrix < matrices && column + x < columns) {
        [[unroll]] for (uint k = 0; k < TILE; k += ROWS) {
            if (row + y + k < rows) {
                tile[y + k][x] = HELD(from[source + (row + y + k) * from_row + column + x]);
            }
        }
    }
    barrier();
    if (matrix < matrices && row + x < rows) {
        [[unroll]] for (uint k = 0; k < TILE; k += ROWS) {
            if (column + y + k < columns) {
                to[target + (column + y + k) * to_column + row + x] = MOVED(tile[x][y + k]);
            }
        }
    }
}
