#include "fused_operator.h"

static const char *const output_names[] = {"output"};

static const tn_attribute attributes[] = {
    TN_FIELD(fused_attributes, program, STRING, NULL, NULL,
             "The steps, as in \"add(%0,%1) relu(%2) multiply(%3,$0)\": %N is input N or, "
             "counting on, the result of a step; $N is number N."),
    TN_FIELD(fused_attributes, numbers, FLOATS, "()", NULL, "The numbers of the program."),
};

static const fused_function functions[] = {
#define UNARY_FUNCTION(FUNCTION) {#FUNCTION, 0, UNARY_##FUNCTION, 1},
#define BINARY_FUNCTION(FUNCTION) {#FUNCTION, 1, BINARY_##FUNCTION, 2},
    {"clip", 0, UNARY_clip, 3},
    {"hard_sigmoid", 0, UNARY_hard_sigmoid, 3},
    {"smooth_l1", 0, UNARY_smooth_l1, 2},
    UNARY_ARITHMETIC_FUNCTIONS(UNARY_FUNCTION) UNARY_REAL_FUNCTIONS(UNARY_FUNCTION)
        BINARY_ARITHMETIC_FUNCTIONS(BINARY_FUNCTION) BINARY_REAL_FUNCTIONS(BINARY_FUNCTION)};

const fused_function *find_fused_function(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

/* A function of one value has numbers for its parameters; of two operands one is a value. */
static tn_status check_step(const tn_host *host, const tn_elementwise_step *step) {
    const fused_function *function = find_fused_function(step->function);
    if (function == NULL) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "program: there is no function %s",
                       step->function);
    }
    if (step->operand_count != function->operand_count) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "program: %s takes %u operands and is given %u",
                       step->function, function->operand_count, step->operand_count);
    }
    int fits = function->is_binary ? !step->operands[0].is_number || !step->operands[1].is_number
                                   : !step->operands[0].is_number;
    for (uint32_t i = 1; !function->is_binary && i < step->operand_count; i++) {
        fits = fits && step->operands[i].is_number;
    }
    return fits ? TN_OK
                : tn_fail(host, TN_INVALID_ARGUMENT, "program: %s: %s", step->function,
                          function->is_binary ? "one operand must be a value"
                                              : "expected a value, and numbers for the rest");
}

tn_status read_fused_program(const tn_host *host, const fused_attributes *own, uint32_t input_count,
                             tn_elementwise_program *out_program) {
    const uint32_t most = TN_ELEMENTWISE_MAX_NUMBERS + 1;
    const uint32_t number_count = own->numbers.count < most ? (uint32_t)own->numbers.count : most;
    const char *wrong = tn_elementwise_read(own->program, input_count, number_count, out_program);
    if (wrong != NULL) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "program: \"%.80s\" is no step of a program with %u inputs and %lld numbers "
                       "(at most %u inputs, %u numbers, %u steps)",
                       wrong, input_count, (long long)own->numbers.count, TN_ELEMENTWISE_MAX_INPUTS,
                       TN_ELEMENTWISE_MAX_NUMBERS, TN_ELEMENTWISE_MAX_STEPS);
    }
    for (uint32_t i = 0; i < out_program->step_count; i++) {
        TN_TRY(check_step(host, &out_program->steps[i]));
    }
    return TN_OK;
}

/* A node that is not given its inputs yet is not checked yet. */
static tn_status count_inputs(tn_arity_call *call) {
    tn_elementwise_program program;
    call->input_count = call->connected_inputs > 0 ? call->connected_inputs : 1;
    return call->connected_inputs == 0
               ? TN_OK
               : read_fused_program(call->host, call->attributes, call->input_count, &program);
}

/* The extent of an input along an axis of `rank`, aligned at the last. */
static int64_t aligned_extent(const tn_shape *shape, int32_t rank, int32_t axis) {
    const int32_t own = axis - (rank - shape->rank);
    return own >= 0 ? shape->extents[own] : 1;
}

static tn_status stretch_axis(tn_infer_call *call, int32_t axis, tn_shape *output) {
    int64_t *extent = &output->extents[axis];
    int is_known = 1;
    *extent = 1;
    for (uint32_t i = 0; i < call->input_count; i++) {
        const int64_t own = aligned_extent(&call->inputs[i].shape, output->rank, axis);
        is_known = is_known && own >= 0;
        if (own >= 0 && own != 1 && *extent != 1 && own != *extent) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "input %u has extent %lld along axis %d of the output, another input "
                           "%lld: they cannot be stretched to one shape",
                           i, (long long)own, axis, (long long)*extent);
        }
        *extent = own > 1 || own == 0 ? own : *extent;
    }
    *extent = is_known || *extent != 1 ? *extent : TN_UNKNOWN;
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    int32_t rank = 0;
    TN_TRY(tn_infer_one_dtype(call));
    const tn_dtype dtype = call->outputs[0].dtype;
    if (dtype != 0 && !is_floating(dtype)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "fused functions are of floating-point numbers, not of %s",
                       tn_dtype_name(dtype));
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i].shape.rank < 0) {
            return TN_OK;
        }
        rank = call->inputs[i].shape.rank > rank ? call->inputs[i].shape.rank : rank;
    }
    tn_shape output = tn_shape_of_rank(rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        TN_TRY(stretch_axis(call, axis, &output));
    }
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &output);
}

const tn_op fused_operator = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_VARIADIC,
    .doc =
        "Several functions of elements in one go, without tensors between them. Inputs are "
        "stretched to one shape. The pass fuse-elementwise makes these nodes.\n\n"
        "Functions of one value: those that are operators of this name (relu, exp, rsqrt, …), "
        "clip with two numbers, hard_sigmoid with two, smooth_l1 with one. Of two operands, each "
        "a value or a number: add, subtract, multiply, divide, mod, maximum, minimum, equal, "
        "not_equal, greater, greater_equal, lesser, lesser_equal, logical_and, logical_or, "
        "logical_xor, power, hypot. Results between the steps are not rounded to float16.",
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof *attributes,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(fused_attributes),
    .output_names = output_names,
    .output_name_count = 1,
    .arity = count_inputs,
    .infer = infer,
};
