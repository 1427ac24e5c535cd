#include "strided_copy.h"

#include "elements.h"
#include "shapes.h"

void strided_copy_begin(strided_copy *copy, const tn_view *view) {
    copy->rank = view->rank;
    copy->element_size = TN_DTYPE_SIZE(view->dtype);
    for (int32_t axis = 0; axis < view->rank; axis++) {
        copy->extents[axis] = view->shape[axis];
    }
    row_major_strides(view->rank, view->shape, copy->source_strides);
    row_major_strides(view->rank, view->shape, copy->target_strides);
}

/* Axes of extent 1 go, and axes that lie one after the other in both memories become one. */
static void merge_axes(strided_copy *copy) {
    int32_t rank = 0;
    for (int32_t axis = 0; axis < copy->rank; axis++) {
        const int64_t extent = copy->extents[axis];
        const int64_t source = copy->source_strides[axis], target = copy->target_strides[axis];
        if (extent == 1) {
            continue;
        }
        const int continues = rank > 0 && copy->source_strides[rank - 1] == source * extent &&
                              copy->target_strides[rank - 1] == target * extent;
        if (!continues) {
            copy->extents[rank++] = 1;
        }
        copy->extents[rank - 1] *= extent;
        copy->source_strides[rank - 1] = source;
        copy->target_strides[rank - 1] = target;
    }
    copy->rank = rank;
}

typedef struct copy_job {
    strided_copy copy;
    int64_t length, source_step, target_step; /* of the innermost axis */
    const char *source;
    char *target;
} copy_job;

static void copy_line(const copy_job *job, const char *source, char *target) {
    const size_t size = job->copy.element_size;
    if (job->source_step == 1 && job->target_step == 1) {
        memcpy(target, source, (size_t)job->length * size);
        return;
    }
    for (int64_t i = 0; i < job->length; i++) {
        copy_element(target + i * job->target_step * (int64_t)size,
                     source + i * job->source_step * (int64_t)size, size);
    }
}

static void copy_lines(void *context, int64_t begin, int64_t end) {
    const copy_job *job = context;
    const int64_t size = (int64_t)job->copy.element_size;
    shape_walk walk;
    walk_begin(&walk, job->copy.rank, job->copy.extents);
    walk_add(&walk, job->copy.source_strides);
    walk_add(&walk, job->copy.target_strides);
    walk_go_to(&walk, begin);
    for (int64_t line = begin; line < end; line++) {
        copy_line(job, job->source + walk.offsets[0] * size, job->target + walk.offsets[1] * size);
        walk_on(&walk);
    }
}

void strided_copy_run(const tn_host *host, const strided_copy *copy, const void *source,
                      void *target) {
    copy_job job = {.copy = *copy, .length = 1, .source = source, .target = target};
    job.source_step = job.target_step = 1;
    if (tn_extent_product(copy->extents, 0, copy->rank) == 0) {
        return;
    }
    merge_axes(&job.copy);
    if (job.copy.rank > 0) {
        const int32_t inner = --job.copy.rank;
        job.length = job.copy.extents[inner];
        job.source_step = job.copy.source_strides[inner];
        job.target_step = job.copy.target_strides[inner];
    }
    tn_parallel_for(host, tn_extent_product(job.copy.extents, 0, job.copy.rank),
                    32768 / job.length + 1, copy_lines, &job);
}

void fill_tensor(const tn_view *view, const void *element) {
    const size_t size = TN_DTYPE_SIZE(view->dtype);
    char *target = tn_data(view);
    if (element == NULL) {
        memset(target, 0, tn_byte_size(view));
        return;
    }
    const int64_t count = tn_element_count(view);
    for (int64_t i = 0; i < count; i++) {
        copy_element(target + i * (int64_t)size, element, size);
    }
}
