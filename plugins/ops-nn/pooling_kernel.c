/* The kernels of Pooling and Pooling_v1. */
#include <float.h>
#include <math.h>

#include "element_block.h"
#include "operators.h"
#include "pooling.h"
#include "size.h"

/* How elements under the window are put together, before a sum becomes an average or a root. */
enum { REDUCE_MAX, REDUCE_SUM, REDUCE_SQUARES, REDUCE_CUBES };

typedef struct pooling_run {
    element_array data;
    element_array output;
    int32_t reduction;
    int32_t is_average;
    int32_t counts_padding; /* for the average */
    int32_t is_v1;
    double lowest; /* the maximum of nothing */
    int64_t inner; /* channels that lie side by side: 1, or all of them when they are last */
    int64_t source[WINDOW_MAX_RANK];
    pooling_axis axes[WINDOW_MAX_RANK];
} pooling_run;

/* Part of a row of output whose elements lie side by side: several places of one channel, or
 * several channels of one place. */
typedef struct pooling_block {
    int64_t plane; /* number of the first element of the data that belongs to it */
    int64_t z;     /* the place */
    int64_t y;
    int64_t x; /* of the first */
    int64_t columns;
    int64_t channel; /* the first, when there are several */
    int64_t channels;
} pooling_block;

/* The elements from `begin` to `end` along one axis. */
typedef struct span {
    int64_t begin;
    int64_t end;
} span;

/* What the window covers of the data at a place. */
static span covered(const pooling_run *work, int32_t axis, int64_t place) {
    const pooling_axis *along = &work->axes[axis];
    const int64_t begin = place * along->stride - along->pad;
    const int64_t end = smaller(begin + along->kernel, work->source[axis]);
    return (span){larger(0, begin), larger(larger(0, begin), end)};
}

/* How many elements that is, or is with the padding, which the window may reach out of. */
static int64_t count_along(const pooling_run *work, int32_t axis, int64_t place, int with_padding) {
    const pooling_axis *along = &work->axes[axis];
    if (with_padding) {
        const int64_t rest =
            work->source[axis] + along->pad_behind - (place * along->stride - along->pad);
        return larger(0, smaller(along->kernel, rest));
    }
    const span inside = covered(work, axis, place);
    return inside.end - inside.begin;
}

/* How many rows of data, or of padded data, the window covers. As a real number, since a kernel of
 * any size may reach far into padding. */
static double count_rows(const pooling_run *work, const pooling_block *block, int with_padding) {
    return (double)count_along(work, 0, block->z, with_padding) *
           (double)count_along(work, 1, block->y, with_padding);
}

static double kernel_count(const pooling_run *work) {
    return (double)work->axes[0].kernel * (double)work->axes[1].kernel *
           (double)work->axes[2].kernel;
}

/* The kernel's columns that meet data at one of the block's places at least. */
static span kernel_columns(const pooling_run *work, const pooling_block *block) {
    const pooling_axis *along = &work->axes[2];
    const int64_t first = block->x * along->stride - along->pad;
    const int64_t last = first + (block->columns - 1) * along->stride;
    return (span){larger(0, -last), smaller(along->kernel, work->source[2] - first)};
}

/* The block's columns at which the window lies on the data with its whole width, so that all have
 * the same count of elements. */
static span inner_columns(const pooling_run *work, const pooling_block *block) {
    const pooling_axis *along = &work->axes[2];
    const int64_t room = work->source[2] + along->pad - along->kernel;
    const int64_t begin = divide_up(along->pad, along->stride) - block->x;
    const int64_t end = room < 0 ? 0 : room / along->stride + 1 - block->x;
    return (span){larger(0, begin), smaller(block->columns, end)};
}

#include "real_float.h"

#include "pooling_template.h"

#include "real_double.h"

#include "pooling_template.h"

enum { MOST_BYTE_COLUMNS = 4096 };

