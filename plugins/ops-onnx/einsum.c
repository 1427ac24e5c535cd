/* Einsum: products of elements, summed over the axes that the output does not have. */
#include "einsum_equation.h"
#include "einsum_product.h"
#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"

typedef struct einsum_attributes {
    const char *equation;
} einsum_attributes;

static const tn_attribute table[] = {
    TN_FIELD(einsum_attributes, equation, STRING, NULL, NULL,
             "The axes of each input, as letters, and after an arrow those of the output."),
};

static const char *const input_names[] = {"Inputs"};
static const char *const output_names[] = {"Output"};

static tn_status infer(tn_infer_call *call) {
    const einsum_attributes *own = call->attributes;
    const tn_shape *shapes[EINSUM_MAX_OPERANDS];
    einsum_equation equation;
    TN_TRY(tn_infer_one_dtype(call));
    if (call->input_count > EINSUM_MAX_OPERANDS) {
        return tn_fail(call->host, TN_UNSUPPORTED, "more than %d operands", EINSUM_MAX_OPERANDS);
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        shapes[i] = &call->inputs[i].shape;
        if (shapes[i]->rank < 0) {
            return TN_OK;
        }
    }
    TN_TRY(einsum_parse(call->host, own->equation, shapes, call->input_count, &equation));
    tn_shape result = tn_shape_of_rank(equation.output.count);
    for (int32_t i = 0; i < result.rank; i++) {
        result.extents[i] = equation.extents[equation.output.labels[i]];
    }
    return infer_output_shape(call, &result);
}

const tn_op einsum_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc = "Multiplies elements of the inputs whose axes with the same letter have the same index, "
           "and adds up the products over the letters that the output does not have.",
    OP_ATTRIBUTES(table, einsum_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

typedef struct einsum_state {
    shape_walk outer, inner; /* the output's axes, and those that are summed over */
    int64_t inner_count;
    int is_product; /* of matrices */
    einsum_product product;
} einsum_state;

/* The strides of an operand along the labels of a walk; a label that stands twice goes along the
 * diagonal. */
static void add_operand(shape_walk *walk, const int32_t *labels, const einsum_labels *operand,
                        const tn_view *view) {
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK] = {0};
    stretched_strides(view, view->rank, own);
    for (int32_t i = 0; i < walk->rank; i++) {
        for (int32_t j = 0; j < operand->count; j++) {
            strides[i] += operand->labels[j] == labels[i] ? own[j] : 0;
        }
    }
    walk_add(walk, strides);
}

static void begin_walk(shape_walk *walk, const einsum_equation *equation,
                       const einsum_labels *labels, const tn_view *const *views) {
    int64_t extents[TN_MAX_RANK];
    for (int32_t i = 0; i < labels->count; i++) {
        extents[i] = equation->extents[labels->labels[i]];
    }
    walk_begin(walk, labels->count, extents);
    for (int32_t k = 0; k < equation->operand_count; k++) {
        add_operand(walk, labels->labels, &equation->operands[k], views[k]);
    }
}

/* The labels that are in an operand and not in the output. */
static tn_status summed_labels(const tn_host *host, const einsum_equation *equation,
                               einsum_labels *out_labels) {
    uint8_t seen[EINSUM_LABELS] = {0};
    out_labels->count = 0;
    for (int32_t i = 0; i < equation->output.count; i++) {
        seen[equation->output.labels[i]] = 1;
    }
    for (int32_t k = 0; k < equation->operand_count; k++) {
        for (int32_t i = 0; i < equation->operands[k].count; i++) {
            const int32_t label = equation->operands[k].labels[i];
            if (!seen[label] && out_labels->count == TN_MAX_RANK) {
                return tn_fail(host, TN_UNSUPPORTED, "too many axes are summed over");
            }
            if (!seen[label]) {
                out_labels->labels[out_labels->count++] = label;
                seen[label] = 1;
            }
        }
    }
    return TN_OK;
}

static tn_status prepare(tn_prepare_call *call) {
    const einsum_attributes *own = call->attributes;
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    tn_shape shapes[EINSUM_MAX_OPERANDS];
    const tn_shape *pointers[EINSUM_MAX_OPERANDS];
    einsum_equation equation;
    einsum_labels summed;
    for (uint32_t i = 0; i < call->input_count && i < EINSUM_MAX_OPERANDS; i++) {
        shapes[i] = shape_of_view(call->inputs[i]);
        pointers[i] = &shapes[i];
    }
    TN_TRY(einsum_parse(call->host, own->equation, pointers, call->input_count, &equation));
    TN_TRY(summed_labels(call->host, &equation, &summed));
    einsum_state *state = memory->allocate(call->host, sizeof *state);
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the kernel's state");
    }
    begin_walk(&state->outer, &equation, &equation.output, call->inputs);
    begin_walk(&state->inner, &equation, &summed, call->inputs);
    state->inner_count = tn_extent_product(state->inner.extents, 0, state->inner.rank);
    state->is_product =
        is_floating(call->outputs[0]->dtype) &&
        einsum_find_product(&equation, call->inputs, call->outputs[0], &state->product);
    if (state->is_product) {
        call->workspace_size = einsum_product_workspace(&state->product, call->outputs[0]->dtype);
    }
    call->state = state;
    return TN_OK;
}

static void release(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    memory->free(host, state);
}

static double sum_numbers(const tn_run_call *call, const einsum_state *state,
                          const shape_walk *outer) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    shape_walk inner = state->inner;
    double sum = 0;
    for (int64_t j = 0; j < state->inner_count; j++) {
        double product = 1;
        for (int32_t k = 0; k < inner.operands; k++) {
            const int64_t at = outer->offsets[k] + inner.offsets[k];
            const void *elements = tn_data(call->inputs[k]);
            product *=
                dtype == TN_F32 ? ((const float *)elements)[at] : read_number(dtype, elements, at);
        }
        sum += product;
        walk_on(&inner);
    }
    return sum;
}

static int64_t sum_integers(const tn_run_call *call, const einsum_state *state,
                            const shape_walk *outer) {
    shape_walk inner = state->inner;
    uint64_t sum = 0;
    for (int64_t j = 0; j < state->inner_count; j++) {
        uint64_t product = 1;
        for (int32_t k = 0; k < inner.operands; k++) {
            product *= (uint64_t)read_integer(call->inputs[k]->dtype, tn_data(call->inputs[k]),
                                              outer->offsets[k] + inner.offsets[k]);
        }
        sum += product;
        walk_on(&inner);
    }
    return (int64_t)sum;
}

static void sum_range(void *context, int64_t begin, int64_t end) {
    const tn_run_call *call = context;
    const einsum_state *state = call->state;
    const tn_view *output = call->outputs[0];
    shape_walk outer = state->outer;
    walk_go_to(&outer, begin);
    for (int64_t i = begin; i < end; i++) {
        if (is_floating(output->dtype)) {
            write_number(output->dtype, tn_data(output), i, sum_numbers(call, state, &outer));
        } else {
            write_integer(output->dtype, tn_data(output), i, sum_integers(call, state, &outer));
        }
        walk_on(&outer);
    }
}

static tn_status run(const tn_run_call *call) {
    const einsum_state *state = call->state;
    tn_run_call job = *call;
    if (state->is_product) {
        einsum_product_run(call, &state->product);
        return TN_OK;
    }
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]),
                    4096 / (state->inner_count + 1) + 1, sum_range, &job);
    return TN_OK;
}

const tn_kernel einsum_kernel = {CPU_KERNEL("onnx.Einsum"), .prepare = prepare, .run = run,
                                 .release = release};
