#include "elements.h"

const tn_in_place first_in_place[1] = {{0, 0}};

uint32_t element_code(tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return ELEMENT_F32;
    case TN_F16: return ELEMENT_F16;
    case TN_BF16: return ELEMENT_BF16;
    case TN_I8: return ELEMENT_I8;
    case TN_U8: return ELEMENT_U8;
    case TN_I16: return ELEMENT_I16;
    case TN_U16: return ELEMENT_U16;
    case TN_I32: return ELEMENT_I32;
    case TN_I64: return ELEMENT_I64;
    case TN_BOOL: return ELEMENT_BOOL;
    default: return ELEMENT_NONE;
    }
}

int64_t whole_of(double value) {
    if (value >= 0x1p63) {
        return INT64_MAX;
    }
    return value > -0x1p63 ? (int64_t)value : INT64_MIN;
}

element_bits bits_of_whole(int64_t value) {
    return (element_bits){(uint32_t)value, (uint32_t)((uint64_t)value >> 32)};
}

/* Through int32 for what is narrower. */
static int64_t truncated_for(double value, tn_dtype dtype) {
    if (TN_DTYPE_SIZE(dtype) == 8 || dtype == TN_U32) {
        return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
    }
    return value > -0x1p31 - 1 && value < 0x1p31 ? (int64_t)value : INT32_MIN;
}

element_bits bits_of_element(double value, tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return (element_bits){tn_bits_from_float((float)value), 0};
    case TN_F16: return (element_bits){tn_f16_from_float((float)value), 0};
    case TN_BF16: return (element_bits){tn_bf16_from_float((float)value), 0};
    case TN_BOOL: return (element_bits){value != 0, 0};
    case TN_F64: {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits_of_whole((int64_t)bits);
    }
    default: return bits_of_whole(truncated_for(value, dtype));
    }
}

element_bits bits_to_fill_with(element_bits element, uint64_t size) {
    uint32_t low = element.low;
    if (size == 1) {
        low = (low & 0xffu) * 0x01010101u;
    } else if (size == 2) {
        low = (low & 0xffffu) * 0x00010001u;
    }
    return (element_bits){low, size == 8 ? element.high : low};
}

void require_elements(device_program *program, const tn_prepare_call *call, tn_dtype dtype,
                      int wholes) {
    const tn_device_limits *limits = program_limits(program);
    const uint64_t size = TN_DTYPE_SIZE(dtype);
    const int fits = size == 1   ? limits->has_i8 != 0
                     : size == 2 ? limits->has_f16 != 0
                     : size == 8 ? !wholes || limits->has_i64 != 0
                                 : 1;
    if (!fits) {
        program_fail(program,
                     tn_fail(call->host, TN_UNSUPPORTED, "%s: the device has no elements of %s",
                             call->op, tn_dtype_name(dtype)));
    }
}

/* Invocations in a window: whole workgroups, and offsets that suit any device. */
#define WINDOW_STEP 1024u

void add_contiguous(device_program *program, program_launch *launch, uint32_t *push, uint64_t count,
                    const uint32_t *bytes) {
    const uint64_t limit = program_limits(program)->max_binding_size;
    uint64_t window = count;
    for (uint32_t k = 0; k < launch->shader->binding_count; k++) {
        if (limit > 0 && window > limit / bytes[k]) {
            window = limit / bytes[k] / WINDOW_STEP * WINDOW_STEP;
        }
    }
    for (uint64_t begin = 0; begin < count && window > 0; begin += window) {
        const uint64_t part = count - begin < window ? count - begin : window;
        program_launch here = *launch;
        for (uint32_t k = 0; k < launch->shader->binding_count; k++) {
            here.bindings[k].offset += begin * bytes[k];
            here.bindings[k].size = part * bytes[k];
        }
        here.invocations = part;
        push[0] = (uint32_t)part;
        program_add(program, &here);
    }
}

tn_status prepare_each_element(tn_prepare_call *call, lane_shaders shaders,
                               const tn_specialization *constants, uint32_t constant_count,
                               uint32_t *push, uint32_t push_count) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    const uint32_t size = (uint32_t)TN_DTYPE_SIZE(dtype);
    const uint64_t count = (uint64_t)tn_element_count(call->outputs[0]);
    const uint32_t lanes = (size == 2 || size == 4) && count % 4 == 0 ? 4 : 1;
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, dtype, 1);
    program_launch launch = {
        .shader = shaders[size_class(size)][lanes == 4],
        .bindings = {bind_input(call, 0), bind_output(call, 0)},
        .push = push,
        .push_size = push_count * (uint32_t)sizeof *push,
        .specializations = constants,
        .specialization_count = constant_count,
    };
    add_contiguous(program, &launch, push, count / lanes,
                   (const uint32_t[]){size * lanes, size * lanes});
    return program_finish(program, call);
}
