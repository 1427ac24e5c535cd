/* Einsum of one or two operands: a matrix product where their axes make one, otherwise each element
 * of the output is summed for itself. Inference has checked the equation. */
#include "dense/product.h"
#include "elementwise/axes.h"
#include "entries_onnx.h"

enum { OPERANDS = 2, LETTERS = 52, LABELS = LETTERS + TN_MAX_RANK };
enum { OUTER_AXES = 6, INNER_AXES = 3 };

typedef struct einsum_attributes {
    const char *equation;
} einsum_attributes;

static const tn_attribute table[] = {
    TN_FIELD(einsum_attributes, equation, STRING, NULL, NULL, "The axes, as letters."),
};

/* The axes of an operand or the output: letters, and behind them those of the ellipsis, counted
 * from the last. */
typedef struct einsum_term {
    int32_t count;
    int32_t labels[TN_MAX_RANK];
} einsum_term;

typedef struct einsum_walk {
    joined_axes outer, inner; /* the output's axes, and those that are summed over */
} einsum_walk;

static int32_t label_of(char letter) {
    return letter >= 'a' && letter <= 'z'   ? letter - 'a'
           : letter >= 'A' && letter <= 'Z' ? letter - 'A' + 26
                                            : -1;
}

static int ends_term(char c) {
    return c == '\0' || c == ',' || c == '-';
}

static void append(einsum_term *term, int32_t label) {
    if (term->count < TN_MAX_RANK) {
        term->labels[term->count++] = label;
    }
}

/* A term, behind which the text goes on; its ellipsis stands for `ellipsis` axes. */
static const char *read_term(const char *at, int32_t ellipsis, einsum_term *out_term) {
    out_term->count = 0;
    for (; !ends_term(*at); at++) {
        if (*at == '.' && at[1] == '.') {
            for (int32_t i = ellipsis; i > 0; i--) {
                append(out_term, LETTERS + i - 1);
            }
            at += at[2] == '.' ? 2 : 1;
        } else if (label_of(*at) >= 0) {
            append(out_term, label_of(*at));
        }
    }
    return at;
}

static int32_t count_letters(const char *at) {
    int32_t count = 0;
    for (; !ends_term(*at); at++) {
        count += label_of(*at) >= 0;
    }
    return count;
}

/* Without an arrow: the ellipsis, then the letters that are there once, as ASCII orders them. */
static void imply_output(const einsum_term *operands, uint32_t count, int32_t ellipsis,
                         einsum_term *out_term) {
    int32_t seen[LABELS] = {0};
    out_term->count = 0;
    for (uint32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < operands[k].count; i++) {
            seen[operands[k].labels[i]]++;
        }
    }
    for (int32_t i = ellipsis; i > 0; i--) {
        append(out_term, LETTERS + i - 1);
    }
    for (int32_t i = 0; i < LETTERS; i++) {
        const int32_t label = (i + 26) % LETTERS;
        if (seen[label] == 1) {
            append(out_term, label);
        }
    }
}

/* A label's extent, and its stride in each operand: an extent of 1 is stretched, and a label that
 * stands twice goes along the diagonal. */
typedef struct label_walk {
    int64_t extent;
    int64_t strides[OPERANDS];
} label_walk;

static void walk_operand(const einsum_term *term, const int64_t *extents, uint32_t operand,
                         label_walk *labels) {
    int64_t strides[TN_MAX_RANK];
    axes_compact_strides(term->count, extents, strides);
    for (int32_t i = 0; i < term->count; i++) {
        label_walk *label = &labels[term->labels[i]];
        label->extent = label->extent < 0 || label->extent == 1 ? extents[i] : label->extent;
        label->strides[operand] += extents[i] == 1 ? 0 : strides[i];
    }
}

static void add_label(joined_axes *axes, label_walk *label) {
    if (label->extent >= 0) {
        axes_add(axes, label->extent, label->strides[0], label->strides[1]);
        label->extent = TN_UNKNOWN; /* it is walked along once */
    }
}

static void find_walk(const char *equation, uint32_t count, const int32_t *ranks,
                      const int64_t *const *extents, einsum_walk *out_walk) {
    einsum_term operands[OPERANDS] = {{0}}, output;
    label_walk labels[LABELS];
    int32_t ellipsis = 0;
    const char *at = equation;
    for (int32_t i = 0; i < LABELS; i++) {
        labels[i] = (label_walk){TN_UNKNOWN, {0, 0}};
    }
    for (uint32_t k = 0; k < count; k++) {
        const int32_t own = ranks[k] - count_letters(at);
        at = read_term(at, own, &operands[k]);
        at += *at == ',';
        ellipsis = own > ellipsis ? own : ellipsis;
        walk_operand(&operands[k], extents[k], k, labels);
    }
    if (*at == '-') {
        read_term(at + 2, ellipsis, &output);
    } else {
        imply_output(operands, count, ellipsis, &output);
    }
    *out_walk = (einsum_walk){{.rank = 0}, {.rank = 0}};
    for (int32_t i = 0; i < output.count; i++) {
        add_label(&out_walk->outer, &labels[output.labels[i]]);
    }
    for (int32_t i = 0; i < LABELS; i++) {
        add_label(&out_walk->inner, &labels[i]);
    }
    axes_finish(&out_walk->outer);
    axes_finish(&out_walk->inner);
}

