/* onnx.Scan: a graph that runs along an axis of its inputs. */
#include "families.h"
#include "operator.h"
#include "stack.h"
#include "subgraph.h"

typedef struct scan_attributes {
    int64_t states;
    int64_t scans;
    int64_t outputs;
    int32_t batched;
    tn_ints directions;
    tn_ints scan_input_directions;
    tn_ints scan_output_directions;
    tn_ints scan_input_axes;
    tn_ints scan_output_axes;
} scan_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(scan_attributes, states, INT, "0", "[0,65536]",
             "How many values go from one run of the graph to the next."),
    TN_FIELD(scan_attributes, scans, INT, "1", "[1,65536]",
             "How many inputs are cut into parts, one for each run."),
    TN_FIELD(scan_attributes, outputs, INT, "1", "[1,65536]",
             "How many outputs the node has: the last states, then stacks."),
    TN_FIELD(scan_attributes, batched, BOOL, "False", NULL,
             "Whether the first axis of all is that of a batch, and the first input has the "
             "lengths of its sequences."),
    TN_FIELD(scan_attributes, directions, INTS, "()", "[0,1]",
             "The same as scan_input_directions, for batches."),
    TN_FIELD(scan_attributes, scan_input_directions, INTS, "()", "[0,1]",
             "By input that is cut: 1 for the last part first."),
    TN_FIELD(scan_attributes, scan_output_directions, INTS, "()", "[0,1]",
             "By stack: 1 for the last part first."),
    TN_FIELD(scan_attributes, scan_input_axes, INTS, "()", NULL,
             "By input that is cut: along which axis; by default the first."),
    TN_FIELD(scan_attributes, scan_output_axes, INTS, "()", NULL,
             "By stack: along which axis; by default the first."),
};

/* Item `index` of a list that may be left out. */
static int64_t item(const tn_ints *list, uint32_t index) {
    return (int64_t)index < list->count ? list->values[index] : 0;
}

static int64_t input_direction(const scan_attributes *given, uint32_t index) {
    return given->batched ? item(&given->directions, index)
                          : item(&given->scan_input_directions, index);
}

static tn_status scan_arity(tn_arity_call *call) {
    const scan_attributes *given = call->attributes;
    const uint32_t own = (uint32_t)(given->states + given->scans) + (given->batched ? 1 : 0);
    if (given->outputs < given->states) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%lld outputs, but there are %lld states",
                       (long long)given->outputs, (long long)given->states);
    }
    call->input_count = call->connected_inputs > own ? call->connected_inputs : own;
    call->output_count = (uint32_t)given->outputs;
    return TN_OK;
}

/* A shape without one axis. */
static tn_shape without_axis(const tn_shape *shape, int32_t axis) {
    tn_shape rest = tn_shape_of_rank(shape->rank - 1);
    for (int32_t i = 0; i < rest.rank; i++) {
        rest.extents[i] = shape->extents[i + (i >= axis)];
    }
    return rest;
}

/* The type of a part of scan input `index`, and how many parts there are (or unknown). */
static tn_status part_type(const tn_infer_call *call, uint32_t index, tn_tensor_type *out_type,
                           int64_t *out_length) {
    const scan_attributes *given = call->attributes;
    *out_type = call->inputs[(given->batched ? 1 : 0) + (uint32_t)given->states + index];
    *out_length = TN_UNKNOWN;
    if (out_type->shape.rank < 0) {
        return TN_OK;
    }
    if (given->batched) {
        if (out_type->shape.rank < 2) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "scan input %u has rank %d, expected a batch of sequences",
                           (unsigned)index, (int)out_type->shape.rank);
        }
        out_type->shape = without_axis(&out_type->shape, 0);
    }
    int32_t axis;
    TN_TRY(tn_resolve_axis(call->host, given->batched ? 0 : item(&given->scan_input_axes, index),
                           out_type->shape.rank, &axis));
    *out_length = out_type->shape.extents[axis];
    out_type->shape = without_axis(&out_type->shape, axis);
    return TN_OK;
}

