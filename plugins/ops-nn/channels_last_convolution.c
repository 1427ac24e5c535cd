/*
 * Convolution and fused_convolution of float32 images that lie channels-last, with one or two
 * spatial axes. No column of the window is gathered: tiles reach their pixels by pointers.
 */
#include <math.h>

#include "channels_last_tiles.h"
#include "element_block.h"
#include "fused_convolution.h"
#include "operators.h"
#include "size.h"
#include "state.h"

/* Tiles that are made together, so that a block of weights is fetched once for all of them. Where
 * the window is one element and all weights are near anyway, what a tile reads and writes is better
 * kept together. */
#define TILES_AT_ONCE 36
#define NEAR_WEIGHTS (256 * 1024)

/* The tiles' tables of pixels are on the stack. */
#define MOST_TAPS 128
#define MOST_PIXELS (8 * MOST_TAPS * TILE_PLACES)

/* More padding along the rows than oneDNN's tiles have places. */
#define WIDE_PADDING 4

typedef struct plan {
    int64_t samples, groups;
    int64_t channels, filters; /* of all groups */
    int64_t depth, width;      /* channels and filters of one group */
    int64_t source[2], places[2];
    window_axis axes[2];
    int64_t taps;
    int32_t is_depthwise;
    uint64_t weight_bytes;
    float *weights;       /* packed, or NULL: they are packed in each run, into the workspace */
    const float *padding; /* the pixel that lies around the image */
} plan;

typedef struct job {
    const plan *plan;
    const float *data, *weights;
    const float *bias, *addend; /* or NULL */
    float *output;
    float lowest, highest;
    const tn_run_call *unfinished; /* NULL, or whose activation comes behind the tiles */
} job;

/* Filters of one group, in whole vectors. */
static int64_t padded(int64_t filters) {
    return divide_up(filters, VECTOR_LANES) * VECTOR_LANES;
}

/* A place of the output, and where the kernel's first element lies for it. */
typedef struct cursor {
    int64_t row, column;
    int64_t top, left;
    const float *image;
} cursor;

static cursor cursor_at(const job *work, int64_t number) {
    const plan *own = work->plan;
    const int64_t places = own->places[0] * own->places[1];
    const int64_t image = number / places, row = number % places / own->places[1],
                  column = number % own->places[1];
    return (cursor){row, column, row * own->axes[0].stride - own->axes[0].pad,
                    column * own->axes[1].stride - own->axes[1].pad,
                    work->data + image * own->source[0] * own->source[1] * own->channels};
}

static void move_on(const plan *own, cursor *at) {
    at->left += own->axes[1].stride;
    if (++at->column == own->places[1]) {
        at->column = 0;
        at->left = -own->axes[1].pad;
        at->top += own->axes[0].stride;
        if (++at->row == own->places[0]) {
            at->row = 0;
            at->top = -own->axes[0].pad;
            at->image += own->source[0] * own->source[1] * own->channels;
        }
    }
}

static void find_pixels(const plan *own, const cursor *at, const float **pixel) {
    for (int64_t i = 0; i < own->axes[0].kernel; i++) {
        const int64_t y = at->top + i * own->axes[0].dilate;
        const int is_row = y >= 0 && y < own->source[0];
        for (int64_t k = 0; k < own->axes[1].kernel; k++, pixel += TILE_PLACES) {
            const int64_t x = at->left + k * own->axes[1].dilate;
            *pixel = is_row && x >= 0 && x < own->source[1]
                         ? at->image + (y * own->source[1] + x) * own->channels
                         : own->padding;
        }
    }
}

static tile_target target_of(const job *work, int64_t first, int64_t end, int64_t filter,
                             int64_t filters) {
    const int64_t offset = first * work->plan->filters + filter;
    return (tile_target){.output = work->output + offset,
                         .addend = work->addend == NULL ? NULL : work->addend + offset,
                         .stride = work->plan->filters,
                         .bias = work->bias == NULL ? NULL : work->bias + filter,
                         .lowest = work->lowest,
                         .highest = work->highest,
                         .places = smaller(TILE_PLACES, end - first),
                         .filters = filters};
}

static void multiply_block(const job *work, int64_t group, int64_t filter, pixel_table pixels,
                           int64_t first, int64_t end) {
    const plan *own = work->plan;
    const int64_t rest = own->width - filter;
    const float *weights =
        work->weights + (group * padded(own->width) + filter) * own->taps * own->depth;
    const tile_target target = target_of(work, first, end, group * own->width + filter, rest);
    multiply_tile(pixels, own->taps, group * own->depth, own->depth, weights, block_filters(rest),
                  &target);
}

/* The last block reaches back to channels that others have made already, rather than beyond the
 * end. */
static void weigh_block(const job *work, int64_t channel, pixel_table pixels, int64_t first,
                        int64_t end) {
    const plan *own = work->plan;
    const int64_t start = smaller(channel, own->channels - VECTOR_LANES);
    const tile_target target = target_of(work, first, end, start, VECTOR_LANES);
    weigh_tile(pixels, own->taps, start, work->weights + start, own->channels, &target);
}

