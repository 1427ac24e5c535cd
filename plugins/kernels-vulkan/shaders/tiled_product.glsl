// A tile of a matrix product, TILE * TILE results for a workgroup of 256 invocations, each of which
// has BLOCK * BLOCK of them. Parts of both operands, DEPTH terms of each result, are brought to
// shared memory, one vec4 of either by each invocation; the next parts are on their way while one
// is multiplied.
//
// A shader defines TILE as 64 or 128 and writes
//     vec4 load_left(uint row, uint term)      four rows from `row` on of one term
//     vec4 load_right(uint column, uint term)  four columns
// which give 0 for what is beyond the end, and calls multiply(), which leaves the results in
// `sums`: sums[i][j] are four columns from column_of(j) on of row row_of(i).
#define DEPTH (1024 / TILE)
#define QUADS (TILE / 4)
#define BLOCK (TILE / 16)

layout(local_size_x = 256) in;

// Whether terms, rather than rows or columns, follow one another in memory.
layout(constant_id = 0) const bool LEFT_ALONG_TERMS = true;
layout(constant_id = 1) const bool RIGHT_ALONG_TERMS = false;

// One vec4 more for each term keeps invocations that store side by side out of each other's way.
shared vec4 left_part[DEPTH * (QUADS + 1)];
shared vec4 right_part[DEPTH * (QUADS + 1)];

vec4 sums[BLOCK][BLOCK / 4];

uint row_of(uint i) {
    return i / 4 * 64 + gl_LocalInvocationIndex / 16 * 4 + i % 4;
}

uint column_of(uint j) {
    return j * 64 + gl_LocalInvocationIndex % 16 * 4;
}

void multiply_parts() {
    uint row_quad = gl_LocalInvocationIndex / 16;
    uint column_quad = gl_LocalInvocationIndex % 16;
    [[unroll]] for (uint k = 0; k < DEPTH; k++) {
        vec4 left[BLOCK / 4];
        vec4 right[BLOCK / 4];
        [[unroll]] for (uint i = 0; i < BLOCK / 4; i++) {
            left[i] = left_part[k * (QUADS + 1) + i * 16 + row_quad];
            right[i] = right_part[k * (QUADS + 1) + i * 16 + column_quad];
        }
        [[unroll]] for (uint i = 0; i < BLOCK; i++) {
            [[unroll]] for (uint j = 0; j < BLOCK / 4; j++) {
                sums[i][j] = fma(vec4(left[i / 4][i % 4]), right[j], sums[i][j]);
            }
        }
    }
}

// The tile at `row` and `column`, of products of `terms` terms.
void multiply(uint row, uint column, uint terms) {
    uint index = gl_LocalInvocationIndex;
    uint left_term = LEFT_ALONG_TERMS ? index % DEPTH : index / QUADS;
    uint left_quad = LEFT_ALONG_TERMS ? index / DEPTH : index % QUADS;
    uint right_term = RIGHT_ALONG_TERMS ? index % DEPTH : index / QUADS;
    uint right_quad = RIGHT_ALONG_TERMS ? index / DEPTH : index % QUADS;
    [[unroll]] for (uint i = 0; i < BLOCK; i++) {
        [[unroll]] for (uint j = 0; j < BLOCK / 4; j++) {
            sums[i][j] = vec4(0.0);
        }
    }
    vec4 left = load_left(row + left_quad * 4, left_term);
    vec4 right = load_right(column + right_quad * 4, right_term);
    for (uint first = 0; first < terms; first += DEPTH) {
        left_part[left_term * (QUADS + 1) + left_quad] = left;
        right_part[right_term * (QUADS + 1) + right_quad] = right;
        barrier();
        left = load_left(row + left_quad * 4, first + DEPTH + left_term);
        right = load_right(column + right_quad * 4, first + DEPTH + right_term);
        multiply_parts();
        barrier();
    }
}
