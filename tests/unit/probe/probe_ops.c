/*
 * Operators that exist for the tests of the host: each uses one thing that ordinary operators do
 * not. All are float32.
 *
 *   probe_counter     stateful: outputs how often it has run
 *   probe_accumulate  changes its second input: total += data; outputs the total
 *   probe_repeat      runs its subgraph `times` times on its own result
 *   probe_fail        fails when its input's first element is negative
 *   probe_workspace   sums through scratch memory, in place
 *   probe_no_kernel   an operator that nothing computes
 *   probe_typed       one kernel for float32 and one for int32
 *   probe_channels    its kernel wants channels-last tensors (probe_layouts.c)
 *   probe_wrong_layout  its kernel asks for a layout that does not exist
 *   probe_speeds      its first kernel is slow, its second is not (probe_speeds.c)
 *   probe_sparse      asks that its input be row-sparse
 *   probe_rows        makes sparse tensors, rightly or not (probe_sparse.c)
 */
#include <tenon/plugin.h>

#include "probe_layouts.h"
#include "probe_passes.h"
#include "probe_sparse.h"
#include "probe_speeds.h"

static const char *const data_name[] = {"data"};
static const char *const output_name[] = {"output"};
static const char *const total_names[] = {"data", "total"};
static const tn_dtype floats[] = {TN_F32};
static const tn_dtype integers[] = {TN_I32};
static const tn_in_place first_in_place[] = {{0, 0}};

/* probe_counter */

static tn_status counter_prepare(tn_prepare_call *call) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    float *count = (float *)memory->allocate(call->host, sizeof *count);
    if (count == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    *count = 0;
    call->state = count;
    return TN_OK;
}

static void counter_release(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    memory->free(host, state);
}

static tn_status counter_run(const tn_run_call *call) {
    float *count = (float *)call->state;
    float *output = (float *)tn_data(call->outputs[0]);
    *count += 1;
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        output[i] = *count;
    }
    return TN_OK;
}

static const tn_op counter_op = {.struct_size = TN_OP_SIZE,
                                 .flags = TN_OP_STATEFUL,
                                 .doc = "How often it has run, for each element of its input.",
                                 .input_names = data_name,
                                 .input_name_count = 1,
                                 .output_names = output_name,
                                 .output_name_count = 1,
                                 .infer = tn_infer_elementwise};
static const tn_kernel counter_kernel = {.struct_size = TN_KERNEL_SIZE,
                                         .op = "probe_counter",
                                         .target = "cpu",
                                         .dtypes = floats,
                                         .dtype_count = 1,
                                         .prepare = counter_prepare,
                                         .run = counter_run,
                                         .release = counter_release};

/* probe_accumulate */

static tn_status accumulate_run(const tn_run_call *call) {
    const float *data = (const float *)tn_data(call->inputs[0]);
    float *total = (float *)tn_data(call->inputs[1]);
    float *output = (float *)tn_data(call->outputs[0]);
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        total[i] += data[i];
        output[i] = total[i];
    }
    return TN_OK;
}

static const uint32_t second_input[] = {1};
static const tn_op accumulate_op = {.struct_size = TN_OP_SIZE,
                                    .doc = "Adds its input to a running total.",
                                    .input_names = total_names,
                                    .input_name_count = 2,
                                    .output_names = output_name,
                                    .output_name_count = 1,
                                    .mutated_inputs = second_input,
                                    .mutated_input_count = 1,
                                    .infer = tn_infer_elementwise};
static const tn_kernel accumulate_kernel = {.struct_size = TN_KERNEL_SIZE,
                                            .op = "probe_accumulate",
                                            .target = "cpu",
                                            .dtypes = floats,
                                            .dtype_count = 1,
                                            .run = accumulate_run};

/* probe_repeat */

typedef struct repeat_attributes {
    int64_t times;
} repeat_attributes;

static const tn_attribute repeat_table[] = {
    TN_FIELD(repeat_attributes, times, INT, "1", "[0,100]", "How often."),
};

static tn_status repeat_infer(tn_infer_call *call) {
    TN_TRY(tn_infer_elementwise(call));
    if (call->subgraph_count != 1 || call->subgraph_input_counts[0] != 1 ||
        call->subgraph_output_counts[0] != 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "its subgraph must have one input and one output");
    }
    call->subgraph_inputs[0][0] = call->inputs[0];
    if (call->subgraph_outputs[0][0].shape.rank >= 0) {
        TN_TRY(tn_infer_shape(call->host, "the subgraph's output", &call->outputs[0].shape,
                              &call->subgraph_outputs[0][0].shape));
    }
    return TN_OK;
}

