/*
 * MXNet's codes in the request of a reshape. Walking request and source from the left:
 *     n > 0     an extent of n
 *     0         the source's extent
 *    -1         whatever is left over, once
 *    -2         all remaining extents of the source
 *    -3         the product of the next two extents of the source
 *    -4 a b     the source's extent split into a and b, of which one may be -1
 * In reverse both are walked from the right; the operands of -4 then stand in front of it.
 */
#include "tensor/tensor.h"

#include <stdio.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "base/error.h"
#include "base/memory.h"

/* The longest request that can make sense: every extent split, each split three items. */
enum { MAX_REQUEST = 3 * TN_MAX_RANK };

enum { CODE_COPY = 0, CODE_INFER = -1, CODE_REST = -2, CODE_MERGE = -3, CODE_SPLIT = -4 };

typedef struct walk {
    tn_shape source;
    int64_t request[MAX_REQUEST];
    int32_t request_rank;
    int32_t read;     /* next item of the request */
    int32_t position; /* next axis of the source; may run beyond its end */
    int32_t inferred; /* axis of `out` that is left over, or -1 */
    tn_shape out;
} walk;

static void reverse_items(int64_t *items, int32_t count) {
    for (int32_t left = 0, right = count - 1; left < right; left++, right--) {
        const int64_t item = items[left];
        items[left] = items[right];
        items[right] = item;
    }
}

static tn_status put(walk *state, int64_t extent) {
    if (state->out.rank == TN_MAX_RANK) {
        return tni_fail(TN_INVALID_ARGUMENT, "the result has more than %d axes", TN_MAX_RANK);
    }
    state->out.extents[state->out.rank++] = extent;
    return TN_OK;
}

/* Takes the next extent of the source. */
static tn_status take(walk *state, const char *code, int64_t *out_extent) {
    if (state->position >= state->source.rank) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "code %s asks for axis %d of the source, which has %d axes", code,
                        (int)state->position, (int)state->source.rank);
    }
    *out_extent = state->source.extents[state->position++];
    return TN_OK;
}

static tn_status infer_later(walk *state) {
    if (state->inferred >= 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "-1 stands in it twice: only one extent can be "
                                             "inferred");
    }
    state->inferred = state->out.rank;
    state->position++;
    return put(state, CODE_INFER);
}

static tn_status copy_rest(walk *state) {
    while (state->position < state->source.rank) {
        TNI_TRY(put(state, state->source.extents[state->position++]));
    }
    return TN_OK;
}

static tn_status merge(walk *state) {
    int64_t left, right;
    TNI_TRY(take(state, "-3", &left));
    TNI_TRY(take(state, "-3", &right));
    return put(state, left * right); /* within the source's size, which was checked */
}

static tn_status split(walk *state) {
    if (state->request_rank - state->read < 2) {
        return tni_fail(TN_INVALID_ARGUMENT, "code -4 needs two extents with it");
    }
    int64_t left = state->request[state->read++];
    int64_t right = state->request[state->read++];
    int64_t extent;
    TNI_TRY(take(state, "-4", &extent));
    const bool left_open = left == CODE_INFER;
    const bool right_open = right == CODE_INFER;
    if ((left_open && right_open) || (!left_open && left < 1) || (!right_open && right < 1)) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "code -4 with %lld and %lld: expected extents of at least 1, of which one "
                        "may be -1",
                        (long long)left, (long long)right);
    }
    if (left_open) {
        left = extent / right;
    } else if (right_open) {
        right = extent / left;
    }
    uint64_t product;
    if (!tni_multiply((uint64_t)left, (uint64_t)right, &product) || product != (uint64_t)extent) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "code -4 cannot split an extent of %lld into %lld and %lld",
                        (long long)extent, (long long)left, (long long)right);
    }
    TNI_TRY(put(state, left));
    return put(state, right);
}

