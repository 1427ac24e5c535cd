#include "rnn_cell.h"

#include "sequence_length.h"
#include "size.h"
#include "vector_math.h"

#include "real_float.h"

#include "rnn_cell_template.h"

#include "real_double.h"

#include "rnn_cell_template.h"

/* The steps of an exponential or two are worth about that many plain elements. */
#define GATE_COST 4

void rnn_step_run(const tn_host *host, const rnn_step *step) {
    const int64_t gates = rnn_gate_count(step->attributes) * step->attributes->state_size;
    rnn_step copy = *step;
    tn_parallel_for(host, step->batch, grain_of(GRAIN_ELEMENTS, gates * GATE_COST),
                    step->dtype == TN_F64 ? run_cells_f64 : run_cells_f32, &copy);
}
