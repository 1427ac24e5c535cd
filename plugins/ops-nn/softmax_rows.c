#include "softmax_rows.h"

#include "element_block.h"
#include "row_sums.h"
#include "sequence_length.h"
#include "size.h"
#include "vector_math.h"

/* Vectors that lie side by side are done together, this many. */
#define TILE_LENGTH 64

/* A vector's peak is looked for in so many places at once that no comparison waits for another. */
#define PEAK_LANES 32

typedef struct softmax_vectors {
    const softmax_problem *problem;
    element_array from;
    element_array to;
} softmax_vectors;

#include "real_float.h"

#include "softmax_rows_template.h"

#include "real_double.h"

#include "softmax_rows_template.h"

void run_softmax(const tn_host *host, const softmax_problem *problem) {
    const axis_split *split = &problem->split;
    const int is_double = problem->data->dtype == TN_F64;
    if (split->extent == 0) {
        return;
    }
    softmax_vectors vectors = {problem, elements_of(problem->data), elements_of(problem->result)};
    if (split->inner == 1 || problem->lengths != NULL) {
        tn_parallel_for(host, split->outer * split->inner, grain_of(GRAIN_ELEMENTS, split->extent),
                        is_double ? softmax_rows_f64 : softmax_rows_f32, &vectors);
    } else {
        const int64_t tiles = divide_up(split->inner, TILE_LENGTH);
        tn_parallel_for(host, split->outer * tiles,
                        grain_of(GRAIN_ELEMENTS, split->extent * TILE_LENGTH),
                        is_double ? softmax_tiles_f64 : softmax_tiles_f32, &vectors);
    }
}

tn_status run_softmax_along(const tn_run_call *call, int32_t begin, int32_t end) {
    const softmax_problem problem = {
        .data = call->inputs[0],
        .result = call->outputs[0],
        .split = split_axes(call->inputs[0], begin, end),
        .divisor = 1,
    };
    run_softmax(call->host, &problem);
    return TN_OK;
}
