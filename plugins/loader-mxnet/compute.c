/*
 * The kernel of an extension operator: everything that a call into the library takes is laid out
 * when it is prepared, and a run only fills in where the elements are.
 */
#include "dtype.h"
#include "live_state.h"
#include "operators.h"
#include "random_states.h"
#include "scratch.h"

/* One prepared node. */
struct computation {
    const struct extension_op *op;
    int is_backward;
    struct live_state *state;           /* of a forward node; its own */
    uint32_t input_count, output_count; /* as the library counts */
    struct call_compute call;
    struct scratch scratch;  /* what the library asks for meanwhile */
    size_t serial;           /* grows with each run: the id of what may have changed */
    const char *is_constant; /* for each input */
    int has_sparse;          /* some input or output is */
    /* While it runs: */
    const tn_run_call *run;
    tn_status allocated; /* what became of the requests for room in sparse outputs */
};

int32_t op_supports(const tn_kernel_query *query) {
    for (uint32_t i = 0; i < query->input_count; i++) {
        if (extension_dtype(query->inputs[i].dtype) < 0) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < query->output_count; i++) {
        if (extension_dtype(query->outputs[i].dtype) < 0) {
            return 0;
        }
    }
    return 1;
}

/* Takes memory off the front of one block, so that the arrays of a call lie together. */
static void *take(char **at, size_t count, size_t size) {
    void *memory = *at;
    *at += (count * size + 15) / 16 * 16;
    return memory;
}

static size_t tensors_room(uint32_t count) {
    const size_t each = 6 * sizeof(void *) + 4 * sizeof(int) + sizeof(size_t) +
                        2 * sizeof(int64_t) + TN_MAX_RANK * sizeof(int64_t);
    return count * each + 16 * 16;
}

static void lay_out(struct call_tensors *tensors, const tn_view *const *views, uint32_t count,
                    char **at) {
    static const char cpu[] = "cpu";
    tensors->count = (int)count;
    tensors->shapes = take(at, count, sizeof *tensors->shapes);
    tensors->ranks = take(at, count, sizeof *tensors->ranks);
    tensors->data = take(at, count, sizeof *tensors->data);
    tensors->dtypes = take(at, count, sizeof *tensors->dtypes);
    tensors->ids = take(at, count, sizeof *tensors->ids);
    tensors->devices = take(at, count, sizeof *tensors->devices);
    tensors->device_indices = take(at, count, sizeof *tensors->device_indices);
    tensors->storages = take(at, count, sizeof *tensors->storages);
    tensors->indices = take(at, count, sizeof *tensors->indices);
    tensors->row_starts = take(at, count, sizeof *tensors->row_starts);
    tensors->index_counts = take(at, count, sizeof *tensors->index_counts);
    tensors->row_start_counts = take(at, count, sizeof *tensors->row_start_counts);
    for (uint32_t i = 0; i < count; i++) {
        const size_t rank = (size_t)views[i]->rank;
        int64_t *shape = take(at, rank, sizeof *shape);
        for (size_t axis = 0; axis < rank; axis++) {
            shape[axis] = views[i]->shape[axis];
        }
        tensors->shapes[i] = shape;
        tensors->ranks[i] = views[i]->rank;
        tensors->dtypes[i] = extension_dtype(views[i]->dtype);
        tensors->devices[i] = cpu;
        tensors->ids[i] = 1;
    }
}

/* Room in a sparse output, as the library asks for it. */
static tn_status allocate_output(struct computation *work, int output, int index_count,
                                 int row_start_count) {
    const tn_host *host = work->run->host;
    if (output < 0 || (uint32_t)output >= work->output_count || index_count < 0 ||
        work->run->output_storages[output] == TN_STORAGE_DENSE) {
        return tn_fail(host, TN_INTERNAL,
                       "library %s: it asks for room for %d indices in output %d, which has none",
                       work->op->extension->name, index_count, output);
    }
    const tn_view *view = work->run->outputs[output];
    const int is_csr = work->run->output_storages[output] == TN_STORAGE_CSR;
    const int64_t wanted = is_csr ? view->shape[0] + 1 : 0;
    if (row_start_count != wanted) {
        return tn_fail(host, TN_INTERNAL,
                       "library %s: it asks for %d row starts in output %d, which has %lld",
                       work->op->extension->name, row_start_count, output, (long long)wanted);
    }
    return TN_SERVICE(host, sparse)->allocate(host, view, index_count);
}

