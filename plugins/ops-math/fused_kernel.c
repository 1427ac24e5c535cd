#include "fused_kernel.h"

#include "fused_operator.h"
#include "rows.h"
#include "state.h"

enum { MAX_INPUTS = TN_ELEMENTWISE_MAX_INPUTS, MAX_STEPS = TN_ELEMENTWISE_MAX_STEPS };

/* Where an operand is: the block of a value, or a number. */
typedef struct fused_operand {
    int32_t is_number;
    uint32_t value;
    compute_value number;
} fused_operand;

typedef struct fused_step {
    unary_row unary; /* NULL: binary */
    binary_row binary;
    fused_operand operands[2];
    compute_value parameters[UNARY_PARAMETERS];
    uint32_t slot; /* the buffer for the result */
} fused_step;

/* How an input lies along the output. */
typedef enum input_form {
    INPUT_WHOLE,    /* as the output does */
    INPUT_ONE,      /* one element for all */
    INPUT_REPEATED, /* a short row for each of the output's rows */
    INPUT_STRETCHED /* any other way */
} input_form;

typedef struct fused_input {
    row_walk walk;
    input_form form;
} fused_input;

typedef struct fused_state {
    uint32_t input_count;
    uint32_t step_count;
    fused_input inputs[MAX_INPUTS];
    fused_step steps[MAX_STEPS];
    convert_function load;
    convert_function store;
    size_t element_size, compute_size;
    int64_t grain;
} fused_state;

typedef struct fused_work {
    const fused_state *state;
    const char *inputs[MAX_INPUTS];
    char *output;
    int64_t count; /* of the output's elements */
} fused_work;

/* A block of a value, or the one element that it consists of. */
typedef struct fused_value {
    const void *elements;
    int64_t step; /* 1, or 0 for one element */
} fused_value;

/* A repeated row goes on for a block from each of its elements. */
typedef compute_block input_block[2];

/* Memory of one thread. Few of the slots are used: results that are done with make room. */
typedef struct fused_memory {
    fused_value values[MAX_INPUTS + MAX_STEPS];
    input_block inputs[MAX_INPUTS];
    input_block gathered;
    compute_block slots[MAX_STEPS];
} fused_memory;

/* Elements of an input from the output's number `begin` on, as the compute type, in the input's own
 * memory where that holds it. */
static const void *load_input(const fused_work *work, uint32_t input, int64_t begin, int64_t count,
                              fused_memory *memory) {
    const fused_state *state = work->state;
    const char *elements = work->inputs[input] + (size_t)begin * state->element_size;
    if (state->inputs[input].form != INPUT_WHOLE) {
        input_block *target = state->load != NULL ? &memory->gathered : &memory->inputs[input];
        gather_rows(&state->inputs[input].walk, 0, work->inputs[input], state->element_size, begin,
                    count, (char *)target);
        elements = (const char *)target;
    }
    if (state->load == NULL) {
        return elements;
    }
    state->load(elements, &memory->inputs[input], count);
    return &memory->inputs[input];
}

/* What stays the same from block to block. */
static void load_fixed_inputs(const fused_work *work, fused_memory *memory) {
    for (uint32_t i = 0; i < work->state->input_count; i++) {
        const fused_input *input = &work->state->inputs[i];
        if (input->form == INPUT_ONE) {
            memory->values[i] = (fused_value){load_input(work, i, 0, 1, memory), 0};
        } else if (input->form == INPUT_REPEATED) {
            const int64_t count = smaller(input->walk.row_length + BLOCK_LENGTH, work->count);
            load_input(work, i, 0, count, memory);
        }
    }
}

static void load_moving_inputs(const fused_work *work, int64_t begin, int64_t count,
                               fused_memory *memory) {
    const fused_state *state = work->state;
    for (uint32_t i = 0; i < state->input_count; i++) {
        const fused_input *input = &state->inputs[i];
        if (input->form == INPUT_REPEATED) {
            const size_t place = (size_t)(begin % input->walk.row_length) * state->compute_size;
            memory->values[i] = (fused_value){(const char *)&memory->inputs[i] + place, 1};
        } else if (input->form != INPUT_ONE) {
            memory->values[i] = (fused_value){load_input(work, i, begin, count, memory), 1};
        }
    }
}

static fused_value operand_value(const fused_operand *operand, const fused_memory *memory) {
    return operand->is_number ? (fused_value){&operand->number, 0} : memory->values[operand->value];
}

/* Of operands that are one element each, so is the result. */
static fused_value run_step(const fused_step *step, const fused_memory *memory, void *result,
                            int64_t count) {
    const fused_value first = operand_value(&step->operands[0], memory);
    if (step->unary != NULL) {
        step->unary(first.elements, step->parameters, result, first.step == 0 ? 1 : count);
        return (fused_value){result, first.step};
    }
    const fused_value second = operand_value(&step->operands[1], memory);
    const int64_t result_step = first.step | second.step;
    step->binary(first.elements, first.step, second.elements, second.step, result,
                 result_step == 0 ? 1 : count);
    return (fused_value){result, result_step};
}

