/* fused_elementwise: a program of functions of elements, as constants of a shader. */
#include <tenon/plugin/elementwise.h>

#include "entries_elementwise.h"
#include "functions.h"

enum {
    INPUTS = TN_ELEMENTWISE_MAX_INPUTS,
    STEPS = TN_ELEMENTWISE_MAX_STEPS,
    NUMBERS = TN_ELEMENTWISE_MAX_NUMBERS
};

/* As fused.comp has them. */
enum { BINARY = 64, NUMBER = 128, FIRST_STEP = 3 };

static const named_function unary_functions[] = {
#define UNARY_ROW(NAME, UPPER) {#NAME, UNARY_##UPPER, 0},
    UNARY_FUNCTIONS(UNARY_ROW)
#undef UNARY_ROW
        {NULL, 0, 0}};

static const named_function binary_functions[] = {
#define BINARY_ROW(NAME, UPPER) {#NAME, BINARY + BINARY_##UPPER, 0},
    BINARY_FUNCTIONS(BINARY_ROW)
#undef BINARY_ROW
        {NULL, 0, 0}};

typedef struct fused_attributes {
    const char *program;
    tn_floats numbers;
} fused_attributes;

static const tn_attribute fields[] = {
    TN_FIELD(fused_attributes, program, STRING, NULL, NULL, "The steps."),
    TN_FIELD(fused_attributes, numbers, FLOATS, "()", NULL, "The numbers."),
};

typedef struct fused_push {
    uint32_t count;
    uint32_t inner[INPUTS];
    uint32_t extent[INPUTS];
    float numbers[NUMBERS];
} fused_push;

/* How an input is stretched, when the axes that it has are next to each other: its element is at
 * place / inner % extent. */
static int find_stretch(int32_t rank, const int64_t *extents, int32_t own_rank, const int64_t *own,
                        int64_t *out_inner, int64_t *out_extent) {
    const int32_t missing = rank - own_rank;
    *out_inner = 1;
    *out_extent = 1;
    int32_t axis = rank - 1;
    for (; axis >= missing && own[axis - missing] == 1; axis--) {
        *out_inner *= extents[axis];
    }
    for (; axis >= missing && own[axis - missing] == extents[axis]; axis--) {
        *out_extent *= extents[axis];
    }
    for (; axis >= missing; axis--) {
        if (own[axis - missing] != 1) {
            return 0;
        }
    }
    return 1;
}

static int32_t supports_fused(const tn_kernel_query *query) {
    const tn_shape *output = &query->outputs[0].shape;
    if (!supports_one_dtype(query) || !is_real(query->outputs[0].dtype) ||
        query->input_count > INPUTS) {
        return 0;
    }
    for (uint32_t i = 0; i < query->input_count; i++) {
        const tn_shape *own = &query->inputs[i].shape;
        int64_t inner, extent;
        if (!find_stretch(output->rank, output->extents, own->rank, own->extents, &inner,
                          &extent)) {
            return 0;
        }
    }
    return 1;
}

/* A pipeline of the shader with all functions takes most of a second to make. */
static int is_rare(uint32_t function) {
    static const uint8_t rare[] = {UNARY_CBRT,    UNARY_RCBRT,         UNARY_SIN,
                                   UNARY_COS,     UNARY_TAN,           UNARY_ARCSIN,
                                   UNARY_ARCCOS,  UNARY_ARCTAN,        UNARY_SINH,
                                   UNARY_COSH,    UNARY_ARCSINH,       UNARY_ARCCOSH,
                                   UNARY_ARCTANH, UNARY_ERFINV,        UNARY_GAMMA,
                                   UNARY_GAMMALN, BINARY + BINARY_MOD, BINARY + BINARY_HYPOT};
    return memchr(rare, (int)function, sizeof rare) != NULL;
}

static const shader_code *choose_shader(tn_dtype dtype, int has_rare) {
    return TN_DTYPE_SIZE(dtype) == 2 ? has_rare ? &shader_fused_2 : &shader_fused_2_common
           : has_rare                ? &shader_fused_4
                                     : &shader_fused_4_common;
}

static uint32_t operand_code(const tn_elementwise_operand *operand, uint32_t input_count) {
    return operand->is_number             ? NUMBER + operand->index
           : operand->index < input_count ? operand->index
                                          : INPUTS + operand->index - input_count;
}