static tn_status repeat_run(const tn_run_call *call) {
    const repeat_attributes *attributes = (const repeat_attributes *)call->attributes;
    const tn_graph_service *graph = TN_SERVICE(call->host, graph);
    float *value = (float *)call->workspace;
    tn_view input = *call->outputs[0];
    const tn_view *inputs[] = {&input};
    input.data = value;
    input.byte_offset = 0;
    memcpy(value, tn_data(call->inputs[0]), tn_byte_size(&input));
    memcpy(tn_data(call->outputs[0]), value, tn_byte_size(&input));
    for (int64_t i = 0; i < attributes->times; i++) {
        TN_TRY(graph->run_subgraph(call->host, call->subgraphs, 0, inputs, 1, call->outputs, 1));
        memcpy(value, tn_data(call->outputs[0]), tn_byte_size(&input));
    }
    return TN_OK;
}

static tn_status ask_for_workspace(tn_prepare_call *call) {
    call->workspace_size = tn_byte_size(call->outputs[0]);
    return TN_OK;
}

static const tn_op repeat_op = {.struct_size = TN_OP_SIZE,
                                .doc = "Applies its subgraph to its input, several times.",
                                .attributes = repeat_table,
                                .attribute_count = 1,
                                .attribute_stride = TN_ATTRIBUTE_STRIDE,
                                .attributes_size = sizeof(repeat_attributes),
                                .input_names = data_name,
                                .input_name_count = 1,
                                .output_names = output_name,
                                .output_name_count = 1,
                                .subgraph_count = 1,
                                .infer = repeat_infer};
static const tn_kernel repeat_kernel = {.struct_size = TN_KERNEL_SIZE,
                                        .op = "probe_repeat",
                                        .target = "cpu",
                                        .dtypes = floats,
                                        .dtype_count = 1,
                                        .prepare = ask_for_workspace,
                                        .run = repeat_run};

/* probe_fail */

static tn_status fail_run(const tn_run_call *call) {
    const float *data = (const float *)tn_data(call->inputs[0]);
    if (data[0] < 0) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "the first element is %g: expected at least 0",
                       (double)data[0]);
    }
    memmove(tn_data(call->outputs[0]), data, tn_byte_size(call->outputs[0]));
    return TN_OK;
}

static const tn_op plain_op = {.struct_size = TN_OP_SIZE,
                               .doc = "For the tests.",
                               .input_names = data_name,
                               .input_name_count = 1,
                               .output_names = output_name,
                               .output_name_count = 1,
                               .infer = tn_infer_elementwise};
static const tn_kernel fail_kernel = {.struct_size = TN_KERNEL_SIZE,
                                      .op = "probe_fail",
                                      .target = "cpu",
                                      .dtypes = floats,
                                      .dtype_count = 1,
                                      .run = fail_run};

/* probe_workspace */

static tn_status workspace_run(const tn_run_call *call) {
    float *scratch = (float *)call->workspace;
    const float *data = (const float *)tn_data(call->inputs[0]);
    float *output = (float *)tn_data(call->outputs[0]);
    const int64_t count = tn_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        scratch[i] = data[count - 1 - i];
    }
    for (int64_t i = 0; i < count; i++) {
        output[i] = scratch[i] + 1;
    }
    return TN_OK;
}

static const tn_kernel workspace_kernel = {.struct_size = TN_KERNEL_SIZE,
                                           .op = "probe_workspace",
                                           .target = "cpu",
                                           .dtypes = floats,
                                           .dtype_count = 1,
                                           .in_place = first_in_place,
                                           .in_place_count = 1,
                                           .prepare = ask_for_workspace,
                                           .run = workspace_run};

/* probe_typed */

static tn_status typed_float_run(const tn_run_call *call) {
    ((float *)tn_data(call->outputs[0]))[0] = 0.5f;
    return TN_OK;
}

static tn_status typed_integer_run(const tn_run_call *call) {
    ((int32_t *)tn_data(call->outputs[0]))[0] = 7;
    return TN_OK;
}

static const tn_kernel typed_float_kernel = {.struct_size = TN_KERNEL_SIZE,
                                             .op = "probe_typed",
                                             .target = "cpu",
                                             .dtypes = floats,
                                             .dtype_count = 1,
                                             .run = typed_float_run};
static const tn_kernel typed_integer_kernel = {.struct_size = TN_KERNEL_SIZE,
                                               .op = "probe_typed",
                                               .target = "cpu",
                                               .dtypes = integers,
                                               .dtype_count = 1,
                                               .run = typed_integer_run};

/* probe_sparse */

static tn_status sparse_infer(tn_infer_call *call) {
    call->inputs[0].storage = TN_STORAGE_ROW_SPARSE;
    return tn_infer_elementwise(call);
}

static const tn_op sparse_op = {.struct_size = TN_OP_SIZE,
                                .flags = TN_OP_SPARSE,
                                .doc = "For the tests.",
                                .input_names = data_name,
                                .input_name_count = 1,
                                .output_names = output_name,
                                .output_name_count = 1,
                                .infer = sparse_infer};

