/* A tensor into a sequence of its parts, and a sequence into one tensor. */
#include "elements.h"
#include "families.h"
#include "given_output.h"
#include "integers.h"
#include "operator.h"
#include "sequence.h"
#include "subgraph.h"

static const char *const output_names[] = {"output"};

/* A tensor as rows of `whole` bytes, of which those of a part begin at `place`. */
struct band {
    const char *source;
    char *target;
    int64_t rows;
    size_t source_step, target_step, size;
};

static void copy_band(const struct band *band) {
    for (int64_t row = 0; row < band->rows && band->size > 0; row++) {
        memcpy(band->target + (size_t)row * band->target_step,
               band->source + (size_t)row * band->source_step, band->size);
    }
}

/* SplitToSequence */

typedef struct split_attributes {
    int64_t axis;
    int32_t keepdims;
} split_attributes;

static const tn_attribute split_table[] = {
    TN_FIELD(split_attributes, axis, INT, "0", "[-32,31]", "The axis to cut."),
    TN_FIELD(split_attributes, keepdims, BOOL, "True", NULL,
             "Whether parts of extent 1 keep the axis, when nothing says how to cut."),
};

static const char *const split_names[] = {"input", "split"};
static const uint32_t split_optional[] = {1};

static tn_status infer_split(tn_infer_call *call) {
    return infer_sequence(call, 0);
}

/* The parts: how many, and how long each is, in a list to be freed. */
static tn_status find_parts(const tn_run_call *call, int64_t extent, int64_t **out_lengths,
                            int64_t *out_count) {
    const tn_view *split = run_input(call, 1);
    int64_t step = 1, sum = 0, count = extent;
    const int is_list = split != NULL && split->rank > 0;
    if (is_list) {
        count = tn_element_count(split);
    } else if (split != NULL) {
        TN_TRY(single_integer(call->host, "split", split, &step));
        if (step < 1) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "parts of length %lld",
                           (long long)step);
        }
        count = extent / step + (extent % step > 0);
    }
    int64_t *lengths = (int64_t *)TN_SERVICE(call->host, memory)
                           ->allocate(call->host, ((uint64_t)count + 1) * sizeof *lengths);
    if (lengths == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for %lld parts", (long long)count);
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t left = extent - sum;
        lengths[i] = is_list       ? read_integer(split->dtype, tn_data(split), i)
                     : step < left ? step
                                   : left;
        if (lengths[i] < 0 || lengths[i] > left) {
            TN_SERVICE(call->host, memory)->free(call->host, lengths);
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "part %lld of an axis of %lld",
                           (long long)i, (long long)extent);
        }
        sum += lengths[i];
    }
    if (sum != extent) {
        TN_SERVICE(call->host, memory)->free(call->host, lengths);
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the parts cover %lld of %lld",
                       (long long)sum, (long long)extent);
    }
    *out_lengths = lengths;
    *out_count = count;
    return TN_OK;
}

/* Each part is made compact first, as a sequence has it. */
static tn_status deliver_parts(const tn_run_call *call, int32_t axis, const int64_t *lengths,
                               int64_t count, int drops_axis) {
    const tn_view *whole = call->inputs[0];
    const tn_host *host = call->host;
    const int32_t rank = whole->rank - drops_axis;
    const uint64_t shape_size = ((uint64_t)count * (uint64_t)rank + 1) * sizeof(int64_t);
    const uint64_t list_size = ((uint64_t)count + 1) * sizeof(tn_view);
    char *memory = (char *)TN_SERVICE(host, memory)
                       ->allocate(host, list_size + shape_size + tn_byte_size(whole) + 64);
    if (memory == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %lld parts", (long long)count);
    }
    tn_view *items = (tn_view *)(void *)memory;
    int64_t *extents = (int64_t *)(void *)(memory + list_size);
    char *elements = memory + list_size + shape_size;
    const size_t inner = (size_t)tn_extent_product(whole->shape, axis + 1, whole->rank) *
                         TN_DTYPE_SIZE(whole->dtype);
    const int64_t rows = tn_extent_product(whole->shape, 0, axis);
    size_t done = 0;
    for (int64_t i = 0; i < count; i++) {
        const size_t size = (size_t)lengths[i] * inner;
        int64_t *shape = extents + i * rank;
        for (int32_t a = 0, to = 0; a < whole->rank; a++) {
            if (a != axis || !drops_axis) {
                shape[to++] = a == axis ? lengths[i] : whole->shape[a];
            }
        }
        items[i] = (tn_view){.data = elements,
                             .device = whole->device,
                             .rank = rank,
                             .dtype = whole->dtype,
                             .shape = shape};
        copy_band(&(struct band){(const char *)tn_data(whole) + done, elements, rows,
                                 (size_t)whole->shape[axis] * inner, size, size});
        elements += (size_t)rows * size;
        done += size;
    }
    const tn_status status = sequence_deliver(call, 0, items, count);
    TN_SERVICE(host, memory)->free(host, memory);
    return status;
}

