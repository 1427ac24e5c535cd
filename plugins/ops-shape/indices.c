#include "indices.h"

#include "fill.h"

/* Bytes that are worth handing to another thread. */
#define GRAIN_BYTES (64 * 1024)

#define READ_ALL(TYPE, CONVERT)                                                                    \
    do {                                                                                           \
        const TYPE *elements = (const TYPE *)tn_data(view) + begin;                                \
        for (int64_t i = 0; i < count; i++) {                                                      \
            out_indices[i] = CONVERT(elements[i]);                                                 \
        }                                                                                          \
    } while (0)

#define FROM_INTEGER(value) ((int64_t)(value))
#define FROM_U64(value) ((value) > INT64_MAX ? INT64_MAX : (int64_t)(value))
#define FROM_F16(value) integer_from_double((double)tn_float_from_f16(value))
#define FROM_BF16(value) integer_from_double((double)tn_float_from_bf16(value))

void indices_read(const tn_view *view, int64_t begin, int64_t end, int64_t *out_indices) {
    const int64_t count = end - begin;
    switch (view->dtype) {
    case TN_F32: READ_ALL(float, integer_from_double); break;
    case TN_F64: READ_ALL(double, integer_from_double); break;
    case TN_F16: READ_ALL(uint16_t, FROM_F16); break;
    case TN_BF16: READ_ALL(uint16_t, FROM_BF16); break;
    case TN_I8: READ_ALL(int8_t, FROM_INTEGER); break;
    case TN_I16: READ_ALL(int16_t, FROM_INTEGER); break;
    case TN_I32: READ_ALL(int32_t, FROM_INTEGER); break;
    case TN_I64: READ_ALL(int64_t, FROM_INTEGER); break;
    case TN_U16: READ_ALL(uint16_t, FROM_INTEGER); break;
    case TN_U32: READ_ALL(uint32_t, FROM_INTEGER); break;
    case TN_U64: READ_ALL(uint64_t, FROM_U64); break;
    default: READ_ALL(uint8_t, FROM_INTEGER); break;
    }
}

tn_status indices_resolve(const tn_host *host, int64_t *indices, int64_t count, int64_t extent,
                          int32_t mode) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = indices[i];
        if (index >= 0 && index < extent) {
            continue;
        }
        if (mode == INDEX_RAISE) {
            return tn_fail(host, TN_OUT_OF_RANGE,
                           "index %lld at place %lld is beyond an axis of extent %lld",
                           (long long)index, (long long)i, (long long)extent);
        }
        if (mode == INDEX_CLIP) {
            indices[i] = index < 0 ? 0 : extent - 1;
        } else {
            const int64_t rest = index % extent;
            indices[i] = rest < 0 ? rest + extent : rest;
        }
    }
    return TN_OK;
}

/* Copies `count` rows from one source to one target. */
typedef void (*row_copier)(const char *source, char *target, const int64_t *rows, int64_t count,
                           int64_t row_bytes);

#define DEFINE_COPY_ROWS(NAME, SIZE)                                                               \
    static void NAME(const char *source, char *target, const int64_t *rows, int64_t count,         \
                     int64_t row_bytes) {                                                          \
        (void)row_bytes;                                                                           \
        for (int64_t i = 0; i < count; i++) {                                                      \
            memcpy(target + i * (SIZE), source + rows[i] * (SIZE), (SIZE));                        \
        }                                                                                          \
    }

DEFINE_COPY_ROWS(copy_rows_1, 1)
DEFINE_COPY_ROWS(copy_rows_2, 2)
DEFINE_COPY_ROWS(copy_rows_4, 4)
DEFINE_COPY_ROWS(copy_rows_8, 8)

static void copy_rows_of_any_size(const char *source, char *target, const int64_t *rows,
                                  int64_t count, int64_t row_bytes) {
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + i * row_bytes, source + rows[i] * row_bytes, (size_t)row_bytes);
    }
}

static row_copier choose_copier(int64_t row_bytes) {
    switch (row_bytes) {
    case 1: return copy_rows_1;
    case 2: return copy_rows_2;
    case 4: return copy_rows_4;
    case 8: return copy_rows_8;
    default: return copy_rows_of_any_size;
    }
}

typedef struct gather_job {
    const char *source;
    char *target;
    const int64_t *rows;
    int64_t count;
    int64_t source_bytes; /* from one source to the next */
    int64_t row_bytes;
    row_copier copy_rows;
} gather_job;

/* Over the rows of all targets, one after the other. */
static void gather_range(void *context, int64_t begin, int64_t end) {
    const gather_job *job = context;
    while (begin < end) {
        const int64_t outer = begin / job->count, first = begin % job->count;
        const int64_t left = job->count - first;
        const int64_t count = end - begin < left ? end - begin : left;
        job->copy_rows(job->source + outer * job->source_bytes,
                       job->target + begin * job->row_bytes, job->rows + first, count,
                       job->row_bytes);
        begin += count;
    }
}

void gather_rows(const tn_host *host, const void *source, void *target, const int64_t *rows,
                 int64_t count, int64_t outer, int64_t source_rows, int64_t row_bytes) {
    if (row_bytes == 0) {
        return;
    }
    gather_job job = {
        source, target, rows, count, source_rows * row_bytes, row_bytes, choose_copier(row_bytes)};
    tn_parallel_for(host, outer * count, GRAIN_BYTES / row_bytes + 1, gather_range, &job);
}
