#include "einsum_product.h"

#include "elements.h"

/* Where a label stands among an operand's; -1: nowhere; -2: twice, or stretched. */
static int32_t place_of(const einsum_equation *equation, const einsum_labels *labels,
                        const tn_view *view, int32_t label) {
    int32_t place = -1;
    for (int32_t i = 0; i < labels->count; i++) {
        if (labels->labels[i] == label) {
            place = place == -1 && view->shape[i] == equation->extents[label] ? i : -2;
        }
    }
    return place;
}

/* The axes of one kind, with the strides of two or three tensors. */
struct axes {
    int32_t rank;
    int64_t extents[TN_MAX_RANK], strides[3][TN_MAX_RANK];
};

static void add_axis(struct axes *axes, int64_t extent, const int64_t *strides) {
    axes->extents[axes->rank] = extent;
    for (int i = 0; i < 3; i++) {
        axes->strides[i][axes->rank] = strides[i];
    }
    axes->rank++;
}

static int64_t begin(shape_walk *walk, const struct axes *axes, int first, int second, int third) {
    walk_begin(walk, axes->rank, axes->extents);
    walk_add(walk, axes->strides[first]);
    walk_add(walk, axes->strides[second]);
    if (third >= 0) {
        walk_add(walk, axes->strides[third]);
    }
    return tn_extent_product(axes->extents, 0, axes->rank);
}

int einsum_find_product(const einsum_equation *equation, const tn_view *const *operands,
                        const tn_view *output, einsum_product *out_product) {
    const tn_view *views[3] = {operands[0], equation->operand_count == 2 ? operands[1] : NULL,
                               output};
    const einsum_labels *labels[3] = {&equation->operands[0], &equation->operands[1],
                                      &equation->output};
    struct axes kinds[8] = {{0}}; /* by the tensors that have a label: 1 left, 2 right, 4 output */
    int64_t own[3][TN_MAX_RANK];
    if (equation->operand_count != 2) {
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        row_major_strides(views[i]->rank, views[i]->shape, own[i]);
    }
    for (int32_t label = 0; label < EINSUM_LABELS; label++) {
        int64_t strides[3] = {0};
        int kind = 0;
        for (int i = 0; i < 3; i++) {
            const int32_t place = place_of(equation, labels[i], views[i], label);
            if (place == -2) {
                return 0;
            }
            kind |= place >= 0 ? 1 << i : 0;
            strides[i] = place >= 0 ? own[i][place] : 0;
        }
        if (kind == 1 || kind == 2 || kind == 4 || kinds[kind].rank == TN_MAX_RANK) {
            return 0;
        }
        if (kind != 0) {
            add_axis(&kinds[kind], equation->extents[label], strides);
        }
    }
    out_product->batch_count = begin(&out_product->batch, &kinds[7], 0, 1, 2);
    out_product->row_count = begin(&out_product->rows, &kinds[5], 0, 2, -1);
    out_product->column_count = begin(&out_product->columns, &kinds[6], 1, 2, -1);
    out_product->depth_count = begin(&out_product->depth, &kinds[3], 0, 1, -1);
    return tn_element_count(output) > 0 && out_product->depth_count > 0;
}

/* The template computes in REAL, and its functions are named REAL_NAME(…). */
#define REAL float
#define REAL_NAME(base) base##_f32
#define READ_REALS read_floats
#define WRITE_REALS write_floats
#include "einsum_product_template.h"
#undef REAL
#undef REAL_NAME
#undef READ_REALS
#undef WRITE_REALS
#define REAL double
#define REAL_NAME(base) base##_f64
#define READ_REALS read_doubles
#define WRITE_REALS write_doubles
#include "einsum_product_template.h"

uint64_t einsum_product_workspace(const einsum_product *product, tn_dtype dtype) {
    return (uint64_t)(product->row_count * product->depth_count +
                      product->depth_count * product->column_count +
                      product->row_count * product->column_count) *
           (dtype == TN_F64 ? sizeof(double) : sizeof(float));
}

void einsum_product_run(const tn_run_call *call, const einsum_product *product) {
    if (call->outputs[0]->dtype == TN_F64) {
        run_product_f64(call, product);
    } else {
        run_product_f32(call, product);
    }
}