/* Called back by the library. It goes on writing whatever the answer is, so one that is refused
 * gets memory that nobody reads. */
static void sparse_memory(void *context, int output, int index_count, int row_start_count,
                          void **out_data, int64_t **out_indices, int64_t **out_row_starts) {
    struct computation *work = context;
    const tn_status status = allocate_output(work, output, index_count, row_start_count);
    if (status == TN_OK) {
        const tn_sparse *sparse = tn_sparse_of(work->run->outputs[output]);
        *out_data = sparse->values;
        *out_indices = sparse->indices;
        if (row_start_count > 0) {
            *out_row_starts = sparse->row_starts;
        }
        return;
    }
    const size_t indices = index_count > 0 ? (size_t)index_count : 0;
    size_t row = 1;
    if (output >= 0 && (uint32_t)output < work->output_count) {
        const tn_view *view = work->run->outputs[output];
        row = view->rank > 0 ? (size_t)tn_extent_product(view->shape, 1, view->rank) : 1;
    }
    work->allocated = status;
    *out_data = scratch_take(&work->scratch, (indices + 1) * (row + 1) * sizeof(double));
    *out_indices = scratch_take(&work->scratch, (indices + 1) * sizeof(int64_t));
    if (row_start_count > 0) {
        *out_row_starts = scratch_take(&work->scratch, (size_t)row_start_count * sizeof(int64_t));
    }
}

static void *scratch_memory(void *context, int size) {
    struct computation *work = context;
    return size < 0 ? NULL : scratch_take(&work->scratch, (size_t)size);
}

/* The function that computes, or the state that does. */
static tn_status choose(struct computation *work, const tn_prepare_call *call) {
    const struct extension_op *op = work->op;
    if (op->create != NULL) {
        work->call.is_forward = !work->is_backward;
        return work->is_backward ? TN_OK
                                 : op_create_state(op, call, &work->call.inputs, &work->state);
    }
    work->call.function = work->is_backward ? op->backward : op->forward;
    if (work->call.function == NULL) {
        return tn_fail(call->host, TN_UNSUPPORTED,
                       "library %s: operator %s computes on other devices than the CPU alone",
                       op->extension->name, op->name);
    }
    return TN_OK;
}

static void note_storages(struct computation *work, struct call_tensors *tensors,
                          const uint32_t *storages) {
    for (int i = 0; i < tensors->count; i++) {
        tensors->storages[i] = extension_storage(storages[i]);
        work->has_sparse = work->has_sparse || tensors->storages[i] > 0;
    }
}

static tn_status fill_in(struct computation *work, const tn_prepare_call *call, char *at) {
    const struct op_attributes *attributes = call->attributes;
    lay_out(&work->call.inputs, call->inputs, work->input_count, &at);
    lay_out(&work->call.outputs, call->outputs, work->output_count, &at);
    char *is_constant = take(&at, work->input_count, 1);
    for (uint32_t i = 0; i < work->input_count; i++) {
        is_constant[i] = call->inputs[i]->data != NULL;
    }
    work->is_constant = is_constant;
    work->serial = 1;
    work->call.allocate = scratch_memory;
    work->call.allocate_sparse = sparse_memory;
    note_storages(work, &work->call.inputs, call->input_storages);
    note_storages(work, &work->call.outputs, call->output_storages);
    work->call.context = work;
    TN_TRY(op_options_create(call->host, &attributes->given, &work->call.options));
    tn_status status =
        random_states_prepare(work->op->extension->host, work->op->extension->random_states);
    if (status == TN_OK) {
        status = choose(work, call);
    }
    if (status != TN_OK) {
        op_options_destroy(call->host, &work->call.options);
    }
    return status;
}

tn_status op_prepare(tn_prepare_call *call) {
    const struct extension_op *op = call->kernel->context;
    const int is_backward = call->kernel == &op->backward_kernel;
    const uint32_t inputs = call->input_count - (is_backward ? op_state_count(op) : 0);
    const uint32_t outputs = call->output_count - (is_backward ? 0 : op_state_count(op));
    const size_t size = sizeof(struct computation) + 16 + tensors_room(inputs) +
                        tensors_room(outputs) + inputs + 64;
    struct computation *work = TN_SERVICE(call->host, memory)->allocate(call->host, size);
    if (work == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory to prepare a call");
    }
    memset(work, 0, size);
    work->op = op;
    work->is_backward = is_backward;
    work->input_count = inputs;
    work->output_count = outputs;
    work->scratch.host = call->host;
    char *at = (char *)work + (sizeof *work + 15) / 16 * 16;
    const tn_status status = fill_in(work, call, at);
    if (status != TN_OK) {
        TN_SERVICE(call->host, memory)->free(call->host, work);
        return status;
    }
    call->state = work;
    return TN_OK;
}