static tn_status tell_inputs(tn_infer_call *call, int64_t *out_length) {
    const scan_attributes *given = call->attributes;
    const uint32_t first = given->batched ? 1 : 0;
    const uint32_t states = (uint32_t)given->states, scans = (uint32_t)given->scans;
    *out_length = TN_UNKNOWN;
    for (uint32_t i = 0; i < states; i++) {
        tn_tensor_type type = call->inputs[first + i];
        if (given->batched && type.shape.rank > 0) {
            type.shape = without_axis(&type.shape, 0);
        }
        TN_TRY(tell_subgraph(call, 0, i, &type));
    }
    for (uint32_t i = 0; i < scans; i++) {
        tn_tensor_type type;
        int64_t length;
        TN_TRY(part_type(call, i, &type, &length));
        TN_TRY(tell_subgraph(call, 0, states + i, &type));
        if (*out_length >= 0 && length >= 0 && length != *out_length) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "scan input %u has %lld parts, but another has %lld", (unsigned)i,
                           (long long)length, (long long)*out_length);
        }
        *out_length = length >= 0 ? length : *out_length;
    }
    for (uint32_t i = first + states + scans; i < call->input_count; i++) {
        TN_TRY(tell_subgraph(call, 0, i - first, &call->inputs[i]));
    }
    return TN_OK;
}

static tn_status infer_output(tn_infer_call *call, uint32_t index, int64_t length) {
    const scan_attributes *given = call->attributes;
    const uint32_t first = given->batched ? 1 : 0, states = (uint32_t)given->states;
    tn_tensor_type type = call->subgraph_outputs[0][index];
    if (index < states) { /* a state keeps its type */
        type = call->inputs[first + index];
        return infer_type(call->host, "output", &call->outputs[index], &type);
    }
    if (type.shape.rank >= 0) {
        int32_t axis;
        TN_TRY(tn_resolve_axis(call->host,
                               given->batched ? 0 : item(&given->scan_output_axes, index - states),
                               type.shape.rank + 1, &axis));
        type.shape = stacked_shape(&type.shape, axis, length);
        const tn_shape *batch = &call->inputs[first + states].shape;
        if (given->batched) {
            type.shape =
                stacked_shape(&type.shape, 0, batch->rank > 0 ? batch->extents[0] : TN_UNKNOWN);
        }
    }
    return infer_type(call->host, "output", &call->outputs[index], &type);
}

static tn_status scan_infer(tn_infer_call *call) {
    int64_t length;
    if (call->subgraph_output_counts[0] != call->output_count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "the graph has %u outputs, but the node has %u",
                       (unsigned)call->subgraph_output_counts[0], (unsigned)call->output_count);
    }
    TN_TRY(tell_inputs(call, &length));
    for (uint32_t i = 0; i < call->output_count; i++) {
        TN_TRY(infer_output(call, i, length));
    }
    return TN_OK;
}

/* One sequence. */
struct scan {
    const tn_run_call *call;
    const scan_attributes *given;
    uint32_t states, scans, stacks;
    const tn_view **inputs; /* the node's own of this sequence: states, scan inputs, the rest */
    uint32_t input_count;
    const tn_view **views; /* the graph's */
    tn_tensor **values;    /* states, then the parts that are being read */
    tn_tensor **results;
    struct stack *parts;
};

/* The elements of one part. */
static tn_status cut_part(const struct scan *scan, uint32_t index, int64_t part,
                          tn_tensor **out_tensor) {
    const tn_host *host = scan->call->host;
    const tn_view *whole = scan->inputs[scan->states + index];
    int32_t axis;
    TN_TRY(tn_resolve_axis(host,
                           scan->given->batched ? 0 : item(&scan->given->scan_input_axes, index),
                           whole->rank, &axis));
    const tn_shape shape = tn_shape_of(whole->rank, whole->shape);
    const tn_shape rest = without_axis(&shape, axis);
    TN_TRY(
        TN_SERVICE(host, tensor)->create(host, whole->dtype, rest.rank, rest.extents, out_tensor));
    const int64_t rows = tn_extent_product(whole->shape, 0, axis);
    const size_t row_size = (size_t)tn_extent_product(whole->shape, axis + 1, whole->rank) *
                            TN_DTYPE_SIZE(whole->dtype);
    const int64_t length = whole->shape[axis];
    const int64_t place = input_direction(scan->given, index) ? length - 1 - part : part;
    char *target = tn_data(TN_SERVICE(host, tensor)->view(host, *out_tensor));
    for (int64_t row = 0; row < rows && row_size > 0; row++) {
        memcpy(target + (size_t)row * row_size,
               (const char *)tn_data(whole) + (size_t)(row * length + place) * row_size, row_size);
    }
    return TN_OK;
}

