/* Sequences: made, taken apart, lengthened and shortened. */
#include "families.h"
#include "operator.h"
#include "sequence.h"
#include "subgraph.h"

static const char *const output_names[] = {"output"};
static const char *const sequence_names[] = {"sequence"};
static const char *const positioned_names[] = {"sequence", "position"};
static const char *const insert_names[] = {"sequence", "tensor", "position"};
static const uint32_t second[] = {1}, third[] = {2};

/* A kernel that moves elements of any kind into a tensor of its own. */
#define SEQUENCE_KERNEL(NAME, RUN)                                                                 \
    { CPU_KERNEL(NAME), .flags = TN_KERNEL_MOVES_ELEMENTS, .run = RUN }

static tn_status infer_made(tn_infer_call *call) {
    return infer_sequence(call, 0);
}

/* SequenceConstruct */

static tn_status run_construct(const tn_run_call *call) {
    void *memory;
    TN_TRY(tn_allocate(call->host, call->input_count, sizeof(tn_view), &memory));
    tn_view *items = memory;
    for (uint32_t i = 0; i < call->input_count; i++) {
        items[i] = *call->inputs[i];
    }
    const tn_status status = sequence_deliver(call, 0, items, call->input_count);
    tn_free(call->host, items);
    return status;
}

const tn_op sequence_construct_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC | TN_OP_DATA_DEPENDENT,
    .doc = "A sequence of the inputs.",
    OP_OUTPUTS(output_names),
    .infer = infer_made,
};
const tn_kernel sequence_construct_kernel =
    SEQUENCE_KERNEL("onnx.SequenceConstruct", run_construct);

/* SequenceAt */

static tn_status infer_anything(tn_infer_call *call) {
    (void)call;
    return TN_OK;
}

/* What to do with the tensors of a sequence, and a position among them. `items` has room for one
 * more. */
typedef tn_status sequence_work(const tn_run_call *call, tn_view *items, int64_t count,
                                int64_t position);

/* Positions are below the count, and `past` more; the last of them when none is given. */
static tn_status work_at_position(const tn_run_call *call, uint32_t position_input, int64_t past,
                                  sequence_work *work) {
    tn_view *items;
    int64_t count, position;
    TN_TRY(sequence_open(call, 0, &items, &count));
    tn_status status =
        sequence_position(call, position_input, count, count + past, count + past - 1, &position);
    if (status == TN_OK) {
        status = work(call, items, count, position);
    }
    tn_free(call->host, items);
    return status;
}

static tn_status take(const tn_run_call *call, tn_view *items, int64_t count, int64_t position) {
    (void)count;
    return deliver_view(call, &items[position]);
}

static tn_status run_at(const tn_run_call *call) {
    return work_at_position(call, 1, 0, take);
}

const tn_op sequence_at_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "The tensor at a position of a sequence, negative from the end.",
    OP_INPUTS(positioned_names),
    OP_OUTPUTS(output_names),
    .infer = infer_anything,
};
const tn_kernel sequence_at_kernel = SEQUENCE_KERNEL("onnx.SequenceAt", run_at);

/* SequenceInsert: in front of the tensor at the position; without one at the end. */

static tn_status insert(const tn_run_call *call, tn_view *items, int64_t count, int64_t position) {
    memmove(&items[position + 1], &items[position], (size_t)(count - position) * sizeof *items);
    items[position] = *call->inputs[1];
    return sequence_deliver(call, 0, items, count + 1);
}

static tn_status run_insert(const tn_run_call *call) {
    return work_at_position(call, 2, 1, insert);
}

const tn_op sequence_insert_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "The sequence with a tensor more, in front of the one at the position, or at the end.",
    OP_INPUTS(insert_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(third),
    .infer = infer_made,
};
const tn_kernel sequence_insert_kernel = SEQUENCE_KERNEL("onnx.SequenceInsert", run_insert);

/* SequenceErase */

static tn_status erase(const tn_run_call *call, tn_view *items, int64_t count, int64_t position) {
    if (position < 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the sequence has no tensor to erase");
    }
    memmove(&items[position], &items[position + 1], (size_t)(count - position - 1) * sizeof *items);
    return sequence_deliver(call, 0, items, count - 1);
}

static tn_status run_erase(const tn_run_call *call) {
    return work_at_position(call, 1, 0, erase);
}

const tn_op sequence_erase_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "The sequence without the tensor at the position, or without its last.",
    OP_INPUTS(positioned_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(second),
    .infer = infer_made,
};
const tn_kernel sequence_erase_kernel = SEQUENCE_KERNEL("onnx.SequenceErase", run_erase);

/* SequenceLength */

static tn_status infer_length(tn_infer_call *call) {
    const tn_shape scalar = tn_shape_of(0, NULL);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, TN_I64));
    return tn_infer_shape(call->host, "the output", &call->outputs[0].shape, &scalar);
}

static tn_status run_length(const tn_run_call *call) {
    const int64_t count = tn_sequence_count(call->inputs[0]);
    if (count < 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the input is no sequence");
    }
    *(int64_t *)tn_data(call->outputs[0]) = count;
    return TN_OK;
}

const tn_op sequence_length_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "How many tensors a sequence has.",
    OP_INPUTS(sequence_names),
    OP_OUTPUTS(output_names),
    .infer = infer_length,
};
const tn_kernel sequence_length_kernel = SEQUENCE_KERNEL("onnx.SequenceLength", run_length);
