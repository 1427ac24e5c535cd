/* onnx.SequenceMap: a graph that runs for each tensor of a sequence. */
#include "families.h"
#include "given_output.h"
#include "operator.h"
#include "sequence.h"
#include "subgraph.h"

typedef struct map_attributes {
    int64_t inputs;
    int64_t outputs;
} map_attributes;

static const tn_attribute table[] = {
    TN_FIELD(map_attributes, inputs, INT, "1", "[1,65536]",
             "How many inputs go to the graph one by one where they are sequences; the others are "
             "the same in every run."),
    TN_FIELD(map_attributes, outputs, INT, "1", "[1,65536]", "How many sequences come out."),
};

static tn_status arity(tn_arity_call *call) {
    const map_attributes *given = call->attributes;
    call->input_count = (uint32_t)given->inputs;
    if (call->connected_inputs > call->input_count) {
        call->input_count = call->connected_inputs;
    }
    call->output_count = (uint32_t)given->outputs;
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const map_attributes *given = call->attributes;
    if (call->subgraph_output_counts[0] != call->output_count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the graph has %u outputs, expected %u",
                       (unsigned)call->subgraph_output_counts[0], (unsigned)call->output_count);
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        tn_tensor_type type = call->inputs[i];
        if (i < given->inputs && (type.dtype == TN_SEQUENCE || type.dtype == 0)) {
            type = (tn_tensor_type){.shape = tn_shape_unknown()};
        }
        TN_TRY(tell_subgraph(call, 0, i, &type));
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        TN_TRY(infer_sequence(call, i));
    }
    return TN_OK;
}

/* One run of the node. */
struct map {
    const tn_run_call *call;
    uint32_t inputs; /* that may be sequences */
    int64_t turns;
    const tn_view **views; /* what the graph is given */
    tn_view *items;        /* of the sequences, for one turn */
    tn_tensor **results;   /* by turn, then by output */
};

static tn_status begin(struct map *map, const tn_run_call *call) {
    const map_attributes *given = call->attributes;
    const tn_host *host = call->host;
    *map = (struct map){.call = call, .inputs = (uint32_t)given->inputs, .turns = -1};
    for (uint32_t i = 0; i < map->inputs; i++) {
        const int64_t count = tn_sequence_count(call->inputs[i]);
        if (count >= 0 && map->turns >= 0 && count != map->turns) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "its sequences have %lld and %lld tensors, expected equally many",
                           (long long)map->turns, (long long)count);
        }
        map->turns = count >= 0 ? count : map->turns;
    }
    if (map->turns < 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "no input is a sequence");
    }
    map->views =
        TN_SERVICE(host, memory)->allocate(host, (call->input_count + 1) * sizeof(tn_view *));
    map->items =
        TN_SERVICE(host, memory)->allocate(host, (call->input_count + 1) * sizeof(tn_view));
    map->results = tensors_create(host, (uint64_t)map->turns * call->output_count);
    return map->views == NULL || map->items == NULL || map->results == NULL
               ? tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %lld results",
                         (long long)map->turns)
               : TN_OK;
}

static void end(struct map *map) {
    const tn_host *host = map->call->host;
    TN_SERVICE(host, memory)->free(host, map->views);
    TN_SERVICE(host, memory)->free(host, map->items);
    tensors_destroy(host, map->results,
                    map->turns < 0 ? 0 : (uint64_t)map->turns * map->call->output_count);
}

static tn_status turn(struct map *map, int64_t number) {
    const tn_run_call *call = map->call;
    for (uint32_t i = 0; i < call->input_count; i++) {
        map->views[i] = call->inputs[i];
        if (i >= map->inputs || tn_sequence_count(call->inputs[i]) < 0) {
            continue;
        }
        if (!tn_sequence_item(call->inputs[i], number, &map->items[i])) {
            return tn_fail(call->host, TN_CORRUPT, "tensor %lld is not within its sequence",
                           (long long)number);
        }
        map->views[i] = &map->items[i];
    }
    return TN_SERVICE(call->host, graph)
        ->call_subgraph(call->host, call->subgraphs, 0, map->views, call->input_count,
                        map->results + number * call->output_count, call->output_count);
}

static tn_status deliver(const struct map *map, uint32_t output) {
    const tn_host *host = map->call->host;
    tn_view *items = (tn_view *)TN_SERVICE(host, memory)
                         ->allocate(host, ((uint64_t)map->turns + 1) * sizeof *items);
    if (items == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a list of %lld tensors",
                       (long long)map->turns);
    }
    for (int64_t i = 0; i < map->turns; i++) {
        items[i] = *TN_SERVICE(host, tensor)
                        ->view(host, map->results[i * map->call->output_count + output]);
    }
    const tn_status status = sequence_deliver(map->call, output, items, map->turns);
    TN_SERVICE(host, memory)->free(host, items);
    return status;
}

static tn_status run_all(struct map *map) {
    for (int64_t i = 0; i < map->turns; i++) {
        TN_TRY(turn(map, i));
    }
    for (uint32_t i = 0; i < map->call->output_count; i++) {
        TN_TRY(deliver(map, i));
    }
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    struct map map;
    tn_status status = begin(&map, call);
    if (status == TN_OK) {
        status = run_all(&map);
    }
    end(&map);
    return status;
}

static const char *const input_names[] = {"sequence"};

const tn_op sequence_map_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC | TN_OP_DATA_DEPENDENT,
    .doc = "Runs its graph for each tensor of a sequence, or of several of one length, and makes "
           "sequences of what comes out.",
    OP_ATTRIBUTES(table, map_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUT,
    .subgraph_count = 1,
    .arity = arity,
    .infer = infer,
};

const tn_kernel sequence_map_kernel = {CPU_KERNEL("onnx.SequenceMap"),
                                       .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run};
