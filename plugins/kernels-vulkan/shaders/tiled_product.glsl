// A tile of a matrix product, TILE * TILE results for a workgroup of 256 invocations, each of which
// has BLOCK * BLOCK of them. Parts of both operands, DEPTH terms of each result, are brought to
// shared memory; the next parts are on their way while one is multiplied.
//
// A shader defines TILE as 64 or 128 and writes
//     vec4 load_left(uint row, uint term)      four rows from `row` on of one term
//     vec4 load_right(uint column, uint term)  four columns
// which give 0 for what is beyond the end, and calls multiply(), which leaves the results in
// `sums`: sums[i][j] are four columns from column_of(j) on of row row_of(i).
#define DEPTH (1024 / TILE)
#define QUADS (TILE / 4)
#define BLOCK (TILE / 16)
#define PARTS (DEPTH * QUADS / 256) // of either operand, that an invocation brings

layout(local_size_x = 256) in;

// Whether terms, rather than rows or columns, follow one another in memory.
layout(constant_id = 0) const bool LEFT_ALONG_TERMS = true;
layout(constant_id = 1) const bool RIGHT_ALONG_TERMS = false;

// One vec4 more for each term keeps invocations that store side by side out of each other's way,
// where they store different terms.
shared vec4 left_part[DEPTH * (QUADS + 1)];
shared vec4 right_part[DEPTH * (QUADS + 1)];

vec4 sums[BLOCK][BLOCK / 4];

uint row_of(uint i) {
    return i / 4 * 64 + gl_LocalInvocationIndex / 16 * 4 + i % 4;
}

uint column_of(uint j) {
    return j * 64 + gl_LocalInvocationIndex % 16 * 4;
}

// Which term and which four rows or columns an invocation brings.
uint term_of(uint part, bool along_terms) {
    uint index = gl_LocalInvocationIndex + part * 256;
    return along_terms ? index % DEPTH : index / QUADS;
}

uint quad_of(uint part, bool along_terms) {
    uint index = gl_LocalInvocationIndex + part * 256;
    return along_terms ? index / DEPTH : index % QUADS;
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

// The tile at `row` and `column`, of products of `count` terms.
void multiply(uint row, uint column, uint count) {
    vec4 left[PARTS];
    vec4 right[PARTS];
    [[unroll]] for (uint i = 0; i < BLOCK; i++) {
        [[unroll]] for (uint j = 0; j < BLOCK / 4; j++) {
            sums[i][j] = vec4(0.0);
        }
    }
    [[unroll]] for (uint p = 0; p < PARTS; p++) {
        left[p] = load_left(row + quad_of(p, LEFT_ALONG_TERMS) * 4, term_of(p, LEFT_ALONG_TERMS));
        right[p] =
            load_right(column + quad_of(p, RIGHT_ALONG_TERMS) * 4, term_of(p, RIGHT_ALONG_TERMS));
    }
    for (uint first = DEPTH; first < count + DEPTH; first += DEPTH) {
        [[unroll]] for (uint p = 0; p < PARTS; p++) {
            left_part[term_of(p, LEFT_ALONG_TERMS) * (QUADS + 1) + quad_of(p, LEFT_ALONG_TERMS)] =
                left[p];
            right_part[term_of(p, RIGHT_ALONG_TERMS) * (QUADS + 1) +
                       quad_of(p, RIGHT_ALONG_TERMS)] = right[p];
        }
        barrier();
        [[unroll]] for (uint p = 0; p < PARTS; p++) {
            left[p] = load_left(row + quad_of(p, LEFT_ALONG_TERMS) * 4,
                                first + term_of(p, LEFT_ALONG_TERMS));
            right[p] = load_right(column + quad_of(p, RIGHT_ALONG_TERMS) * 4,
                                  first + term_of(p, RIGHT_ALONG_TERMS));
        }
        multiply_parts();
        barrier();
    }
}
