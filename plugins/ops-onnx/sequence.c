#include "sequence.h"

#include "given_output.h"
#include "integers.h"
#include "subgraph.h"

tn_status infer_sequence(tn_infer_call *call, uint32_t output) {
    const tn_shape shape = tn_shape_of_rank(1);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[output].dtype, TN_SEQUENCE));
    return tn_infer_shape(call->host, "the output", &call->outputs[output].shape, &shape);
}

tn_status sequence_open(const tn_run_call *call, uint32_t input, tn_view **out_items,
                        int64_t *out_count) {
    const tn_view *view = call->inputs[input];
    const int64_t count = tn_sequence_count(view);
    if (count < 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "input %u is %s, expected a sequence",
                       (unsigned)input,
                       tn_sequence_is_nothing(view) ? "an optional value without one"
                                                    : tn_dtype_name(view->dtype));
    }
    tn_view *items = (tn_view *)TN_SERVICE(call->host, memory)
                         ->allocate(call->host, ((uint64_t)count + 1) * sizeof *items);
    if (items == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a list of %lld tensors",
                       (long long)count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!tn_sequence_item(view, i, &items[i])) {
            TN_SERVICE(call->host, memory)->free(call->host, items);
            return tn_fail(call->host, TN_CORRUPT, "tensor %lld is not within its sequence",
                           (long long)i);
        }
    }
    *out_items = items;
    *out_count = count;
    return TN_OK;
}

tn_status sequence_deliver(const tn_run_call *call, uint32_t output, const tn_view *items,
                           int64_t count) {
    const int64_t size = (int64_t)tn_sequence_size(items, count);
    const tn_shape shape = tn_shape_of(1, &size);
    const tn_view *target;
    TN_TRY(open_output(call, output, TN_SEQUENCE, &shape, &target));
    tn_sequence_write(items, count, tn_data(target));
    return TN_OK;
}

tn_status deliver_view(const tn_run_call *call, const tn_view *view) {
    const tn_shape shape = tn_shape_of(view->rank, view->shape);
    const tn_view *output;
    TN_TRY(open_output(call, 0, view->dtype, &shape, &output));
    if (output->dtype != view->dtype) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the tensor is %s, expected %s",
                       tn_dtype_name(view->dtype), tn_dtype_name(output->dtype));
    }
    if (tn_byte_size(view) > 0) {
        memcpy(tn_data(output), tn_data(view), tn_byte_size(view));
    }
    return TN_OK;
}

tn_status sequence_position(const tn_run_call *call, uint32_t input, int64_t count, int64_t end,
                            int64_t absent, int64_t *out_position) {
    const tn_view *view = run_input(call, input);
    int64_t position = absent;
    if (view != NULL) {
        TN_TRY(single_integer(call->host, "position", view, &position));
        if (position < -count || position >= end) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "there is no position %lld in a sequence of %lld tensors",
                           (long long)position, (long long)count);
        }
    }
    *out_position = position < 0 ? position + count : position;
    return TN_OK;
}
