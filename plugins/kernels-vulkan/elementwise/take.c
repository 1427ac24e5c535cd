/* take, Embedding and pick: elements that indices along an axis name. */
#include "take.h"
#include "entries_elementwise.h"

static sized_shaders shaders = SHADERS_TO_16(take);

enum { BEYOND_CLIP, BEYOND_RAISE, BEYOND_WRAP };

static tn_status check_extent(const tn_prepare_call *call, const take_plan *plan) {
    const tn_view *data = call->inputs[plan->data], *indices = call->inputs[plan->indices];
    const int64_t count = tn_element_count(indices);
    if (count > 0 && data->shape[plan->axis] == 0) {
        return tn_fail(call->host, TN_OUT_OF_RANGE,
                       "%lld indices into axis %d, which has no elements", (long long)count,
                       (int)plan->axis);
    }
    return TN_OK;
}

tn_status prepare_taking(tn_prepare_call *call, const take_plan *plan) {
    const tn_view *data = call->inputs[plan->data], *indices = call->inputs[plan->indices];
    const tn_view *output = call->outputs[0];
    uint64_t inner = (uint64_t)tn_extent_product(data->shape, plan->axis + 1, data->rank);
    uint64_t count = (uint64_t)tn_element_count(output);
    uint64_t size = TN_DTYPE_SIZE(data->dtype);
    device_program *program;
    TN_TRY(check_extent(call, plan));
    while (!plan->picks && size < 16 && inner > 0 && inner % 2 == 0) {
        size *= 2;
        inner /= 2;
        count /= 2;
    }
    const uint32_t push[] = {(uint32_t)count, (uint32_t)tn_element_count(indices), (uint32_t)inner,
                             (uint32_t)data->shape[plan->axis]};
    const tn_specialization constants[] = {
        {3, plan->wraps != 0}, number_constant(indices->dtype), {5, plan->picks != 0}};
    TN_TRY(program_create(call, &program));
    if (size < 4) {
        require_elements(program, call, data->dtype, 0);
    }
    program_add(program, &(program_launch){
                             .shader = shaders[size_class(size)],
                             .invocations = count,
                             .bindings = {bind_input(call, plan->data),
                                          bind_input(call, plan->indices), bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
    return program_finish(program, call);
}

typedef struct take_attributes {
    int64_t axis;
    int32_t mode;
} take_attributes;

static const tn_attribute take_fields[] = {
    TN_FIELD(take_attributes, axis, INT, "0", "[-32,31]", "The axis that the indices are of."),
    TN_FIELD_CHOICE(take_attributes, mode, "clip", "clip|raise|wrap", "Indices beyond the axis."),
};

/* A device cannot raise errors. */
static int32_t supports_take(const tn_kernel_query *query) {
    const take_attributes *given = query->attributes;
    return given->mode != BEYOND_RAISE && is_number_dtype(query->inputs[1].dtype) &&
           supports_sizes(query);
}

static int32_t axis_of(int64_t axis, const tn_view *data) {
    return (int32_t)(axis < 0 ? axis + data->rank : axis);
}

static tn_status prepare_take(tn_prepare_call *call) {
    const take_attributes *given = call->attributes;
    const take_plan plan = {.data = 0,
                            .indices = 1,
                            .axis = axis_of(given->axis, call->inputs[0]),
                            .wraps = given->mode == BEYOND_WRAP};
    return prepare_taking(call, &plan);
}

const tn_kernel kernel_take = {
    SPIRV_KERNEL("take", supports_take, prepare_take),
    KERNEL_ATTRIBUTES(take_fields, take_attributes),
};

static int32_t supports_embedding(const tn_kernel_query *query) {
    return is_number_dtype(query->inputs[0].dtype) && supports_sizes(query);
}

static tn_status prepare_embedding(tn_prepare_call *call) {
    return prepare_taking(call, &(take_plan){.data = 1, .indices = 0});
}

const tn_kernel kernel_Embedding = {
    SPIRV_KERNEL("Embedding", supports_embedding, prepare_embedding),
};

typedef struct pick_attributes {
    int64_t axis;
    int32_t mode;
} pick_attributes;

static const tn_attribute pick_fields[] = {
    TN_FIELD(pick_attributes, axis, INT, "-1", "[-32,31]", "The axis to pick along."),
    TN_FIELD_CHOICE(pick_attributes, mode, "clip", "clip|wrap", "Indices beyond the axis."),
};

static int32_t supports_pick(const tn_kernel_query *query) {
    return is_number_dtype(query->inputs[1].dtype) && supports_sizes(query);
}

static tn_status prepare_pick(tn_prepare_call *call) {
    const pick_attributes *given = call->attributes;
    const take_plan plan = {.data = 0,
                            .indices = 1,
                            .axis = axis_of(given->axis, call->inputs[0]),
                            .wraps = given->mode != BEYOND_CLIP,
                            .picks = 1};
    return prepare_taking(call, &plan);
}

#define PICK_KERNEL(NAME)                                                                          \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_pick, prepare_pick),                                          \
        KERNEL_ATTRIBUTES(pick_fields, pick_attributes),                                           \
    };
PICK_KERNEL(pick)
PICK_KERNEL(choose_element_0index)