/* 0 when there is no such function. */
static int step_code(const tn_elementwise_step *step, uint32_t input_count, uint32_t *out_code) {
    const named_function *tables[] = {unary_functions, binary_functions};
    for (int i = 0; i < 2; i++) {
        for (const named_function *row = tables[i]; row->name != NULL; row++) {
            if (strcmp(row->name, step->function) == 0) {
                *out_code = row->function;
                for (uint32_t k = 0; k < step->operand_count; k++) {
                    *out_code |= operand_code(&step->operands[k], input_count) << (8 + 8 * k);
                }
                return 1;
            }
        }
    }
    return 0;
}

/* The numbers of binary functions are rounded to the dtype, as those of any operator; parameters
 * of the others are not. */
static void store_numbers(const tn_elementwise_program *program, const tn_floats *numbers,
                          tn_dtype dtype, float *target) {
    for (uint32_t k = 0; k < program->step_count; k++) {
        const tn_elementwise_step *step = &program->steps[k];
        for (uint32_t i = 0; i < step->operand_count; i++) {
            if (!step->operands[i].is_number) {
                continue;
            }
            const float value = (float)numbers->values[step->operands[i].index];
            const int is_operand = step->operand_count == 2 && strcmp(step->function, "smooth_l1");
            target[step->operands[i].index] =
                is_operand && dtype == TN_F16    ? tn_float_from_f16(tn_f16_from_float(value))
                : is_operand && dtype == TN_BF16 ? tn_float_from_bf16(tn_bf16_from_float(value))
                                                 : value;
        }
    }
}

static void add_launch(device_program *program, const tn_prepare_call *call,
                       const tn_elementwise_program *steps) {
    const fused_attributes *given = call->attributes;
    const tn_view *output = call->outputs[0];
    tn_specialization constants[FIRST_STEP + STEPS] = {
        {0, element_code(output->dtype)}, {1, steps->step_count}, {2, 0}};
    int has_rare = 0;
    fused_push push = {.count = (uint32_t)tn_element_count(output)};
    program_launch launch = {
        .invocations = push.count,
        PROGRAM_PUSH(push),
        .specializations = constants,
        .specialization_count = FIRST_STEP + steps->step_count,
    };
    for (uint32_t i = 0; i < INPUTS; i++) {
        const uint32_t input = i < call->input_count ? i : 0;
        const tn_view *view = call->inputs[input];
        int64_t inner, extent;
        find_stretch(output->rank, output->shape, view->rank, view->shape, &inner, &extent);
        constants[2].value |= (uint32_t)(extent == (int64_t)push.count) << i;
        push.inner[i] = (uint32_t)inner;
        push.extent[i] = (uint32_t)extent;
        launch.bindings[i] = bind_input(call, input);
    }
    launch.bindings[INPUTS] = bind_output(call, 0);
    for (uint32_t k = 0; k < steps->step_count; k++) {
        constants[FIRST_STEP + k].id = FIRST_STEP + k;
        if (!step_code(&steps->steps[k], call->input_count, &constants[FIRST_STEP + k].value)) {
            program_fail(program, tn_fail(call->host, TN_UNSUPPORTED,
                                          "%s: there is no shader for the function %s", call->op,
                                          steps->steps[k].function));
        }
        has_rare = has_rare || is_rare(constants[FIRST_STEP + k].value & 255);
    }
    store_numbers(steps, &given->numbers, output->dtype, push.numbers);
    launch.shader = choose_shader(output->dtype, has_rare);
    program_add(program, &launch);
}

static tn_status prepare_fused(tn_prepare_call *call) {
    const fused_attributes *given = call->attributes;
    tn_elementwise_program steps;
    device_program *program;
    if (tn_elementwise_read(given->program, call->input_count, (uint32_t)given->numbers.count,
                            &steps) != NULL) {
        return tn_fail(call->host, TN_INTERNAL, "%s: the operator has let a wrong program through",
                       call->op);
    }
    TN_TRY(program_create(call, &program));
    require_elements(program, call, call->outputs[0]->dtype, 1);
    if (tn_element_count(call->outputs[0]) > 0) {
        add_launch(program, call, &steps);
    }
    return program_finish(program, call);
}

/* An input as large as the output is not stretched, so the output may have its memory. */
static const tn_in_place any_in_place[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};

const tn_kernel kernel_fused_elementwise = {
    SPIRV_KERNEL("fused_elementwise", supports_fused, prepare_fused),
    .in_place = any_in_place,
    .in_place_count = COUNT_OF(any_in_place),
    KERNEL_ATTRIBUTES(fields, fused_attributes),
};
