/* Resize where each element is one of the input: rows of elements that stay side by side are
 * copied. */
#include "elements.h"
#include "resize.h"

typedef struct move {
    const resize_job *job;
    const int64_t *places[TN_MAX_RANK]; /* in the input, of each axis up to `axis` */
    int32_t axis;                       /* the last one that changes */
    int64_t extent;                     /* of that axis, in the output */
    int64_t strides[TN_MAX_RANK];       /* of the input, in bytes */
    size_t run;                         /* bytes that stay side by side */
} move;

#define GATHER(SIZE)                                                                               \
    case SIZE:                                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            memcpy(target + (size_t)i * SIZE, source + (size_t)places[i] * SIZE, SIZE);            \
        }                                                                                          \
        break;

static void gather(const char *source, const int64_t *places, int64_t count, size_t size,
                   char *target) {
    switch (size) {
        GATHER(1)
        GATHER(2)
        GATHER(4)
        GATHER(8)
    default:
        for (int64_t i = 0; i < count; i++) {
            memcpy(target + (size_t)i * size, source + (size_t)places[i] * size, size);
        }
    }
}

/* Where row number `row` of the output, counting through the axes in front, comes from. */
static const char *source_of(const move *self, int64_t row) {
    const char *source = self->job->data;
    for (int32_t axis = self->axis - 1; axis >= 0; axis--) {
        const int64_t extent = self->job->axes[axis].output;
        source += self->places[axis][row % extent] * self->strides[axis];
        row /= extent;
    }
    return source;
}

static void move_rows(void *context, int64_t begin, int64_t end) {
    const move *self = context;
    const size_t length = (size_t)self->extent * self->run;
    const char *before = NULL;
    char *target = (char *)self->job->output + (size_t)begin * length;
    for (int64_t row = begin; row < end; row++, target += length) {
        const char *source = source_of(self, row);
        if (source == before) { /* the same row again */
            memcpy(target, target - length, length);
        } else {
            gather(source, self->places[self->axis], self->extent, self->run, target);
        }
        before = source;
    }
}

static void find_places(const resize_job *job, int32_t axis, int64_t *places) {
    const int is_changed = resize_changes(job->own, &job->axes[axis]);
    for (int64_t i = 0; i < job->axes[axis].output; i++) {
        places[i] = i;
        if (is_changed) {
            const resize_taps taps = find_taps(job->own, &job->axes[axis], i);
            tap_weight(job->own, &job->axes[axis], &taps, 0, &places[i]);
        }
    }
}

void resize_move(const tn_host *host, const resize_job *job) {
    const size_t size = TN_DTYPE_SIZE(job->dtype);
    move self = {.job = job, .axis = job->rank - 1, .run = size};
    while (self.axis > 0 && !resize_changes(job->own, &job->axes[self.axis])) {
        self.run *= (size_t)job->axes[self.axis--].output;
    }
    int64_t stride = (int64_t)self.run, rows = 1;
    int64_t *places = job->workspace;
    for (int32_t axis = self.axis; axis >= 0; axis--) {
        self.strides[axis] = stride;
        stride *= job->axes[axis].input;
        find_places(job, axis, places);
        self.places[axis] = places;
        places += job->axes[axis].output;
        rows *= axis < self.axis ? job->axes[axis].output : 1;
    }
    if (job->rank == 0) {
        memcpy(job->output, job->data, size);
        return;
    }
    self.extent = job->axes[self.axis].output;
    tn_parallel_for(host, rows, 32768 / (self.extent * (int64_t)(self.run / size)) + 1, move_rows,
                    &self);
}