static void run_block(const fused_work *work, int64_t begin, int64_t count, fused_memory *memory) {
    const fused_state *state = work->state;
    char *output = work->output + (size_t)begin * state->element_size;
    const uint32_t last = state->step_count - 1;
    load_moving_inputs(work, begin, count, memory);
    for (uint32_t k = 0; k <= last; k++) {
        void *result = k == last && state->store == NULL ? (void *)output
                                                         : &memory->slots[state->steps[k].slot];
        memory->values[state->input_count + k] = run_step(&state->steps[k], memory, result, count);
    }
    if (state->store != NULL) {
        state->store(memory->values[state->input_count + last].elements, output, count);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    fused_memory memory;
    load_fixed_inputs(context, &memory);
    for (; begin < end; begin += BLOCK_LENGTH) {
        run_block(context, begin, smaller(end - begin, BLOCK_LENGTH), &memory);
    }
}

tn_status fused_run(const tn_run_call *call) {
    const fused_state *state = call->state;
    fused_work work = {.state = state,
                       .output = tn_data(call->outputs[0]),
                       .count = tn_element_count(call->outputs[0])};
    for (uint32_t i = 0; i < call->input_count; i++) {
        work.inputs[i] = tn_data(call->inputs[i]);
    }
    tn_parallel_for(call->host, work.count, state->grain, run_range, &work);
    return TN_OK;
}

static fused_operand make_operand(const tn_elementwise_operand *operand, const double *numbers,
                                  tn_dtype dtype, compute_type type) {
    fused_operand made = {.is_number = operand->is_number != 0, .value = operand->index};
    if (made.is_number) {
        made.value = 0;
        made.number = convert_constant(numbers[operand->index], dtype, type);
    }
    return made;
}

static compute_value make_parameter(double value, compute_type type) {
    return type == COMPUTE_F64 ? (compute_value){.f64 = value}
                               : (compute_value){.f32 = (float)value};
}

static fused_step make_step(const tn_elementwise_step *step, const double *numbers, tn_dtype dtype,
                            compute_type type, int64_t *out_grain) {
    const fused_function *function = find_fused_function(step->function);
    fused_step made = {.operands = {make_operand(&step->operands[0], numbers, dtype, type)}};
    if (function->is_binary) {
        made.binary = binary_rows[function->number][type];
        made.operands[1] = make_operand(&step->operands[1], numbers, dtype, type);
        *out_grain = binary_grain((binary_function)function->number);
        return made;
    }
    made.unary = unary_rows[function->number][type];
    for (uint32_t i = 1; i < step->operand_count; i++) {
        made.parameters[i - 1] = make_parameter(numbers[step->operands[i].index], type);
    }
    *out_grain = unary_grain((unary_function)function->number);
    return made;
}

/* The last step that reads a value. */
static uint32_t last_reader(const fused_state *state, uint32_t value) {
    uint32_t last = 0;
    for (uint32_t k = 0; k < state->step_count; k++) {
        for (int i = 0; i < (state->steps[k].unary != NULL ? 1 : 2); i++) {
            const fused_operand *operand = &state->steps[k].operands[i];
            last = !operand->is_number && operand->value == value ? k : last;
        }
    }
    return last;
}

/* A result takes the first buffer that holds nothing which is read later; a step's own operands may
 * make room for its result. */
static void choose_slots(fused_state *state) {
    uint32_t busy_until[MAX_STEPS] = {0};
    for (uint32_t k = 0; k < state->step_count; k++) {
        uint32_t slot = 0;
        while (busy_until[slot] > k) {
            slot++;
        }
        state->steps[k].slot = slot;
        busy_until[slot] = last_reader(state, state->input_count + k);
    }
}

static fused_input make_input(const tn_view *input, const tn_view *output) {
    fused_input made = {.walk = plan_rows(&input, 1, output), .form = INPUT_STRETCHED};
    const row_walk *walk = &made.walk;
    if (tn_element_count(input) == tn_element_count(output)) {
        made.form = INPUT_WHOLE;
    } else if (tn_element_count(input) == 1) {
        made.form = INPUT_ONE;
    } else if (walk->outer.rank == 1 && walk->outer.strides[0][0] == 0 &&
               walk->row_length <= BLOCK_LENGTH) {
        made.form = INPUT_REPEATED;
    }
    return made;
}

tn_status prepare_fused(tn_prepare_call *call) {
    const fused_attributes *own = call->attributes;
    const tn_view *output = call->outputs[0];
    const compute_type type = compute_type_of(output->dtype);
    tn_elementwise_program program;
    TN_TRY(read_fused_program(call->host, own, call->input_count, &program));
    fused_state state = {
        .input_count = call->input_count,
        .step_count = program.step_count,
        .load = find_load(output->dtype, type),
        .store = find_store(type, output->dtype),
        .element_size = TN_DTYPE_SIZE(output->dtype),
        .compute_size = compute_type_size(type),
    };
    double cost = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        state.inputs[i] = make_input(call->inputs[i], output);
    }
    for (uint32_t k = 0; k < program.step_count; k++) {
        int64_t grain;
        state.steps[k] =
            make_step(&program.steps[k], own->numbers.values, output->dtype, type, &grain);
        cost += 1 / (double)grain;
    }
    state.grain = 1 + (int64_t)(1 / cost);
    choose_slots(&state);
    return keep_state(call, &state, sizeof state);
}
