/* onnx.Loop: a graph that runs again and again on its own outputs. */
#include "families.h"
#include "operator.h"
#include "stack.h"
#include "subgraph.h"

typedef struct loop_attributes {
    int64_t states;
    int64_t outputs;
} loop_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(loop_attributes, states, INT, "0", "[0,65536]",
             "How many values go from one run of the graph to the next."),
    TN_FIELD(loop_attributes, outputs, INT, "1", "[1,65536]",
             "How many outputs the node has: the last states, then what each run adds a part to."),
};

static tn_status loop_arity(tn_arity_call *call) {
    const loop_attributes *given = call->attributes;
    if (given->outputs < given->states) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%lld outputs, but there are %lld states",
                       (long long)given->outputs, (long long)given->states);
    }
    call->input_count = (uint32_t)given->states + 2;
    if (call->connected_inputs > call->input_count) {
        call->input_count = call->connected_inputs;
    }
    call->output_count = (uint32_t)given->outputs;
    return TN_OK;
}

static tn_status tell_inputs(tn_infer_call *call) {
    const tn_tensor_type iteration = {TN_I64, TN_STORAGE_DENSE, tn_shape_of(0, NULL)};
    const tn_tensor_type condition = {TN_BOOL, TN_STORAGE_DENSE, tn_shape_of(0, NULL)};
    TN_TRY(tell_subgraph(call, 0, 0, &iteration));
    TN_TRY(tell_subgraph(call, 0, 1, &condition));
    for (uint32_t i = 2; i < call->input_count; i++) {
        TN_TRY(tell_subgraph(call, 0, i, &call->inputs[i]));
    }
    return TN_OK;
}

static tn_status loop_infer(tn_infer_call *call) {
    const loop_attributes *given = call->attributes;
    const uint32_t states = (uint32_t)given->states;
    if (call->subgraph_output_counts[0] != call->output_count + 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the graph has %u outputs, expected %u",
                       (unsigned)call->subgraph_output_counts[0], (unsigned)call->output_count + 1);
    }
    TN_TRY(tell_inputs(call));
    for (uint32_t i = 0; i < call->output_count; i++) {
        tn_tensor_type type = call->subgraph_outputs[0][i + 1];
        if (i < states && !same_known_type(&type, &call->inputs[i + 2])) {
            type.shape = tn_shape_unknown(); /* it may have another one in every run */
            type.dtype = call->inputs[i + 2].dtype;
        } else if (i >= states && type.shape.rank >= 0) {
            type.shape = stacked_shape(&type.shape, 0, TN_UNKNOWN);
        }
        TN_TRY(infer_type(call->host, "output", &call->outputs[i], &type));
    }
    return TN_OK;
}

/* One run of the node. */
struct loop {
    const tn_run_call *call;
    uint32_t states, scans;
    const tn_view **views; /* the inputs of the graph */
    tn_tensor **values;    /* what is behind those of the states; NULL: the node's input */
    tn_tensor **results;   /* of one run: the condition, states, parts */
    struct stack *stacks;  /* the parts so far, by scan output */
    int64_t iteration;
    uint8_t condition;
};

static tn_status loop_begin(struct loop *loop, const tn_run_call *call) {
    const loop_attributes *given = call->attributes;
    const tn_host *host = call->host;
    *loop = (struct loop){.call = call, .states = (uint32_t)given->states};
    loop->scans = call->output_count - loop->states;
    loop->views = TN_SERVICE(host, memory)->allocate(host, call->input_count * sizeof(tn_view *));
    loop->values = tensors_create(host, loop->states);
    loop->results = tensors_create(host, (uint64_t)call->output_count + 1);
    loop->stacks = stacks_create(host, loop->scans);
    if (loop->views == NULL || loop->values == NULL || loop->results == NULL ||
        loop->stacks == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a loop of %u values",
                       (unsigned)call->input_count);
    }
    for (uint32_t i = 2; i < call->input_count; i++) {
        loop->views[i] = call->inputs[i];
    }
    return TN_OK;
}

static void loop_end(struct loop *loop) {
    const tn_host *host = loop->call->host;
    TN_SERVICE(host, memory)->free(host, loop->views);
    tensors_destroy(host, loop->values, loop->states);
    tensors_destroy(host, loop->results, (uint64_t)loop->call->output_count + 1);
    stacks_destroy(host, loop->stacks, loop->scans);
}