static const float **table_of(const plan *own, const float **pixels, int64_t tile) {
    return pixels + tile * own->taps * TILE_PLACES;
}

static int64_t tiles_at_once(const plan *own) {
    const int64_t fitting = MOST_PIXELS / (own->taps * TILE_PLACES);
    return own->taps == 1 && own->weight_bytes <= NEAR_WEIGHTS ? 1
                                                               : smaller(TILES_AT_ONCE, fitting);
}

/* As many tiles as are made at once. Each block of weights serves all tiles before the next one is
 * fetched. */
static void convolve_places(const job *work, int64_t begin, int64_t end) {
    const plan *own = work->plan;
    const float *pixels[MOST_PIXELS];
    const int64_t tiles = divide_up(end - begin, TILE_PLACES);
    cursor at = cursor_at(work, begin);
    for (int64_t place = 0; place < tiles * TILE_PLACES; place++) {
        find_pixels(own, &at, table_of(own, pixels, place / TILE_PLACES) + place % TILE_PLACES);
        if (begin + place + 1 < end) { /* the last place fills its tile */
            move_on(own, &at);
        }
    }
    const int64_t groups = own->is_depthwise ? 1 : own->groups;
    const int64_t width = own->is_depthwise ? own->channels : own->width;
    for (int64_t group = 0; group < groups; group++) {
        for (int64_t filter = 0; filter < width;) {
            for (int64_t tile = 0; tile < tiles; tile++) {
                const int64_t first = begin + tile * TILE_PLACES;
                if (own->is_depthwise) {
                    weigh_block(work, filter, table_of(own, pixels, tile), first, end);
                } else {
                    multiply_block(work, group, filter, table_of(own, pixels, tile), first, end);
                }
            }
            filter += own->is_depthwise ? VECTOR_LANES : block_filters(width - filter);
        }
    }
}

static void convolve_range(void *context, int64_t begin, int64_t end) {
    const job *work = context;
    const int64_t tiles = divide_up(end - begin, TILE_PLACES);
    const int64_t rounds = divide_up(tiles, tiles_at_once(work->plan));
    const int64_t step = divide_up(tiles, rounds) * TILE_PLACES;
    for (int64_t first = begin; first < end; first += step) {
        const int64_t last = smaller(end, first + step);
        convolve_places(work, first, last);
        if (work->unfinished != NULL) {
            fused_convolution_finish(work->unfinished, first * work->plan->filters,
                                     last * work->plan->filters);
        }
    }
}

/* A filter's weights have its channels outermost; packed, they are as tiles want them. */
static void pack(const plan *own, const float *weights, float *packed) {
    memset(packed, 0, own->weight_bytes);
    if (own->is_depthwise) {
        for (int64_t channel = 0; channel < own->channels; channel++) {
            for (int64_t tap = 0; tap < own->taps; tap++) {
                packed[tap * own->channels + channel] = weights[channel * own->taps + tap];
            }
        }
        return;
    }
    for (int64_t group = 0; group < own->groups; group++) {
        for (int64_t filter = 0; filter < own->width;) {
            const int64_t rest = own->width - filter, width = block_filters(rest);
            for (int64_t tap = 0; tap < own->taps; tap++) {
                for (int64_t channel = 0; channel < own->depth; channel++, packed += width) {
                    for (int64_t i = 0; i < smaller(rest, width); i++) {
                        packed[i] =
                            weights[((group * own->width + filter + i) * own->depth + channel) *
                                        own->taps +
                                    tap];
                    }
                }
            }
            filter += width;
        }
    }
}

static plan describe(const tn_prepare_call *call, const sliding_window *window) {
    const convolution_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    window_axis axes[WINDOW_MAX_RANK];
    int64_t source[WINDOW_MAX_RANK], places[WINDOW_MAX_RANK];
    window_extend(window, axes);
    window_extend_extents(window->rank, data->shape + 2, source);
    window_extend_extents(window->rank, output->shape + 2, places);
    plan made = {.samples = data->shape[0],
                 .groups = given->num_group,
                 .channels = data->shape[1],
                 .filters = output->shape[1],
                 .depth = data->shape[1] / given->num_group,
                 .width = output->shape[1] / given->num_group,
                 .source = {source[1], source[2]},
                 .places = {places[1], places[2]},
                 .axes = {axes[1], axes[2]},
                 .taps = axes[1].kernel * axes[2].kernel};
    made.is_depthwise = made.depth == 1 && made.width == 1;
    const int64_t columns =
        made.is_depthwise ? made.channels : made.groups * padded(made.width) * made.depth;
    made.weight_bytes =
        size_multiply(size_multiply((uint64_t)made.taps, (uint64_t)columns), sizeof(float));
    return made;
}

