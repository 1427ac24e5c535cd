#include "add_n.h"

#include "binary_functions.h"
#include "state.h"
#include "storage.h"

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
    call->workspace_size =
        call->output_storages[0] == TN_STORAGE_ROW_SPARSE ? call->input_count * sizeof(int64_t) : 0;
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

/* Row-sparse inputs. How far each has been read stands in the workspace. */

/* The lowest row that is not read yet; the number of rows when there is none. */
static int64_t next_row(const tn_run_call *call, const int64_t *read) {
    int64_t next = call->outputs[0]->shape[0];
    for (uint32_t i = 0; i < call->input_count; i++) {
        const tn_sparse *input = tn_sparse_of(call->inputs[i]);
        if (read[i] < input->stored_count) {
            next = smaller(next, input->indices[read[i]]);
        }
    }
    return next;
}

/* Whether the input stores this row; if so it counts as read. */
static int take_row(const tn_sparse *input, int64_t row, int64_t *read) {
    const int is_there = *read < input->stored_count && input->indices[*read] == row;
    *read += is_there;
    return is_there;
}

/* The rows that any input stores; NULL: only counts them. */
static int64_t list_rows(const tn_run_call *call, int64_t *rows) {
    int64_t *read = call->workspace, count = 0;
    memset(read, 0, call->input_count * sizeof *read);
    for (;;) {
        const int64_t row = next_row(call, read);
        if (row == call->outputs[0]->shape[0]) {
            return count;
        }
        for (uint32_t i = 0; i < call->input_count; i++) {
            take_row(tn_sparse_of(call->inputs[i]), row, &read[i]);
        }
        if (rows != NULL) {
            rows[count] = row;
        }
        count++;
    }
}

static void add_stored(const add_n_work *work, compute_block *sum, const tn_sparse *input,
                       int64_t begin, int64_t count) {
    const add_n_state *state = work->state;
    const char *elements = (const char *)input->values + (size_t)begin * state->element_size;
    compute_block buffer;
    if (state->load != NULL) {
        state->load(elements, &buffer, count);
    }
    state->add(sum, 1, state->load != NULL ? (const void *)&buffer : elements, 1, sum, count);
}

/* One row of the output: the inputs that have it, in blocks. */
static void add_row(const add_n_work *work, int64_t row, int64_t length, char *output) {
    const tn_run_call *call = work->call;
    int64_t *read = call->workspace;
    for (int64_t begin = 0; begin < length; begin += BLOCK_LENGTH) {
        const int64_t count = smaller(length - begin, BLOCK_LENGTH);
        compute_block sum;
        memset(&sum, 0, sizeof sum);
        for (uint32_t i = 0; i < call->input_count; i++) {
            const tn_sparse *input = tn_sparse_of(call->inputs[i]);
            int64_t at = read[i];
            if (take_row(input, row, &at)) {
                add_stored(work, &sum, input, read[i] * length + begin, count);
            }
        }
        char *target = output + (size_t)begin * work->state->element_size;
        if (work->state->store != NULL) {
            work->state->store(&sum, target, count);
        } else {
            memcpy(target, &sum, (size_t)count * work->state->element_size);
        }
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        take_row(tn_sparse_of(call->inputs[i]), row, &read[i]);
    }
}

static tn_status add_rows(const add_n_work *work) {
    const tn_run_call *call = work->call;
    const tn_view *output = call->outputs[0];
    const int64_t length = stored_entry_length(output, TN_STORAGE_ROW_SPARSE);
    const int64_t count = list_rows(call, NULL);
    TN_TRY(tn_sparse_allocate(call->host, output, count));
    const tn_sparse *target = tn_sparse_of(output);
    list_rows(call, target->indices);
    memset(call->workspace, 0, call->input_count * sizeof(int64_t));
    for (int64_t i = 0; i < count; i++) {
        add_row(work, target->indices[i], length,
                (char *)target->values + (size_t)(i * length) * work->state->element_size);
    }
    return TN_OK;
}

tn_status add_n_run(const tn_run_call *call) {
    add_n_work work = {call->state, call};
    if (call->output_storages[0] == TN_STORAGE_ROW_SPARSE) {
        return add_rows(&work);
    }
    const int64_t grain = 1 + 65536 / (int64_t)call->input_count;
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), grain, run_range, &work);
    return TN_OK;
}

static tn_status infer_add_n(tn_infer_call *call) {
    TN_TRY(tn_infer_elementwise(call));
    return infer_sum_storage(call);
}

int32_t add_n_supports(const tn_kernel_query *query) {
    for (uint32_t i = 0; i < query->input_count; i++) {
        if (query->inputs[i].storage != query->outputs[0].storage) {
            return 0;
        }
    }
    return query->outputs[0].storage != TN_STORAGE_CSR;
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
    .flags = TN_OP_VARIADIC | TN_OP_SPARSE,
    .doc = "The sum of any number of tensors of one shape and dtype, element by element.",
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof *attributes,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(add_n_attributes),
    .output_names = output_names,
    .output_name_count = 1,
    .arity = count_inputs,
    .infer = infer_add_n,
    .gradient = gradient_of_add_n,
};
