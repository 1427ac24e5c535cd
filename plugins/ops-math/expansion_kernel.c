#include "expansion.h"
#include "rows.h"
#include "state.h"

typedef struct expansion_state {
    row_walk walk;
    size_t element_size;
} expansion_state;

typedef struct expansion_work {
    const expansion_state *state;
    const char *data;
    char *output;
} expansion_work;

/* Doubles what is filled until all is: few calls, all of them long. */
static void fill_row(char *output, const char *element, size_t element_size, size_t size) {
    memcpy(output, element, element_size);
    for (size_t filled = element_size; filled < size; filled *= 2) {
        memcpy(output + filled, output, filled < size - filled ? filled : size - filled);
    }
}

static void run_row(void *context, int64_t begin, int64_t count,
                    const int64_t offsets[WALK_OPERANDS]) {
    const expansion_work *work = context;
    const size_t element_size = work->state->element_size;
    const size_t size = (size_t)count * element_size;
    const char *data = work->data + (size_t)offsets[0] * element_size;
    char *output = work->output + (size_t)begin * element_size;
    if (work->state->walk.steps[0] == 0) {
        fill_row(output, data, element_size, size);
    } else {
        memcpy(output, data, size);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const expansion_work *work = context;
    walk_rows(&work->state->walk, begin, end, run_row, context);
}

tn_status prepare_expansion(tn_prepare_call *call) {
    const expansion_state state = {
        .walk = plan_rows(call->inputs, 1, call->outputs[0]),
        .element_size = TN_DTYPE_SIZE(call->outputs[0]->dtype),
    };
    return keep_state(call, &state, sizeof state);
}

tn_status expansion_run(const tn_run_call *call) {
    const expansion_state *state = call->state;
    expansion_work work = {state, tn_data(call->inputs[0]), tn_data(call->outputs[0])};
    const int64_t grain = 262144 / (int64_t)state->element_size;
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), grain, run_range, &work);
    return TN_OK;
}