static tn_status prepare(tn_prepare_call *call) {
    const tn_view *weights = call->inputs[1];
    const int is_constant = weights->data != NULL;
    sliding_window window;
    TN_TRY(convolution_window(call->host, call->attributes, call->inputs[0]->shape + 2, &window));
    const plan described = describe(call, &window);
    uint64_t size = 0;
    size_append(&size, sizeof described);
    const uint64_t padding_size = size_multiply((uint64_t)described.channels, sizeof(float));
    const uint64_t padding_place = size_append(&size, padding_size);
    const uint64_t weight_place = size_append(&size, is_constant ? described.weight_bytes : 0);
    TN_TRY(size_request(call, is_constant ? 0 : described.weight_bytes));
    TN_TRY(state_allocate(call, size, &call->state));
    plan *made = call->state;
    *made = described;
    memset((char *)call->state + padding_place, 0, padding_size);
    made->padding = (const float *)((const char *)call->state + padding_place);
    if (is_constant) {
        made->weights = (float *)((char *)call->state + weight_place);
        pack(made, tn_data(weights), made->weights);
    }
    return TN_OK;
}

static job begin_job(const tn_run_call *call) {
    const convolution_attributes *given = call->attributes;
    const plan *own = call->state;
    job work = {.plan = own,
                .data = tn_data(call->inputs[0]),
                .weights = own->weights,
                .bias = given->no_bias ? NULL : tn_data(call->inputs[2]),
                .output = tn_data(call->outputs[0]),
                .lowest = -INFINITY,
                .highest = INFINITY};
    if (own->weights == NULL) {
        pack(own, tn_data(call->inputs[1]), call->workspace);
        work.weights = call->workspace;
    }
    return work;
}

static tn_status run_job(const tn_host *host, job *work) {
    const plan *own = work->plan;
    tn_parallel_for(host, own->samples * own->places[0] * own->places[1],
                    grain_of(GRAIN_PRODUCTS, own->taps * own->depth * own->filters), convolve_range,
                    work);
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    job work = begin_job(call);
    return run_job(call->host, &work);
}

/* Tiles know of addends and bounds; any other activation is a walk over what they have made. */
static tn_status run_fused(const tn_run_call *call) {
    const fused_convolution_attributes *given = call->attributes;
    job work = begin_job(call);
    switch (given->activation) {
    case FUSED_NONE: break;
    case FUSED_RELU: work.lowest = 0; break;
    case FUSED_CLIP:
        work.lowest = (float)given->alpha;
        work.highest = (float)given->beta;
        break;
    default: work.unfinished = call; break;
    }
    if (given->with_addend && work.unfinished == NULL) {
        work.addend = tn_data(call->inputs[call->input_count - 1]);
    }
    return run_job(call->host, &work);
}

/* What was measured to be quicker here than by oneDNN: wide padding, for which it gathers columns
 * first; several groups; steps along the rows; and with vectors of 8 lanes windows over many
 * channels. */
static int is_preferred(const sliding_window *window, const tn_shape *weight, int64_t groups) {
    const window_axis *inner = &window->axes[window->rank - 1];
    const int64_t depth = weight->extents[1];
    const int is_wide = tn_extent_product(weight->extents, 2, weight->rank) >= 9;
    return inner->pad >= WIDE_PADDING || inner->pad_behind >= WIDE_PADDING ||
           (depth >= 16 && groups > 1) ||
           (depth >= 64 && (inner->stride > 1 || (is_wide && VECTOR_LANES == 8)));
}

static int32_t supports(const tn_kernel_query *query) {
    const convolution_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape, *weight = &query->inputs[1].shape;
    const int32_t rank = data->rank - 2;
    const int is_depthwise =
        weight->extents[1] == 1 && weight->extents[0] == data->extents[1]; /* one of each */
    sliding_window window;
    int is_channels_last;
    if ((rank != 1 && rank != 2) || tn_extent_product(data->extents, 0, data->rank) == 0 ||
        tn_extent_product(weight->extents, 2, weight->rank) > MOST_TAPS ||
        window_layout(query->host, given->layout, rank, &is_channels_last) != TN_OK ||
        is_channels_last || (is_depthwise && data->extents[1] < VECTOR_LANES) ||
        convolution_window(query->host, given, data->extents + 2, &window) != TN_OK) {
        return 0;
    }
    return is_preferred(&window, weight, given->num_group) ? 2 : 1;
}

static void layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    (void)query;
    inputs[0] = outputs[0] = TN_LAYOUT_CHANNELS_LAST;
}

static void fused_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    const fused_convolution_attributes *given = query->attributes;
    layouts(query, inputs, outputs);
    if (given->with_addend) {
        inputs[query->input_count - 1] = TN_LAYOUT_CHANNELS_LAST;
    }
}

static const tn_dtype dtypes[] = {TN_F32};

#define CHANNELS_LAST_KERNEL(NAME, RUN, LAYOUTS)                                                   \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .dtypes = dtypes,              \
        .dtype_count = 1, .priority = 100, .supports = supports, .prepare = prepare, .run = RUN,   \
        .release = state_release, .layouts = LAYOUTS                                               \
    }

const tn_kernel channels_last_convolution_kernel =
    CHANNELS_LAST_KERNEL("Convolution", run, layouts);
const tn_kernel channels_last_fused_convolution_kernel =
    CHANNELS_LAST_KERNEL("fused_convolution", run_fused, fused_layouts);
