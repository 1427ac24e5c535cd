#include "integer_depthwise.h"

#include "integer_lanes.h"
#include "quantise.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef float vector __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(float)), may_alias));

enum {
    LANES = VECTOR_BYTES / sizeof(float),
    WIDTH = 2 * LANES,  /* places that are computed at once */
    BAND_FLOATS = 8192, /* widened elements, in the first cache */
    MOST_STRIDE = 8,
    MOST_REACH = 4096, /* of the window along an axis */
    MOST_TAPS = 256    /* whose sum, of products up to 255 * 255, a float holds exactly */
};

int integer_depthwise_fits(const sliding_window *window, int64_t group_channels) {
    for (int32_t i = 0; i < window->rank; i++) {
        const window_axis *axis = &window->axes[i];
        if (axis->stride > MOST_STRIDE || axis->kernel > MOST_TAPS ||
            axis->dilation > MOST_REACH / axis->kernel) {
            return 0;
        }
    }
    return group_channels == 1 && window->rank <= 2 && window_kernel_size(window) <= MOST_TAPS;
}

/* A row is one along the second axis of two, all of the only one. */
static window_axis outer_axis(const sliding_window *window) {
    const window_axis single = {1, 1, 1, 0, 0, 1, 1};
    return window->rank == 2 ? window->axes[0] : single;
}

static const window_axis *inner_axis(const sliding_window *window) {
    return &window->axes[window->rank - 1];
}

static int64_t rows_under(const window_axis *outer, int64_t rows) {
    return (rows - 1) * outer->stride + (outer->kernel - 1) * outer->dilation + 1;
}

void integer_depthwise_plan(const tn_host *host, integer_depthwise *job) {
    const window_axis outer = outer_axis(&job->window), *inner = inner_axis(&job->window);
    const int64_t reach = (inner->kernel - 1) * inner->dilation;
    job->run_length = inner->places + divide_up(reach + 1, inner->stride);
    const int64_t row_floats = job->run_length * inner->stride;
    const int64_t fitting = BAND_FLOATS / row_floats / outer.stride;
    job->band_rows = smaller(larger(fitting, 8), larger(outer.places, 1));
    job->bands = divide_up(outer.places, job->band_rows);
    const double cost = (double)job->planes * (double)job->filters *
                        (double)window_places(&job->window) *
                        (double)window_kernel_size(&job->window);
    job->lanes = smaller(lanes_wanted(host, cost), larger(job->planes * job->bands, 1));
    const uint64_t floats = (uint64_t)(rows_under(&outer, job->band_rows) * row_floats + WIDTH);
    const uint64_t sums = (uint64_t)(inner->places + WIDTH);
    const int64_t rows = smaller(rows_under(&outer, job->band_rows), outer.extent);
    job->widened_place = round_up(floats * sizeof(float));
    job->sums_place =
        job->widened_place + round_up((uint64_t)(rows * inner->extent) * sizeof(float));
    job->lane_size = job->sums_place + round_up(sums * sizeof(int32_t));
}

/* Places `first` to `first + rows` along the outer axis of one plane. */
typedef struct plane_band {
    int64_t plane, first, rows;
} plane_band;

static void widen(const uint8_t *restrict from, int64_t count, uint8_t turned, float zero,
                  float *restrict target) {
    for (int64_t i = 0; i < count; i++) {
        target[i] = (float)(uint8_t)(from[i] ^ turned) - zero;
    }
}

static void copy_run(const float *restrict from, int64_t stride, int64_t count,
                     float *restrict target) {
    if (stride == 1) {
        memcpy(target, from, (size_t)count * sizeof *target);
    } else if (stride == 2) { /* vectorised, as an unknown stride is not */
        for (int64_t i = 0; i < count; i++) {
            target[i] = from[i * 2];
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            target[i] = from[i * stride];
        }
    }
}

/* divide_up, which is slow, where the divisor is mostly 1. */
static int64_t steps_within(int64_t count, int64_t stride) {
    return stride == 1 ? count : divide_up(count, stride);
}

/* What is under the window along a row of widened data; zeros where that is padding, as all of an
 * absent row is. */
static void place_row(const integer_depthwise *job, const float *row, float *target) {
    const window_axis *inner = inner_axis(&job->window);
    for (int64_t phase = 0; phase < inner->stride; phase++) {
        float *run = target + phase * job->run_length;
        const int64_t start = phase - inner->pad;
        const int64_t reached =
            row == NULL ? 0 : steps_within(larger(inner->extent - start, 0), inner->stride);
        const int64_t end = smaller(reached, job->run_length);
        const int64_t first = smaller(start < 0 ? steps_within(-start, inner->stride) : 0, end);
        memset(run, 0, (size_t)job->run_length * sizeof *run);
        if (first < end) {
            copy_run(row + (start + first * inner->stride), inner->stride, end - first,
                     run + first);
        }
    }
}