static tn_status scan_step(struct scan *scan, int64_t part) {
    const tn_run_call *call = scan->call;
    const tn_host *host = call->host;
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    for (uint32_t i = 0; i < scan->scans; i++) {
        tn_tensor **value = &scan->values[scan->states + i];
        tensors->release(host, *value);
        *value = NULL;
        TN_TRY(cut_part(scan, i, part, value));
        scan->views[scan->states + i] = tensors->view(host, *value);
    }
    TN_TRY(TN_SERVICE(host, graph)
               ->call_subgraph(host, call->subgraphs, 0, scan->views, scan->input_count,
                               scan->results, call->output_count));
    for (uint32_t i = 0; i < scan->states; i++) {
        tensors->release(host, scan->values[i]);
        scan->values[i] = scan->results[i];
        scan->results[i] = NULL;
        scan->views[i] = tensors->view(host, scan->values[i]);
    }
    for (uint32_t i = scan->states; i < call->output_count; i++) {
        TN_TRY(stack_add(host, &scan->parts[i - scan->states], scan->results[i]));
        tensors->release(host, scan->results[i]);
        scan->results[i] = NULL;
    }
    return TN_OK;
}

static tn_status scan_begin(struct scan *scan, const tn_run_call *call, const tn_view **inputs,
                            uint32_t input_count) {
    const scan_attributes *given = call->attributes;
    const tn_host *host = call->host;
    *scan = (struct scan){.call = call,
                          .given = given,
                          .states = (uint32_t)given->states,
                          .scans = (uint32_t)given->scans,
                          .inputs = inputs,
                          .input_count = input_count};
    scan->stacks = call->output_count - scan->states;
    scan->views = TN_SERVICE(host, memory)->allocate(host, input_count * sizeof(tn_view *));
    scan->values = tensors_create(host, (uint64_t)scan->states + scan->scans);
    scan->results = tensors_create(host, call->output_count);
    scan->parts = stacks_create(host, scan->stacks);
    if (scan->views == NULL || scan->values == NULL || scan->results == NULL ||
        scan->parts == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a scan of %u values",
                       (unsigned)input_count);
    }
    for (uint32_t i = 0; i < input_count; i++) {
        scan->views[i] = inputs[i];
    }
    return TN_OK;
}

static void scan_end(struct scan *scan) {
    const tn_host *host = scan->call->host;
    TN_SERVICE(host, memory)->free(host, scan->views);
    tensors_destroy(host, scan->values, (uint64_t)scan->states + scan->scans);
    tensors_destroy(host, scan->results, scan->call->output_count);
    stacks_destroy(host, scan->parts, scan->stacks);
}

/* Output `index` of a sequence that has run. */
static tn_status scan_output(struct scan *scan, uint32_t index, tn_tensor **out_tensor) {
    const tn_host *host = scan->call->host;
    const tn_tensor_type *types = scan->call->state;
    if (index >= scan->states) {
        const uint32_t stack = index - scan->states;
        tn_tensor_type type = types[index];
        if (scan->given->batched && type.shape.rank > 0) {
            type.shape = without_axis(&type.shape, 0);
        }
        return stack_join(host, &scan->parts[stack], &type,
                          scan->given->batched ? 0 : item(&scan->given->scan_output_axes, stack),
                          item(&scan->given->scan_output_directions, stack) != 0, out_tensor);
    }
    if (scan->values[index] == NULL) {
        return tensor_of_view(host, scan->inputs[index], out_tensor);
    }
    *out_tensor = scan->values[index];
    TN_SERVICE(host, tensor)->retain(host, *out_tensor);
    return TN_OK;
}

static tn_status scan_parts(struct scan *scan) {
    const tn_view *first = scan->inputs[scan->states];
    int32_t axis;
    TN_TRY(tn_resolve_axis(scan->call->host,
                           scan->given->batched ? 0 : item(&scan->given->scan_input_axes, 0),
                           first->rank, &axis));
    for (int64_t part = 0; part < first->shape[axis]; part++) {
        TN_TRY(scan_step(scan, part));
    }
    return TN_OK;
}

/* Runs one sequence; `outputs` gets a tensor for each output of the node. */
static tn_status scan_sequence(const tn_run_call *call, const tn_view **inputs,
                               uint32_t input_count, tn_tensor **outputs) {
    struct scan scan;
    tn_status status = scan_begin(&scan, call, inputs, input_count);
    if (status == TN_OK) {
        status = scan_parts(&scan);
    }
    for (uint32_t i = 0; status == TN_OK && i < call->output_count; i++) {
        status = scan_output(&scan, i, &outputs[i]);
    }
    scan_end(&scan);
    return status;
}

