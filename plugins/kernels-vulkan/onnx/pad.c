/* Pad of ONNX: margins by an input, which below 0 cut away. */
#include "elementwise/pad.h"

#include "entries_onnx.h"
#include "lists.h"

enum { PADS = 1, VALUE, AXES };

typedef struct pad_attributes {
    tn_ints pads;
    double value;
    int32_t mode;
} pad_attributes;

static const tn_attribute table[] = {
    TN_FIELD(pad_attributes, pads, INTS, "()", NULL, "The margins in front, then those behind."),
    TN_FIELD(pad_attributes, value, FLOAT, "0", NULL, "The constant."),
    TN_FIELD_CHOICE(pad_attributes, mode, "constant", "constant|reflect|edge|wrap",
                    "What a margin holds."),
};

static const uint32_t modes[] = {PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP};

/* What is in front of each axis, and the axes that this makes. */
static pad_axes axes_of(const known_list *pads, const known_list *named, int axes_are_given,
                        int32_t rank, const int64_t *inside, const int64_t *outside) {
    const int32_t count = axes_are_given ? named->count : rank;
    int64_t before[TN_MAX_RANK] = {0};
    for (int32_t i = 0; i < count; i++) {
        const int64_t axis = axes_are_given ? named->values[i] : i;
        before[axis < 0 ? axis + rank : axis] = pads->values[i];
    }
    return pad_axes_of(rank, inside, outside, before);
}

static int32_t supports_pad(const tn_kernel_query *query) {
    const pad_attributes *given = query->attributes;
    const tn_shape *inside = &query->inputs[0].shape, *outside = &query->outputs[0].shape;
    const known_list pads = list_in_query(query, PADS, &given->pads);
    const known_list named = list_in_query(query, AXES, NULL);
    const int axes_are_given = query->input_count > AXES && query->inputs[AXES].dtype != 0;
    return pads.is_known && named.is_known && supports_sizes(query) &&
           TN_DTYPE_SIZE(query->outputs[0].dtype) <= 8 &&
           axes_of(&pads, &named, axes_are_given, inside->rank, inside->extents, outside->extents)
                   .rank <= MAX_PAD_AXES;
}

static tn_status prepare_pad(tn_prepare_call *call) {
    const pad_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const known_list pads = list_in_call(call, PADS, &given->pads);
    const known_list named = list_in_call(call, AXES, NULL);
    const int axes_are_given = call->input_count > AXES && call->inputs[AXES] != NULL;
    const pad_axes axes =
        axes_of(&pads, &named, axes_are_given, data->rank, data->shape, output->shape);
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_pad(program, call, &axes, modes[given->mode], bits_of_element(given->value, output->dtype),
            VALUE);
    return program_finish(program, call);
}

const tn_kernel onnx_pad_kernel = {
    SPIRV_KERNEL("onnx.Pad", supports_pad, prepare_pad),
    KERNEL_ATTRIBUTES(table, pad_attributes),
};
