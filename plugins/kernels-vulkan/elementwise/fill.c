/* _zeros, _ones, _full, zeros_like, ones_like and _arange: tensors from nothing. */
#include <math.h>

#include "entries_elementwise.h"
#include "functions.h"

static sized_shaders fill_shaders = SHADERS_TO_16(fill_bits);
static sized_shaders range_shaders = SHADERS_TO_8(range);

/* In elements as large as divide the tensor. */
void add_fill(device_program *program, const tn_prepare_call *call, uint32_t number,
              element_bits element) {
    const tn_view *output = call->outputs[number];
    const uint64_t bytes = tn_byte_size(output);
    uint32_t size = (uint32_t)TN_DTYPE_SIZE(output->dtype);
    const element_bits bits = bits_to_fill_with(element, size);
    uint32_t push[] = {0, bits.low, bits.high};
    while (size < 16 && bytes % (2 * size) == 0) {
        size *= 2;
    }
    if (size < 4) {
        require_elements(program, call, output->dtype, 0);
    }
    program_launch launch = {
        .shader = fill_shaders[size_class(size)],
        .bindings = {bind_output(call, number)},
        .push = push,
        .push_size = sizeof push,
    };
    add_contiguous(program, &launch, push, bytes / size, &size);
}

static tn_status prepare_fill(tn_prepare_call *call, double value) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_fill(program, call, 0, bits_of_element(value, call->outputs[0]->dtype));
    return program_finish(program, call);
}

static tn_status prepare_zeros(tn_prepare_call *call) {
    return prepare_fill(call, 0);
}

static tn_status prepare_ones(tn_prepare_call *call) {
    return prepare_fill(call, 1);
}

const tn_kernel kernel__zeros = {SPIRV_KERNEL("_zeros", supports_sizes, prepare_zeros)};
const tn_kernel kernel__ones = {SPIRV_KERNEL("_ones", supports_sizes, prepare_ones)};
const tn_kernel kernel_zeros_like = {SPIRV_KERNEL("zeros_like", supports_sizes, prepare_zeros)};
const tn_kernel kernel_ones_like = {SPIRV_KERNEL("ones_like", supports_sizes, prepare_ones)};

typedef struct full_attributes {
    double value;
} full_attributes;

static const tn_attribute full_fields[] = {
    TN_FIELD(full_attributes, value, FLOAT, NULL, NULL, "The value of every element."),
};

/* Where an integer cannot hold the value, the CPU's kernel decides. */
static int32_t supports_full(const tn_kernel_query *query) {
    const full_attributes *given = query->attributes;
    const int fits = is_real(query->outputs[0].dtype) || fabs(given->value) < 0x1p31;
    return fits && supports_sizes(query);
}

static tn_status prepare_full(tn_prepare_call *call) {
    const full_attributes *given = call->attributes;
    return prepare_fill(call, given->value);
}

const tn_kernel kernel__full = {
    SPIRV_KERNEL("_full", supports_full, prepare_full),
    KERNEL_ATTRIBUTES(full_fields, full_attributes),
};

typedef struct arange_attributes {
    double start;
    double stop;
    double step;
    int64_t repeat;
    int32_t infer_range;
} arange_attributes;

static const tn_attribute arange_fields[] = {
    TN_FIELD(arange_attributes, start, FLOAT, NULL, NULL, "The first number, or the stop."),
    TN_FIELD_OR_NONE(arange_attributes, stop, FLOAT, "None", NULL, "The numbers end before it."),
    TN_FIELD(arange_attributes, step, FLOAT, "1", NULL, "From number to number."),
    TN_FIELD(arange_attributes, repeat, INT, "1", "[1,inf)", "How often each number appears."),
    TN_FIELD(arange_attributes, infer_range, BOOL, "False", NULL, "Whether start is no stop."),
};

static int32_t supports_arange(const tn_kernel_query *query) {
    const arange_attributes *given = query->attributes;
    return supports_one_dtype(query) && given->repeat < MAX_ELEMENTS;
}

static element_bits number_bits(double value, tn_dtype dtype) {
    return is_real(dtype) ? (element_bits){tn_bits_from_float((float)value), 0}
                          : bits_of_whole(whole_of(value));
}

static tn_status prepare_arange(tn_prepare_call *call) {
    const arange_attributes *given = call->attributes;
    const tn_view *output = call->outputs[0];
    const double first = isnan(given->stop) && !given->infer_range ? 0 : given->start;
    const element_bits start = number_bits(first, output->dtype);
    const element_bits step = number_bits(given->step, output->dtype);
    const uint32_t push[] = {(uint32_t)tn_element_count(output),
                             (uint32_t)given->repeat,
                             start.low,
                             start.high,
                             step.low,
                             step.high};
    const tn_specialization constants[] = {{1, element_code(output->dtype)}};
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, output->dtype, 1);
    program_add(program, &(program_launch){
                             .shader = sized_shader(range_shaders, output->dtype),
                             .invocations = push[0],
                             .bindings = {bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
    return program_finish(program, call);
}

const tn_kernel kernel__arange = {
    SPIRV_KERNEL("_arange", supports_arange, prepare_arange),
    KERNEL_ATTRIBUTES(arange_fields, arange_attributes),
};