/* Rows of data that a band needs are widened in one go. */
static void place_band(const integer_depthwise *job, const plane_band *band, float *widened,
                       float *target) {
    const window_axis outer = outer_axis(&job->window), *inner = inner_axis(&job->window);
    const uint8_t *data = (const uint8_t *)job->data.elements + band->plane * job->data.stride;
    const uint8_t turned = sign_bit(job->data.dtype);
    const float zero = (float)(zero_point_at(job->data.zero_point, 0) + turned);
    const int64_t start = band->first * outer.stride - outer.pad;
    const int64_t rows = rows_under(&outer, band->rows);
    const int64_t first = smaller(larger(start, 0), outer.extent);
    const int64_t end = larger(smaller(start + rows, outer.extent), first);
    widen(data + first * inner->extent, (end - first) * inner->extent, turned, zero, widened);
    for (int64_t row = start; row < start + rows; row++) {
        const int is_data = row >= first && row < end;
        place_row(job, is_data ? widened + (row - first) * inner->extent : NULL,
                  target + (row - start) * job->run_length * inner->stride);
    }
}

/* Where the elements under the window are from the first of them. */
static void find_offsets(const integer_depthwise *job, int64_t *offsets) {
    const window_axis outer = outer_axis(&job->window), *inner = inner_axis(&job->window);
    for (int64_t row = 0; row < outer.kernel; row++) {
        for (int64_t i = 0; i < inner->kernel; i++) {
            const int64_t column = i * inner->dilation;
            offsets[row * inner->kernel + i] =
                row * outer.dilation * job->run_length * inner->stride +
                column % inner->stride * job->run_length + column / inner->stride;
        }
    }
}

static void read_weights(const integer_depthwise *job, int64_t filter, int64_t count,
                         float *weights) {
    const uint8_t *elements = (const uint8_t *)job->weight.elements + filter * job->weight.stride;
    const uint8_t turned = sign_bit(job->weight.dtype);
    const float zero = (float)(zero_point_at(job->weight.zero_point, filter) + turned);
    widen(elements, count, turned, zero, weights);
}

/* sums[c] = the sum over i of weights[i] * source[offsets[i] + c] */
static void weigh(int64_t count, const float *weights, const int64_t *offsets, const float *source,
                  int32_t *sums) {
    vector low = {0}, high = {0};
    float totals[WIDTH];
    for (int64_t i = 0; i < count; i++) {
        const float *run = source + offsets[i];
        low += weights[i] * *(const vector *)run;
        high += weights[i] * *(const vector *)(run + LANES);
    }
    *(vector *)totals = low;
    *(vector *)(totals + LANES) = high;
    for (int i = 0; i < WIDTH; i++) {
        sums[i] = (int32_t)totals[i];
    }
}

static void filter_band(const integer_depthwise *job, const plane_band *band, int64_t filter,
                        const int64_t *offsets, const float *placed, int32_t *sums) {
    const window_axis outer = outer_axis(&job->window), *inner = inner_axis(&job->window);
    const int64_t taps = outer.kernel * inner->kernel;
    float weights[MOST_TAPS];
    read_weights(job, band->plane % job->groups * job->filters + filter, taps, weights);
    for (int64_t row = 0; row < band->rows; row++) {
        const float *under = placed + row * outer.stride * job->run_length * inner->stride;
        for (int64_t column = 0; column < inner->places; column += WIDTH) {
            weigh(taps, weights, offsets, under + column, sums + column);
        }
        job->store(job->context, band->plane, filter, (band->first + row) * inner->places,
                   inner->places, sums);
    }
}

static void run_lanes(void *context, int64_t begin, int64_t end) {
    const integer_depthwise *job = context;
    const int64_t items = job->planes * job->bands, rows = outer_axis(&job->window).places;
    int64_t offsets[MOST_TAPS];
    find_offsets(job, offsets);
    for (int64_t lane = begin; lane < end; lane++) {
        char *memory = job->workspace + (uint64_t)lane * job->lane_size;
        float *placed = (float *)(void *)memory;
        float *widened = (float *)(void *)(memory + job->widened_place);
        int32_t *sums = (int32_t *)(void *)(memory + job->sums_place);
        memset(placed, 0, job->widened_place); /* what is behind the last row is read, too */
        for (int64_t i = items * lane / job->lanes; i < items * (lane + 1) / job->lanes; i++) {
            const int64_t first = i % job->bands * job->band_rows;
            const plane_band band = {i / job->bands, first, smaller(job->band_rows, rows - first)};
            place_band(job, &band, widened, placed);
            for (int64_t filter = 0; filter < job->filters; filter++) {
                filter_band(job, &band, filter, offsets, placed, sums);
            }
        }
    }
}

void integer_depthwise_run(const tn_host *host, const integer_depthwise *job) {
    integer_depthwise copy = *job;
    if (window_places(&job->window) > 0) {
        tn_parallel_for(host, job->lanes, 1, run_lanes, &copy);
    }
}