static inline uint8_t larger_byte(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

/* largest[i] = the largest of `kernel` columns from i * stride on */
static inline void widest(const uint8_t *restrict columns, int64_t kernel, int64_t stride,
                          int64_t count, uint8_t *restrict largest) {
    for (int64_t at = 0; at < kernel; at++) {
        for (int64_t i = 0; i < count; i++) {
            largest[i] = larger_byte(at == 0 ? 0 : largest[i], columns[i * stride + at]);
        }
    }
}

/* The largest of 8-bit integers, without making them reals: of each column first, then of the
 * columns under the window. An int8 with its sign's bit turned is ordered as a uint8. */
static void pool_bytes(const pooling_run *work, const pooling_block *block, uint8_t *output) {
    uint8_t columns[MOST_BYTE_COLUMNS];
    const pooling_axis *along = &work->axes[2];
    const uint8_t turned = work->data.dtype == TN_I8 ? 0x80 : 0;
    const span depth = covered(work, 0, block->z), height = covered(work, 1, block->y);
    const int64_t start = block->x * along->stride - along->pad;
    const int64_t length = (block->columns - 1) * along->stride + along->kernel;
    const int64_t end = smaller(length, work->source[2] - start);
    memset(columns, 0, (size_t)length);
    for (int64_t z = depth.begin; z < depth.end; z++) {
        for (int64_t y = height.begin; y < height.end; y++) {
            const uint8_t *row = (const uint8_t *)work->data.elements + block->plane +
                                 (z * work->source[1] + y) * work->source[2];
            for (int64_t i = larger(0, -start); i < end; i++) {
                columns[i] = larger_byte(columns[i], row[start + i] ^ turned);
            }
        }
    }
    if (along->stride == 1) {
        widest(columns, along->kernel, 1, block->columns, output);
    } else if (along->stride == 2) {
        widest(columns, along->kernel, 2, block->columns, output);
    } else {
        widest(columns, along->kernel, along->stride, block->columns, output);
    }
    for (int64_t i = 0; turned != 0 && i < block->columns; i++) {
        output[i] ^= turned;
    }
}

static int pools_bytes(const pooling_run *work) {
    return (work->data.dtype == TN_I8 || work->data.dtype == TN_U8) && !work->is_v1 &&
           work->inner == 1 && work->axes[2].kernel <= MOST_BYTE_COLUMNS / 2 &&
           work->axes[2].stride <= MOST_BYTE_COLUMNS / 2;
}

static void pool_row_of_bytes(const pooling_run *work, pooling_block *block, int64_t first) {
    const pooling_axis *along = &work->axes[2];
    const int64_t most = (MOST_BYTE_COLUMNS - along->kernel) / along->stride + 1;
    for (block->x = 0; block->x < along->places; block->x += block->columns) {
        block->columns = smaller(most, along->places - block->x);
        pool_bytes(work, block, (uint8_t *)work->output.elements + first + block->x);
    }
}

static void pool_rows(void *context, int64_t begin, int64_t end) {
    const pooling_run *work = context;
    const pooling_axis *axes = work->axes;
    for (int64_t row = begin; row < end; row++) {
        const int64_t plane = row / axes[1].places / axes[0].places;
        pooling_block block = {.plane = plane * work->source[0] * work->source[1] *
                                        work->source[2] * work->inner,
                               .z = row / axes[1].places % axes[0].places,
                               .y = row % axes[1].places};
        const int64_t first = row * axes[2].places * work->inner;
        if (pools_bytes(work)) {
            pool_row_of_bytes(work, &block, first);
        } else if (work->data.dtype == TN_F64) {
            pool_row_f64(work, &block, first);
        } else {
            pool_row_f32(work, &block, first);
        }
    }
}

static double lowest_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_I8: return INT8_MIN;
    case TN_U8: return 0;
    default: return -INFINITY;
    }
}

static int32_t reduction_of(const pooling_attributes *attributes) {
    static const int32_t of_powers[] = {REDUCE_SUM, REDUCE_SQUARES, REDUCE_CUBES};
    if (attributes->pool_type == POOLING_LP) {
        return of_powers[attributes->p_value - 1];
    }
    return attributes->pool_type == POOLING_MAX ? REDUCE_MAX : REDUCE_SUM;
}

static tn_status run_pooling(const tn_run_call *call, int32_t is_v1) {
    const pooling_attributes *attributes = call->attributes;
    const tn_view *data = call->inputs[0];
    const int32_t rank = data->rank - 2;
    int channels_last = 0;
    if (tn_element_count(call->outputs[0]) == 0) {
        return TN_OK;
    }
    TN_TRY(window_layout(call->host, attributes->layout, rank, &channels_last));
    pooling_run work = {.data = elements_of(data),
                        .output = elements_of(call->outputs[0]),
                        .reduction = reduction_of(attributes),
                        .is_average = attributes->pool_type == POOLING_AVERAGE,
                        .counts_padding = attributes->count_include_pad != 0,
                        .is_v1 = is_v1,
                        .lowest = lowest_of(data->dtype),
                        .inner = channels_last ? data->shape[rank + 1] : 1};
    window_extend_extents(rank, data->shape + (channels_last ? 1 : 2), work.source);
    int64_t window_count = 1; /* elements of data that may be under the window */
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        const int32_t axis = i - (WINDOW_MAX_RANK - rank);
        work.axes[i] = (pooling_axis){1, 1, 0, 0, 1};
        if (axis >= 0) {
            TN_TRY(pooling_axis_find(call->host, attributes, rank, axis, work.source[i],
                                     &work.axes[i]));
        }
        window_count *= larger(1, smaller(work.axes[i].kernel, work.source[i]));
    }
    const int64_t planes = channels_last ? data->shape[0] : data->shape[0] * data->shape[1];
    tn_parallel_for(call->host, planes * work.axes[0].places * work.axes[1].places,
                    grain_of(GRAIN_ELEMENTS, work.axes[2].places * work.inner * window_count),
                    pool_rows, &work);
    return TN_OK;
}

static tn_status pooling_run_current(const tn_run_call *call) {
    return run_pooling(call, 0);
}

static tn_status pooling_run_v1(const tn_run_call *call) {
    return run_pooling(call, 1);
}

/* Of integers only the maximum: an average would have to be rounded. */
static int32_t supports(const tn_kernel_query *query) {
    const pooling_attributes *attributes = query->attributes;
    const tn_dtype dtype = query->inputs[0].dtype;
    return attributes->pool_type == POOLING_MAX || (dtype != TN_I8 && dtype != TN_U8);
}

static const tn_dtype dtypes[] = {TN_F32, TN_F64, TN_F16, TN_BF16, TN_I8, TN_U8};

#define POOLING_KERNEL(NAME, RUN)                                                                  \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .dtypes = dtypes,              \
        .dtype_count = sizeof dtypes / sizeof *dtypes, .supports = supports, .run = RUN            \
    }

const tn_kernel pooling_kernel = POOLING_KERNEL("Pooling", pooling_run_current);
const tn_kernel pooling_v1_kernel = POOLING_KERNEL("Pooling_v1", pooling_run_v1);
