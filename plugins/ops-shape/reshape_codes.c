#include "reshape_codes.h"

#include "extents.h"

#define CODE_COPY 0
#define CODE_INFER (-1)
#define CODE_COPY_REST (-2)
#define CODE_JOIN (-3)
#define CODE_SPLIT (-4)

/* A walk over the codes, with a position in the input's shape that follows. */
typedef struct walk {
    const tn_host *host;
    const tn_shape *source;
    const tn_ints *codes;
    int from_right;
    int64_t next; /* code */
    int32_t position;
    int32_t inferred; /* codes -1 so far */
    tn_shape *target;
} walk;

static int64_t take_code(walk *state) {
    const int64_t i = state->next++;
    return state->codes->values[state->from_right ? state->codes->count - 1 - i : i];
}

static int64_t take_extent(walk *state) {
    const int32_t i = state->position++;
    return state->source->extents[state->from_right ? state->source->rank - 1 - i : i];
}

static tn_status require_extents(const walk *state, int32_t count, int64_t code) {
    if (state->position + count > state->source->rank) {
        return tn_fail(state->host, TN_INVALID_ARGUMENT,
                       "code %lld needs %d more input axes, but the input has rank %d",
                       (long long)code, (int)count, (int)state->source->rank);
    }
    return TN_OK;
}

/* -4 a b: one extent becomes two; one of them may be -1. */
static tn_status split_extent(walk *state) {
    TN_TRY(require_extents(state, 1, CODE_SPLIT));
    if (state->next + 2 > state->codes->count) {
        return tn_fail(state->host, TN_INVALID_ARGUMENT, "code -4 needs two extents beside it");
    }
    const int64_t extent = take_extent(state);
    const int64_t first = take_code(state), second = take_code(state);
    if (first < -1 || second < -1 || (first == -1 && second == -1)) {
        return tn_fail(state->host, TN_INVALID_ARGUMENT,
                       "code -4 cannot split into %lld and %lld: only one of them may be inferred",
                       (long long)first, (long long)second);
    }
    tn_shape whole = tn_shape_of(1, &extent);
    tn_shape parts = tn_shape_of(2, (const int64_t[]){first, second});
    TN_TRY(infer_same_count(state->host, &whole, &parts));
    TN_TRY(extents_append(state->host, state->target, parts.extents[0]));
    return extents_append(state->host, state->target, parts.extents[1]);
}

static tn_status join_extents(walk *state) {
    int64_t product;
    TN_TRY(require_extents(state, 2, CODE_JOIN));
    const int64_t first = take_extent(state), second = take_extent(state);
    TN_TRY(extent_multiply(state->host, first, second, &product));
    return extents_append(state->host, state->target, product);
}

static tn_status apply_code(walk *state, int64_t code) {
    switch (code) {
    case CODE_COPY:
        TN_TRY(require_extents(state, 1, CODE_COPY));
        return extents_append(state->host, state->target, take_extent(state));
    case CODE_COPY_REST:
        while (state->position < state->source->rank) {
            TN_TRY(extents_append(state->host, state->target, take_extent(state)));
        }
        return TN_OK;
    case CODE_JOIN: return join_extents(state);
    case CODE_SPLIT: return split_extent(state);
    case CODE_INFER:
        if (state->inferred++ > 0) {
            return tn_fail(state->host, TN_INVALID_ARGUMENT, "only one extent may be -1");
        }
        state->position++;
        return extents_append(state->host, state->target, TN_UNKNOWN);
    default: state->position++; return extents_append(state->host, state->target, code);
    }
}

/* Whether a code takes extents from the input. */
static int need_source(const tn_ints *codes) {
    for (int64_t i = 0; i < codes->count; i++) {
        if (codes->values[i] == CODE_COPY || codes->values[i] <= CODE_COPY_REST) {
            return 1;
        }
    }
    return 0;
}

static void reverse_extents(tn_shape *shape) {
    for (int32_t i = 0; i < shape->rank / 2; i++) {
        const int64_t extent = shape->extents[i];
        shape->extents[i] = shape->extents[shape->rank - 1 - i];
        shape->extents[shape->rank - 1 - i] = extent;
    }
}

tn_status shape_from_codes(const tn_host *host, const tn_shape *data, const tn_ints *codes,
                           int from_right, tn_shape *out_shape) {
    *out_shape = tn_shape_unknown();
    if (data->rank < 0 && need_source(codes)) {
        return TN_OK;
    }
    tn_shape target = tn_shape_of(0, NULL);
    walk state = {host, data, codes, from_right, 0, 0, 0, &target};
    while (state.next < codes->count) {
        TN_TRY(apply_code(&state, take_code(&state)));
    }
    if (from_right) {
        reverse_extents(&target);
    }
    *out_shape = target;
    return TN_OK;
}