static tn_status run_plain(const tn_run_call *call, tn_tensor **outputs) {
    TN_TRY(
        scan_sequence(call, (const tn_view **)(uintptr_t)call->inputs, call->input_count, outputs));
    for (uint32_t i = 0; i < call->output_count; i++) {
        TN_TRY(deliver_output(call, i, outputs[i]));
    }
    return TN_OK;
}

/* One sample of a batch as a view. */
static tn_view sample(const tn_view *batch, int64_t index) {
    tn_view view = *batch;
    view.rank--;
    view.shape++;
    view.byte_offset += (uint64_t)index * (uint64_t)tn_extent_product(view.shape, 0, view.rank) *
                        TN_DTYPE_SIZE(view.dtype);
    return view;
}

static tn_status run_batch(const tn_run_call *call, tn_view *samples, const tn_view **inputs,
                           tn_tensor **outputs, struct stack *stacks) {
    const scan_attributes *given = call->attributes;
    const uint32_t batched = (uint32_t)(given->states + given->scans);
    const tn_view *lengths = call->inputs[0];
    const int64_t batch = call->inputs[1]->shape[0];
    for (int64_t b = 0; b < batch; b++) {
        for (uint32_t i = 0; i + 1 < call->input_count; i++) {
            inputs[i] = call->inputs[i + 1];
            if (i < batched) {
                samples[i] = sample(call->inputs[i + 1], b);
                inputs[i] = &samples[i];
            }
        }
        const tn_view *first = inputs[given->states];
        if (lengths != NULL && ((const int64_t *)tn_data(lengths))[b] != first->shape[0]) {
            return tn_fail(call->host, TN_UNSUPPORTED,
                           "sequences of one batch that are shorter than others");
        }
        TN_TRY(scan_sequence(call, inputs, call->input_count - 1, outputs));
        for (uint32_t i = 0; i < call->output_count; i++) {
            TN_TRY(stack_add(call->host, &stacks[i], outputs[i]));
            TN_SERVICE(call->host, tensor)->release(call->host, outputs[i]);
            outputs[i] = NULL;
        }
    }
    const tn_tensor_type *types = call->state;
    for (uint32_t i = 0; i < call->output_count; i++) {
        tn_tensor *whole;
        TN_TRY(stack_join(call->host, &stacks[i], &types[i], 0, 0, &whole));
        const tn_status status = deliver_output(call, i, whole);
        TN_SERVICE(call->host, tensor)->release(call->host, whole);
        TN_TRY(status);
    }
    return TN_OK;
}

static tn_status run_batched(const tn_run_call *call, tn_tensor **outputs) {
    const tn_host *host = call->host;
    tn_view *samples =
        TN_SERVICE(host, memory)->allocate(host, call->input_count * sizeof *samples);
    const tn_view **inputs =
        TN_SERVICE(host, memory)->allocate(host, call->input_count * sizeof *inputs);
    struct stack *stacks = stacks_create(host, call->output_count);
    tn_status status = samples == NULL || inputs == NULL || stacks == NULL
                           ? tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a batch of scans")
                           : run_batch(call, samples, inputs, outputs, stacks);
    TN_SERVICE(host, memory)->free(host, samples);
    TN_SERVICE(host, memory)->free(host, inputs);
    stacks_destroy(host, stacks, call->output_count);
    return status;
}

static tn_status scan_run(const tn_run_call *call) {
    const scan_attributes *given = call->attributes;
    tn_tensor **outputs = tensors_create(call->host, call->output_count);
    if (outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const tn_status status = given->batched ? run_batched(call, outputs) : run_plain(call, outputs);
    tensors_destroy(call->host, outputs, call->output_count);
    return status;
}

static const char *const input_names[] = {"first"};
static const uint32_t optional_inputs[] = {0};

const tn_op scan_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC | TN_OP_DATA_DEPENDENT,
    .doc = "Cuts inputs into parts along an axis and runs its graph on each in turn, with the "
           "states that the run before has made, and the inputs behind those. The outputs are the "
           "last states, then stacks of what each run has made besides.",
    OP_ATTRIBUTES(attribute_table, scan_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUT,
    OP_OPTIONAL(optional_inputs),
    .subgraph_count = 1,
    .arity = scan_arity,
    .infer = scan_infer,
};

const tn_kernel scan_kernel = {CPU_KERNEL("onnx.Scan"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                               .prepare = keep_output_types, .run = scan_run,
                               .release = drop_output_types};