static tn_status step(walk *state) {
    const int64_t item = state->request[state->read++];
    int64_t extent = item;
    if (item > 0) {
        state->position++;
        return put(state, item);
    }
    switch (item) {
    case CODE_COPY: TNI_TRY(take(state, "0", &extent)); return put(state, extent);
    case CODE_INFER: return infer_later(state);
    case CODE_REST: return copy_rest(state);
    case CODE_MERGE: return merge(state);
    case CODE_SPLIT: return split(state);
    default:
        return tni_fail(TN_INVALID_ARGUMENT,
                        "%lld is no extent and no code: expected a number from -4 on",
                        (long long)item);
    }
}

/* Fills in the extent that was left over, and compares the element counts. */
static tn_status settle(walk *state) {
    const uint64_t total =
        (uint64_t)tn_extent_product(state->source.extents, 0, state->source.rank);
    uint64_t others = 1;
    for (int32_t axis = 0; axis < state->out.rank; axis++) {
        if (axis != state->inferred &&
            !tni_multiply(others, (uint64_t)state->out.extents[axis], &others)) {
            return tni_fail(TN_INVALID_ARGUMENT, "the result has more elements than can be "
                                                 "counted");
        }
    }
    if (state->inferred >= 0) {
        if (others == 0 || total % others != 0) {
            return tni_fail(TN_INVALID_ARGUMENT,
                            "-1 cannot be inferred: %llu elements are not a multiple of %llu",
                            (unsigned long long)total, (unsigned long long)others);
        }
        state->out.extents[state->inferred] = (int64_t)(total / others);
        return TN_OK;
    }
    if (others != total) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "the result would have %llu elements, the source has %llu",
                        (unsigned long long)others, (unsigned long long)total);
    }
    return TN_OK;
}

static tn_status resolve(walk *state, const tn_view *source, int32_t rank, const int64_t *request,
                         int32_t reverse) {
    if (rank < 0 || rank > MAX_REQUEST || (rank > 0 && request == NULL)) {
        return tni_fail(TN_INVALID_ARGUMENT, "a request of %d items: expected 0 to %d", (int)rank,
                        (int)MAX_REQUEST);
    }
    state->source = tn_shape_of(source->rank, source->shape);
    state->request_rank = rank;
    state->inferred = -1;
    if (rank > 0) {
        memcpy(state->request, request, (size_t)rank * sizeof request[0]);
    }
    if (reverse) {
        reverse_items(state->source.extents, state->source.rank);
        reverse_items(state->request, rank);
    }
    while (state->read < rank) {
        TNI_TRY(step(state));
    }
    TNI_TRY(settle(state));
    if (reverse) {
        reverse_items(state->out.extents, state->out.rank);
    }
    return TN_OK;
}

/* "(4,-1)": unlike the text of a shape, with its codes. */
static const char *request_text(int32_t rank, const int64_t *request, char *buffer, size_t size) {
    size_t used = (size_t)snprintf(buffer, size, "(");
    for (int32_t i = 0; request != NULL && i < rank && used + 32 < size; i++) {
        used += (size_t)snprintf(buffer + used, size - used, "%s%lld", i > 0 ? "," : "",
                                 (long long)request[i]);
    }
    snprintf(buffer + used, size - used, ")");
    return buffer;
}

tn_status tni_reshape_resolve(const tn_view *source, int32_t rank, const int64_t *request,
                              int32_t reverse, tn_shape *out_shape) {
    walk state;
    memset(&state, 0, sizeof state);
    const tn_status status = resolve(&state, source, rank, request, reverse);
    if (status != TN_OK) {
        char from[256], to[256];
        const tn_shape shape = tn_shape_of(source->rank, source->shape);
        return tni_in(status, "reshape of %s to %s%s", tn_shape_text(&shape, from, sizeof from),
                      request_text(rank, request, to, sizeof to), reverse ? " in reverse" : "");
    }
    *out_shape = state.out;
    return TN_OK;
}
