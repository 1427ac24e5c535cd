#include "add_n.h"

#include "binary_functions.h"
#include "state.h"

static const char *const output_names[] = {"output"};

typedef struct add_n_attributes {
    int64_t num_args;
} add_n_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD_OR_NONE(add_n_attributes, num_args, INT, "None", "[1,65536]",
                     "How many tensors there are; None: as many as are connected."),
};

static tn_status count_inputs(tn_arity_call *call) {
    const add_n_attributes *own = call->attributes;
    const uint32_t connected = call->connected_inputs > 0 ? call->connected_inputs : 1;
    call->input_count = own->num_args == TN_NONE ? connected : (uint32_t)own->num_args;
    return TN_OK;
}

typedef struct add_n_state {
    binary_row add;
    convert_function load;
    convert_function store;
    size_t element_size;
} add_n_state;

typedef struct add_n_work {
    const add_n_state *state;
    const tn_run_call *call;
} add_n_work;

tn_status prepare_add_n(tn_prepare_call *call) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    const compute_type type = compute_type_of(dtype);
    const add_n_state state = {
        .add = binary_rows[BINARY_add][type],
        .load = find_load(dtype, type),
        .store = find_store(type, dtype),
        .element_size = TN_DTYPE_SIZE(dtype),
    };
    return keep_state(call, &state, sizeof state);
}

/* One block of an input as the compute type, in its own memory or in `buffer`. */
static const void *load_block(const add_n_work *work, uint32_t input, int64_t begin, int64_t count,
                              compute_block *buffer) {
    const add_n_state *state = work->state;
    const char *elements = tn_data(work->call->inputs[input]);
    elements += (size_t)begin * state->element_size;
    if (state->load == NULL) {
        return elements;
    }
    state->load(elements, buffer, count);
    return buffer;
}

/* The sum of a block stays in the cache, and unrounded, until every input is in it. The output is
 * written last: it may be the memory of an input that comes twice. */
static void add_block(const add_n_work *work, int64_t begin, int64_t count, char *output) {
    const add_n_state *state = work->state;
    const uint32_t last = work->call->input_count - 1;
    compute_block sum_buffer, input_buffer;
    const void *sum = load_block(work, 0, begin, count, &sum_buffer);
    for (uint32_t i = 1; i <= last; i++) {
        void *result = i == last && state->store == NULL ? (void *)output : &sum_buffer;
        const void *input = load_block(work, i, begin, count, &input_buffer);
        state->add(sum, 1, input, 1, result, count);
        sum = result;
    }
    if (state->store != NULL) {
        state->store(sum, output, count);
    } else if (sum != output) {
        memcpy(output, sum, (size_t)count * state->element_size);
    }
}

static void run_range(void *context, int64_t begin, int64_t end) {
    const add_n_work *work = context;
    char *output = tn_data(work->call->outputs[0]);
    for (; begin < end; begin += BLOCK_LENGTH) {
        add_block(work, begin, smaller(end - begin, BLOCK_LENGTH),
                  output + (size_t)begin * work->state->element_size);
    }
}

tn_status add_n_run(const tn_run_call *call) {
    add_n_work work = {call->state, call};
    const int64_t grain = 1 + 65536 / (int64_t)call->input_count;
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), grain, run_range, &work);
    return TN_OK;
}

/* Every input has the output's gradient. */
static tn_status gradient_of_add_n(tn_gradient_call *call) {
    for (uint32_t i = 0; i < call->input_count; i++) {
        call->input_gradients[i] = call->output_gradients[0];
    }
    return TN_OK;
}

const tn_op add_n_operator = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc = "The sum of any number of tensors of one shape and dtype, element by element.",
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof *attributes,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(add_n_attributes),
    .output_names = output_names,
    .output_name_count = 1,
    .arity = count_inputs,
    .infer = tn_infer_elementwise,
    .gradient = gradient_of_add_n,
};
