/* topk, sort and argsort: the elements along an axis in their order. */
#include "extents.h"
#include "fill.h"
#include "operator.h"
#include "operators.h"
#include "ranking.h"

enum { RETURN_BOTH, RETURN_INDICES, RETURN_MASK, RETURN_VALUE };

typedef struct ranking_attributes {
    int64_t axis;
    int32_t is_ascend;
    tn_dtype dtype; /* not of sort */
} ranking_attributes;

typedef struct topk_attributes {
    ranking_attributes ranking;
    int64_t k;
    int32_t ret_typ;
} topk_attributes;

#define AXIS                                                                                       \
    TN_FIELD_OR_NONE(ranking_attributes, axis, INT, "-1", "[-32,31]",                              \
                     "The axis to sort along; None: the input is made one axis first.")
#define IS_ASCEND(DEFAULT)                                                                         \
    TN_FIELD(ranking_attributes, is_ascend, BOOL, DEFAULT, NULL,                                   \
             "Whether the smallest element comes first, otherwise the largest.")
#define INDEX_DTYPE                                                                                \
    TN_FIELD(ranking_attributes, dtype, DTYPE, "float32", NULL, "The element type of indices.")

static const tn_attribute topk_table[] = {
    AXIS,
    TN_FIELD(topk_attributes, k, INT, "1", NULL,
             "How many elements come out; below 1: all of them."),
    TN_FIELD_CHOICE(topk_attributes, ret_typ, "indices", "both|indices|mask|value",
                    "What comes out: the elements, their indices, both as two outputs, or the "
                    "input's shape with 1 at the elements and 0 elsewhere."),
    IS_ASCEND("False"),
    INDEX_DTYPE,
};
static const tn_attribute sort_table[] = {AXIS, IS_ASCEND("True")};
static const tn_attribute argsort_table[] = {AXIS, IS_ASCEND("True"), INDEX_DTYPE};

static tn_status topk_arity(tn_arity_call *call) {
    const topk_attributes *given = call->attributes;
    call->output_count = given->ret_typ == RETURN_BOTH ? 2 : 1;
    return TN_OK;
}

/* The input's shape as it is sorted: unchanged, or as one axis. */
static tn_status sorted_shape(const tn_host *host, const ranking_attributes *given,
                              const tn_shape *data, tn_shape *out_shape, int32_t *out_axis) {
    if (given->axis != TN_NONE) {
        *out_shape = *data;
        return tn_resolve_axis(host, given->axis, data->rank, out_axis);
    }
    *out_shape = tn_shape_of_rank(1);
    *out_axis = 0;
    return extents_multiply(host, data, 0, data->rank, &out_shape->extents[0]);
}

static tn_status infer_values(tn_infer_call *call, uint32_t output) {
    return tn_infer_dtype(call->host, "output", &call->outputs[output].dtype,
                          call->inputs[0].dtype);
}

static tn_status infer_indices(tn_infer_call *call, uint32_t output) {
    const ranking_attributes *given = call->attributes;
    return tn_infer_dtype(call->host, "output", &call->outputs[output].dtype, given->dtype);
}

static tn_status topk_infer(tn_infer_call *call) {
    const topk_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    tn_shape fact;
    int32_t axis = 0;
    TN_TRY(given->ret_typ == RETURN_INDICES ? infer_indices(call, 0) : infer_values(call, 0));
    if (given->ret_typ == RETURN_BOTH) {
        TN_TRY(infer_indices(call, 1));
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(sorted_shape(call->host, &given->ranking, data, &fact, &axis));
    if (given->k > fact.extents[axis] && fact.extents[axis] >= 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "k is %lld, but there are %lld elements along the axis", (long long)given->k,
                       (long long)fact.extents[axis]);
    }
    if (given->ret_typ == RETURN_MASK) {
        fact = *data;
    } else if (given->k > 0) {
        fact.extents[axis] = given->k;
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, "output", &call->outputs[i].shape, &fact));
    }
    return TN_OK;
}

static tn_status infer_sorted_shape(tn_infer_call *call) {
    tn_shape fact;
    int32_t axis = 0;
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(sorted_shape(call->host, call->attributes, &call->inputs[0].shape, &fact, &axis));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

static tn_status sort_infer(tn_infer_call *call) {
    TN_TRY(tn_infer_one_dtype(call));
    return infer_sorted_shape(call);
}

static tn_status argsort_infer(tn_infer_call *call) {
    TN_TRY(infer_indices(call, 0));
    return infer_sorted_shape(call);
}

/* The lines of elements that are sorted, each by itself. The kernel's state. */
typedef struct lines {
    int64_t count;
    int64_t inner;  /* lines side by side, and elements from one of a line to its next */
    int64_t extent; /* elements of a line */
    int64_t kept;   /* of them, in the output */
    int64_t parts;  /* groups of lines that have a workspace each */
} lines;

/* Of each line the first `kept` elements come out, or all when that is below 1. */
static tn_status prepare_lines(tn_prepare_call *call, int64_t kept) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    const tn_parallel_service *parallel = TN_SERVICE(call->host, parallel);
    const tn_view *data = call->inputs[0];
    const tn_shape shape = tn_shape_of(data->rank, data->shape);
    const int64_t threads = parallel == NULL ? 1 : parallel->thread_count(call->host);
    tn_shape sorted;
    int32_t axis = 0;
    TN_TRY(sorted_shape(call->host, call->attributes, &shape, &sorted, &axis));
    lines *all = memory->allocate(call->host, sizeof *all);
    if (all == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the plan of a sort");
    }
    all->inner = tn_extent_product(sorted.extents, axis + 1, sorted.rank);
    all->extent = sorted.extents[axis];
    all->count = tn_extent_product(sorted.extents, 0, axis) * all->inner;
    all->kept = kept > 0 ? kept : all->extent;
    all->parts = all->count < threads ? all->count : threads;
    call->workspace_size = (uint64_t)(all->parts * all->extent) * 2 * sizeof(ranked);
    call->state = all;
    return TN_OK;
}