static void set_addresses(struct computation *work, const tn_run_call *call) {
    work->serial++;
    for (uint32_t i = 0; i < work->input_count; i++) {
        work->call.inputs.data[i] = tn_data(call->inputs[i]);
        work->call.inputs.ids[i] = work->is_constant[i] ? 1 : work->serial;
    }
    for (uint32_t i = 0; i < work->output_count; i++) {
        work->call.outputs.data[i] = tn_data(call->outputs[i]);
        work->call.outputs.ids[i] = work->serial;
    }
}

/* What set_addresses has not set for a sparse tensor. Of an output there is nothing yet. */
static void set_sparse_addresses(struct computation *work, const tn_run_call *call) {
    struct call_tensors *inputs = &work->call.inputs, *outputs = &work->call.outputs;
    for (uint32_t i = 0; i < work->input_count; i++) {
        if (inputs->storages[i] > 0) {
            const tn_sparse *sparse = tn_sparse_of(call->inputs[i]);
            inputs->data[i] = sparse->values;
            inputs->indices[i] = sparse->indices;
            inputs->index_counts[i] = sparse->stored_count;
            inputs->row_starts[i] = sparse->row_starts;
            inputs->row_start_counts[i] =
                sparse->row_starts != NULL ? call->inputs[i]->shape[0] + 1 : 0;
        }
    }
    for (uint32_t i = 0; i < work->output_count; i++) {
        if (outputs->storages[i] > 0) {
            outputs->data[i] = NULL;
        }
    }
}

static const char *what_runs(const struct computation *work) {
    return work->is_backward ? "backward" : "forward";
}

static tn_status compute(struct computation *work, const tn_run_call *call) {
    struct extension *extension = work->op->extension;
    struct call_words words;
    work->call.random_states = random_states_take(extension->host, extension->random_states);
    if (work->call.random_states == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for random states");
    }
    const int result = call_run(&extension->exports, &work->call, &words);
    random_states_give_back(extension->random_states, work->call.random_states);
    scratch_reuse(&work->scratch);
    return __builtin_expect(result == EXTENSION_SUCCEEDED, 1)
               ? work->allocated
               : extension_failed(extension, call->host, TN_INTERNAL, what_runs(work), result,
                                  &words);
}

/* The state that the number of the last input stands for, or the node's own. Locked. */
static struct live_state *find_state(struct computation *work, const tn_run_call *call) {
    if (work->state != NULL) {
        pthread_mutex_lock(&work->state->lock);
        return work->state;
    }
    int64_t number;
    memcpy(&number, tn_data(call->inputs[work->input_count]), sizeof number);
    return live_state_lock(work->op->extension, number);
}

tn_status op_run(const tn_run_call *call) {
    struct computation *work = call->state;
    work->run = call;
    work->allocated = TN_OK;
    set_addresses(work, call);
    if (work->has_sparse) {
        set_sparse_addresses(work, call);
    }
    if (work->call.function != NULL) {
        return compute(work, call);
    }
    struct live_state *state = find_state(work, call);
    if (state == NULL) {
        return tn_fail(call->host, TN_FAILED_PRECONDITION,
                       "library %s: operator %s: the state of the forward node is gone",
                       work->op->extension->name, work->op->name);
    }
    work->call.state = state->object;
    const int64_t number = state->number;
    const tn_status status = compute(work, call);
    live_state_unlock(state);
    if (!work->is_backward && op_state_count(work->op) > 0) {
        memcpy(tn_data(call->outputs[work->output_count]), &number, sizeof number);
    }
    return status;
}

void op_release(const tn_host *host, void *state) {
    struct computation *work = state;
    if (work->state != NULL) {
        live_state_destroy(work->op->extension, host, work->state);
    }
    scratch_finish(&work->scratch);
    op_options_destroy(host, &work->call.options);
    TN_SERVICE(host, memory)->free(host, work);
}