static int32_t supports_einsum(const tn_kernel_query *query) {
    const einsum_attributes *given = query->attributes;
    const tn_dtype dtype = query->outputs[0].dtype;
    int32_t ranks[OPERANDS];
    const int64_t *extents[OPERANDS];
    einsum_walk walk;
    if (query->input_count > OPERANDS || !is_float_dtype(dtype) || !supports_sizes(query)) {
        return 0;
    }
    for (uint32_t i = 0; i < query->input_count; i++) {
        ranks[i] = query->inputs[i].shape.rank;
        extents[i] = query->inputs[i].shape.extents;
        if (query->inputs[i].dtype != dtype) {
            return 0;
        }
    }
    find_walk(given->equation, query->input_count, ranks, extents, &walk);
    return walk.outer.rank <= OUTER_AXES && walk.inner.rank <= INNER_AXES &&
           axes_count(&walk.inner) < (int64_t)PROGRAM_MAX_LOOPS;
}

/* An axis that only one operand has, or both, at `place` of the output's axes, which it takes. */
static int take_axis(const joined_axes *axes, uint32_t *place, int has_left, int has_right,
                     int64_t *out_extent, int64_t *out_left, int64_t *out_right) {
    if (*place >= axes->rank || (axes->strides[0][*place] != 0) != has_left ||
        (axes->strides[1][*place] != 0) != has_right) {
        return 0;
    }
    *out_extent = axes->extents[*place];
    *out_left = axes->strides[0][*place];
    *out_right = axes->strides[1][*place];
    ++*place;
    return 1;
}

/* Whether the output is a batch of matrices, whose rows the left operand and whose columns the
 * right one has, and the sums go along one axis of both. */
static int find_product(const einsum_walk *walk, matrix_product *product) {
    uint32_t place = 0;
    int64_t none;
    product->batches = 1;
    take_axis(&walk->outer, &place, 1, 1, &product->batches, &product->left_batch_stride,
              &product->right_batch_stride);
    if (!take_axis(&walk->outer, &place, 1, 0, &product->rows, &product->left_stride, &none) ||
        !take_axis(&walk->outer, &place, 0, 1, &product->columns, &none, &product->right_stride)) {
        return 0;
    }
    product->terms = walk->inner.extents[0];
    product->left_term_stride = walk->inner.strides[0][0];
    product->right_term_stride = walk->inner.strides[1][0];
    return place == walk->outer.rank && walk->inner.rank == 1 && product->terms > 0 &&
           product->left_term_stride != 0 && product->right_term_stride != 0;
}

static void add_sums(device_program *program, const tn_prepare_call *call,
                     const einsum_walk *walk) {
    const uint32_t has_right = call->input_count > 1;
    const program_binding target = bind_output(call, 0);
    struct {
        uint32_t count;
        uint32_t terms;
        uint32_t outer[OPERANDS + 1][OUTER_AXES];
        uint32_t inner[OPERANDS + 1][INNER_AXES];
    } push = {.count = (uint32_t)axes_count(&walk->outer),
              .terms = (uint32_t)axes_count(&walk->inner)};
    const tn_specialization constants[] = {
        {0, walk->outer.rank}, {1, walk->inner.rank}, {2, has_right}};
    axes_store(walk->outer.extents, walk->outer.rank, push.outer[0], OUTER_AXES);
    axes_store(walk->inner.extents, walk->inner.rank, push.inner[0], INNER_AXES);
    for (uint32_t k = 0; k < OPERANDS; k++) {
        axes_store(walk->outer.strides[k], walk->outer.rank, push.outer[1 + k], OUTER_AXES);
        axes_store(walk->inner.strides[k], walk->inner.rank, push.inner[1 + k], INNER_AXES);
    }
    program_add(program,
                &(program_launch){.shader = SHADER_OF(einsum, call->outputs[0]->dtype),
                                  .invocations = push.count,
                                  .bindings = {bind_input_or(call, 0, target),
                                               bind_input_or(call, has_right, target), target},
                                  PROGRAM_PUSH(push),
                                  PROGRAM_CONSTANTS(constants)});
}

static tn_status prepare_einsum(tn_prepare_call *call) {
    const einsum_attributes *given = call->attributes;
    int32_t ranks[OPERANDS];
    const int64_t *extents[OPERANDS];
    einsum_walk walk;
    device_program *program;
    TN_TRY(program_create(call, &program));
    for (uint32_t i = 0; i < call->input_count; i++) {
        ranks[i] = call->inputs[i]->rank;
        extents[i] = call->inputs[i]->shape;
    }
    find_walk(given->equation, call->input_count, ranks, extents, &walk);
    matrix_product product = {.dtype = call->outputs[0]->dtype};
    if (axes_count(&walk.outer) == 0) {
        return program_finish(program, call);
    }
    if (call->input_count == OPERANDS && find_product(&walk, &product)) {
        product.left = bind_input(call, 0);
        product.right = bind_input(call, 1);
        product.result = bind_output(call, 0);
        add_product(program, &product);
    } else {
        add_sums(program, call, &walk);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_einsum_kernel = {
    SPIRV_KERNEL("onnx.Einsum", supports_einsum, prepare_einsum),
    KERNEL_ATTRIBUTES(table, einsum_attributes),
};