tn_status topk_prepare(tn_prepare_call *call) {
    const topk_attributes *given = call->attributes;
    return prepare_lines(call, given->k);
}

tn_status sort_prepare(tn_prepare_call *call) {
    return prepare_lines(call, 0);
}

void ranking_release(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    memory->free(host, state);
}

typedef struct ranking_job {
    const lines *all;
    const tn_view *data;
    const tn_view *values; /* each of these may be NULL */
    const tn_view *indices;
    const tn_view *mask;
    ranked *workspace;
    int descending;
} ranking_job;

/* Element `i` of a tensor. */
static char *element_at(const tn_view *view, int64_t i) {
    return (char *)tn_data(view) + i * (int64_t)TN_DTYPE_SIZE(view->dtype);
}

static void write_line(const ranking_job *job, int64_t line, const ranked *items) {
    const lines *all = job->all;
    const int64_t outer = line / all->inner, inner = line % all->inner;
    const int64_t source = outer * all->extent * all->inner + inner;
    const int64_t target = outer * all->kept * all->inner + inner;
    const size_t size = TN_DTYPE_SIZE(job->data->dtype);
    for (int64_t i = 0; i < all->kept; i++) {
        const int64_t from = source + items[i].place * all->inner;
        const int64_t to = target + i * all->inner;
        if (job->values != NULL) {
            memcpy(element_at(job->values, to), element_at(job->data, from), size);
        }
        if (job->indices != NULL) {
            element_from_integer(job->indices->dtype, items[i].place, element_at(job->indices, to));
        }
        if (job->mask != NULL) {
            element_from_integer(job->mask->dtype, 1, element_at(job->mask, from));
        }
    }
}

static void rank_parts(void *context, int64_t begin, int64_t end) {
    const ranking_job *job = context;
    const lines *all = job->all;
    for (int64_t part = begin; part < end; part++) {
        ranked *items = job->workspace + part * 2 * all->extent;
        const int64_t last = all->count * (part + 1) / all->parts;
        for (int64_t line = all->count * part / all->parts; line < last; line++) {
            const int64_t first = line / all->inner * all->extent * all->inner + line % all->inner;
            ranking_load(job->data->dtype, element_at(job->data, first), all->inner, all->extent,
                         job->descending, items);
            ranking_sort(items, items + all->extent, all->extent, all->kept);
            write_line(job, line, items);
        }
    }
}

static tn_status rank_lines(const tn_run_call *call, const tn_view *values, const tn_view *indices,
                            const tn_view *mask) {
    const ranking_attributes *given = call->attributes;
    ranking_job job = {call->state, call->inputs[0], values,           indices,
                       mask,        call->workspace, !given->is_ascend};
    if (mask != NULL) {
        const uint64_t zero = 0;
        fill_elements(call->host, tn_data(mask), tn_element_count(mask), &zero,
                      TN_DTYPE_SIZE(mask->dtype));
    }
    if (job.all->extent > 0) {
        tn_parallel_for(call->host, job.all->parts, 1, rank_parts, &job);
    }
    return TN_OK;
}

tn_status topk_run(const tn_run_call *call) {
    const topk_attributes *given = call->attributes;
    const tn_view *first = call->outputs[0];
    switch (given->ret_typ) {
    case RETURN_BOTH: return rank_lines(call, first, call->outputs[1], NULL);
    case RETURN_INDICES: return rank_lines(call, NULL, first, NULL);
    case RETURN_MASK: return rank_lines(call, NULL, NULL, first);
    default: return rank_lines(call, first, NULL, NULL);
    }
}

tn_status sort_run(const tn_run_call *call) {
    return rank_lines(call, call->outputs[0], NULL, NULL);
}

tn_status argsort_run(const tn_run_call *call) {
    return rank_lines(call, NULL, call->outputs[0], NULL);
}

const tn_op topk_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The k largest or smallest elements along an axis, in order. Of equal ones the first "
           "comes first; NaN counts as larger than every number.",
    OP_ATTRIBUTES(topk_table, topk_attributes),
    OP_INPUTS(data_name),
    .arity = topk_arity,
    .infer = topk_infer,
};

const tn_op sort_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The elements along an axis in order; NaN counts as larger than every number.",
    OP_ATTRIBUTES(sort_table, ranking_attributes),
    OP_INPUTS(data_name),
    .infer = sort_infer,
};

const tn_op argsort_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The indices along an axis in the order of their elements. Of equal elements the first "
           "comes first; NaN counts as larger than every number.",
    OP_ATTRIBUTES(argsort_table, ranking_attributes),
    OP_INPUTS(data_name),
    .infer = argsort_infer,
    .gradient = gradient_none,
};