/* probe_rest: whatever attributes it is given; `changes` says which input it changes. */

typedef struct rest_attributes {
    tn_options given;
    int64_t changes;
} rest_attributes;

static const tn_attribute rest_table[] = {
    TN_FIELD(rest_attributes, given, REST, "", NULL, "Anything."),
    TN_FIELD_OR_NONE(rest_attributes, changes, INT, "None", NULL, "The input that it changes."),
};
static const char *const rest_inputs[] = {"first", "second"};
static const float rest_step = 100;

static tn_status rest_arity(tn_arity_call *call) {
    const rest_attributes *attributes = (const rest_attributes *)call->attributes;
    if (attributes->changes != TN_NONE) {
        call->mutated_inputs[call->mutated_input_count++] = (uint32_t)attributes->changes;
    }
    return TN_OK;
}

/* Knows by its context what to add to the number of attributes. */
static tn_status rest_prepare(tn_prepare_call *call) {
    call->state = (void *)(uintptr_t)call->kernel->context;
    return TN_OK;
}

static tn_status rest_run(const tn_run_call *call) {
    const rest_attributes *attributes = (const rest_attributes *)call->attributes;
    const float sum = *(const float *)call->state + (float)attributes->given.count;
    for (int64_t i = 0; i < tn_element_count(call->outputs[0]); i++) {
        ((float *)tn_data(call->outputs[0]))[i] = sum;
    }
    return TN_OK;
}

static void rest_release(const tn_host *host, void *state) {
    (void)host, (void)state;
}

static const tn_op rest_op = {.struct_size = TN_OP_SIZE,
                              .doc = "For the tests.",
                              .attributes = rest_table,
                              .attribute_count = 2,
                              .attribute_stride = TN_ATTRIBUTE_STRIDE,
                              .attributes_size = sizeof(rest_attributes),
                              .input_names = rest_inputs,
                              .input_name_count = 2,
                              .output_names = output_name,
                              .output_name_count = 1,
                              .arity = rest_arity,
                              .infer = tn_infer_elementwise};
static const tn_kernel rest_kernel = {.struct_size = TN_KERNEL_SIZE,
                                      .op = "probe_rest",
                                      .target = "cpu",
                                      .prepare = rest_prepare,
                                      .run = rest_run,
                                      .release = rest_release,
                                      .context = &rest_step};

static const tn_entry entries[] = {
    TN_ENTRY_OP("probe_rest", &rest_op),
    TN_ENTRY_KERNEL("probe_rest.cpu", &rest_kernel),
    TN_ENTRY_OP("probe_counter", &counter_op),
    TN_ENTRY_KERNEL("probe_counter.cpu", &counter_kernel),
    TN_ENTRY_OP("probe_accumulate", &accumulate_op),
    TN_ENTRY_KERNEL("probe_accumulate.cpu", &accumulate_kernel),
    TN_ENTRY_OP("probe_repeat", &repeat_op),
    TN_ENTRY_KERNEL("probe_repeat.cpu", &repeat_kernel),
    TN_ENTRY_OP("probe_fail", &plain_op),
    TN_ENTRY_KERNEL("probe_fail.cpu", &fail_kernel),
    TN_ENTRY_OP("probe_workspace", &plain_op),
    TN_ENTRY_KERNEL("probe_workspace.cpu", &workspace_kernel),
    TN_ENTRY_OP("probe_no_kernel", &plain_op),
    TN_ENTRY_OP("probe_typed", &plain_op),
    TN_ENTRY_KERNEL("probe_typed.float", &typed_float_kernel),
    TN_ENTRY_KERNEL("probe_typed.integer", &typed_integer_kernel),
    TN_ENTRY_OP("probe_channels", &probe_channels_op),
    TN_ENTRY_KERNEL("probe_channels.cpu", &probe_channels_kernel),
    TN_ENTRY_OP("probe_speeds", &plain_op),
    TN_ENTRY_KERNEL("probe_speeds.slow", &probe_speeds_slow_kernel),
    TN_ENTRY_KERNEL("probe_speeds.quick", &probe_speeds_quick_kernel),
    TN_ENTRY_OP("probe_wrong_layout", &plain_op),
    TN_ENTRY_KERNEL("probe_wrong_layout.cpu", &probe_wrong_layout_kernel),
    TN_ENTRY_OP("probe_sparse", &sparse_op),
    TN_ENTRY_OP("probe_rows", &probe_rows_op),
    TN_ENTRY_KERNEL("probe_rows.cpu", &probe_rows_kernel),
    TN_ENTRY_PASS("probe", &probe_pass),
};

TN_PLUGIN_WITH("probe-ops", "1.0", "error/1,memory/1,graph/1", "", NULL, NULL, entries);