/* Runs the graph once; its outputs become the next inputs, and parts of the scan outputs. */
static tn_status loop_step(struct loop *loop) {
    const tn_run_call *call = loop->call;
    const tn_host *host = call->host;
    const tn_view iteration = {
        .data = &loop->iteration, .device = {TN_DEVICE_TYPE_CPU, 0}, .dtype = TN_I64};
    const tn_view condition = {
        .data = &loop->condition, .device = {TN_DEVICE_TYPE_CPU, 0}, .dtype = TN_BOOL};
    int goes_on;
    loop->views[0] = &iteration;
    loop->views[1] = &condition;
    TN_TRY(TN_SERVICE(host, graph)
               ->call_subgraph(host, call->subgraphs, 0, loop->views, call->input_count,
                               loop->results, call->output_count + 1));
    TN_TRY(read_condition(host, TN_SERVICE(host, tensor)->view(host, loop->results[0]), &goes_on));
    loop->condition = (uint8_t)goes_on;
    for (uint32_t i = 0; i < loop->states; i++) {
        TN_SERVICE(host, tensor)->release(host, loop->values[i]);
        loop->values[i] = loop->results[i + 1];
        loop->results[i + 1] = NULL;
        loop->views[i + 2] = TN_SERVICE(host, tensor)->view(host, loop->values[i]);
    }
    for (uint32_t i = 0; i < loop->scans; i++) {
        TN_TRY(stack_add(host, &loop->stacks[i], loop->results[loop->states + i + 1]));
    }
    for (uint32_t i = 0; i <= call->output_count; i++) {
        TN_SERVICE(host, tensor)->release(host, loop->results[i]);
        loop->results[i] = NULL;
    }
    return TN_OK;
}

static tn_status loop_deliver(struct loop *loop) {
    const tn_run_call *call = loop->call;
    const tn_tensor_type *types = call->state;
    for (uint32_t i = 0; i < call->output_count; i++) {
        tn_tensor *tensor = NULL;
        tn_status status;
        if (i >= loop->states) {
            status =
                stack_join(call->host, &loop->stacks[i - loop->states], &types[i], 0, 0, &tensor);
        } else if (loop->values[i] == NULL) {
            status = tensor_of_view(call->host, call->inputs[i + 2], &tensor);
        } else {
            tensor = loop->values[i];
            TN_SERVICE(call->host, tensor)->retain(call->host, tensor);
            status = TN_OK;
        }
        if (status == TN_OK) {
            status = deliver_output(call, i, tensor);
            TN_SERVICE(call->host, tensor)->release(call->host, tensor);
        }
        TN_TRY(status);
    }
    return TN_OK;
}

static tn_status loop_turns(struct loop *loop) {
    const tn_run_call *call = loop->call;
    int64_t most = INT64_MAX;
    int condition = 1;
    if (call->inputs[0] != NULL) {
        if (tn_element_count(call->inputs[0]) != 1) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "M has %lld elements, expected one",
                           (long long)tn_element_count(call->inputs[0]));
        }
        most = *(const int64_t *)tn_data(call->inputs[0]);
    }
    if (call->inputs[1] != NULL) {
        TN_TRY(read_condition(call->host, call->inputs[1], &condition));
    }
    loop->condition = (uint8_t)condition;
    for (loop->iteration = 0; loop->iteration < most && loop->condition; loop->iteration++) {
        TN_TRY(loop_step(loop));
    }
    return loop_deliver(loop);
}

static tn_status loop_run(const tn_run_call *call) {
    struct loop loop;
    tn_status status = loop_begin(&loop, call);
    if (status == TN_OK) {
        status = loop_turns(&loop);
    }
    loop_end(&loop);
    return status;
}

static const char *const input_names[] = {"M", "cond"};
static const uint32_t optional_inputs[] = {0, 1};

static tn_status check_types(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "M", &call->inputs[0].dtype,
                          call->inputs[0].dtype == 0 ? 0 : TN_I64));
    return loop_infer(call);
}

const tn_op loop_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC | TN_OP_DATA_DEPENDENT,
    .doc = "Runs its graph up to M times, while the condition is true, each time on the number of "
           "the run, the condition, the states that the run before has made, and the inputs behind "
           "those. The outputs are the last states, then stacks of what each run has made besides.",
    OP_ATTRIBUTES(attribute_table, loop_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUT,
    OP_OPTIONAL(optional_inputs),
    .subgraph_count = 1,
    .arity = loop_arity,
    .infer = check_types,
};

const tn_kernel loop_kernel = {CPU_KERNEL("onnx.Loop"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                               .prepare = keep_output_types, .run = loop_run,
                               .release = drop_output_types};