static tn_status run_split(const tn_run_call *call) {
    const split_attributes *own = call->attributes;
    const tn_view *whole = call->inputs[0];
    int32_t axis;
    int64_t *lengths, count;
    TN_TRY(tn_resolve_axis(call->host, own->axis, whole->rank, &axis));
    TN_TRY(find_parts(call, whole->shape[axis], &lengths, &count));
    const tn_status status =
        deliver_parts(call, axis, lengths, count, run_input(call, 1) == NULL && !own->keepdims);
    TN_SERVICE(call->host, memory)->free(call->host, lengths);
    return status;
}

const tn_op split_to_sequence_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc =
        "Cuts a tensor along an axis into a sequence of parts: of one length, of listed lengths, "
        "or of extent 1.",
    OP_ATTRIBUTES(split_table, split_attributes),
    OP_INPUTS(split_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(split_optional),
    .infer = infer_split,
};
const tn_kernel split_to_sequence_kernel = {CPU_KERNEL("onnx.SplitToSequence"),
                                            .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_split};

/* ConcatFromSequence */

typedef struct concat_attributes {
    int64_t axis;
    int32_t new_axis;
} concat_attributes;

static const tn_attribute concat_table[] = {
    TN_FIELD(concat_attributes, axis, INT, NULL, "[-32,31]", "The axis to join along."),
    TN_FIELD(concat_attributes, new_axis, BOOL, "False", NULL,
             "Whether it is one more, with an extent of 1 in each tensor."),
};

static const char *const concat_names[] = {"sequence"};

static tn_status infer_concat(tn_infer_call *call) {
    (void)call;
    return TN_OK;
}

/* The shape of the whole; all tensors must agree but for the extent along the axis. */
static tn_status joined_shape(const tn_run_call *call, const tn_view *items, int64_t count,
                              tn_shape *out_shape, int32_t *out_axis) {
    const concat_attributes *own = call->attributes;
    if (count == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the sequence has no tensors");
    }
    const tn_view *first = &items[0];
    TN_TRY(tn_resolve_axis(call->host, own->axis, first->rank + own->new_axis, out_axis));
    if (first->rank + own->new_axis > TN_MAX_RANK) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "a tensor of rank %d", (int)first->rank + 1);
    }
    tn_shape shape = tn_shape_of_rank(first->rank + own->new_axis);
    for (int32_t a = 0; a < shape.rank; a++) {
        const int32_t from = a - (own->new_axis && a > *out_axis);
        shape.extents[a] = a == *out_axis ? 0 : first->shape[from];
    }
    for (int64_t i = 0; i < count; i++) {
        int agrees = items[i].rank == first->rank && items[i].dtype == first->dtype;
        for (int32_t a = 0; agrees && a < first->rank; a++) {
            agrees = items[i].shape[a] == first->shape[a] || (!own->new_axis && a == *out_axis);
        }
        if (!agrees) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "tensor %lld of the sequence has not the type of the first",
                           (long long)i);
        }
        shape.extents[*out_axis] += own->new_axis ? 1 : items[i].shape[*out_axis];
    }
    *out_shape = shape;
    return TN_OK;
}

static tn_status join(const tn_run_call *call, const tn_view *items, int64_t count) {
    const concat_attributes *own = call->attributes;
    const tn_view *output;
    tn_shape shape;
    int32_t axis;
    TN_TRY(joined_shape(call, items, count, &shape, &axis));
    TN_TRY(open_output(call, 0, items[0].dtype, &shape, &output));
    const size_t inner = (size_t)tn_extent_product(shape.extents, axis + 1, shape.rank) *
                         TN_DTYPE_SIZE(items[0].dtype);
    const int64_t rows = tn_extent_product(shape.extents, 0, axis);
    size_t done = 0;
    for (int64_t i = 0; i < count; i++) {
        const size_t size = (own->new_axis ? 1 : (size_t)items[i].shape[axis]) * inner;
        copy_band(&(struct band){tn_data(&items[i]), (char *)tn_data(output) + done, rows, size,
                                 (size_t)shape.extents[axis] * inner, size});
        done += size;
    }
    return TN_OK;
}

static tn_status run_concat(const tn_run_call *call) {
    tn_view *items;
    int64_t count;
    TN_TRY(sequence_open(call, 0, &items, &count));
    const tn_status status = join(call, items, count);
    TN_SERVICE(call->host, memory)->free(call->host, items);
    return status;
}

const tn_op concat_from_sequence_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "Joins the tensors of a sequence along an axis.",
    OP_ATTRIBUTES(concat_table, concat_attributes),
    OP_INPUTS(concat_names),
    OP_OUTPUTS(output_names),
    .infer = infer_concat,
};
const tn_kernel concat_from_sequence_kernel = {
    CPU_KERNEL("onnx.ConcatFromSequence"), .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_concat};
