/* GridSample: elements of an image at places that a grid tells, in between its own. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { SAMPLE_LINEAR, SAMPLE_NEAREST, SAMPLE_CUBIC, SAMPLE_BILINEAR, SAMPLE_BICUBIC };
enum { BEYOND_ZEROS, BEYOND_BORDER, BEYOND_REFLECTION };
enum { MAX_AXES = 3 };

typedef struct grid_attributes {
    int32_t mode;
    int32_t padding_mode;
    int32_t align_corners;
} grid_attributes;

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(grid_attributes, mode, "linear", "linear|nearest|cubic|bilinear|bicubic",
                    "How elements are made from those around."),
    TN_FIELD_CHOICE(grid_attributes, padding_mode, "zeros", "zeros|border|reflection",
                    "What is beyond the image."),
    TN_FIELD(
        grid_attributes, align_corners, BOOL, "False", NULL,
        "Whether -1 and 1 are the middles of the elements at the ends, otherwise their edges."),
};

static const char *const input_names[] = {"X", "grid"};
static const char *const output_names[] = {"Y"};

static tn_status infer(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape, *grid = &call->inputs[1].shape;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0 || grid->rank < 0) {
        return TN_OK;
    }
    const int32_t axes = data->rank - 2;
    int64_t batch = data->extents[0], grid_batch = grid->extents[0];
    if (axes < 1 || axes > MAX_AXES || grid->rank != data->rank ||
        (grid->extents[grid->rank - 1] >= 0 && grid->extents[grid->rank - 1] != axes)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "a grid of rank %d does not have places of %d coordinates", (int)grid->rank,
                       (int)axes);
    }
    TN_TRY(infer_same_extent(call->host, "batches of X and grid", &batch, &grid_batch));
    tn_shape result = *data;
    for (int32_t i = 0; i < axes; i++) {
        result.extents[2 + i] = grid->extents[1 + i];
    }
    result.extents[0] = batch;
    return infer_output_shape(call, &result);
}

const tn_op grid_sample_op = {
    .struct_size = TN_OP_SIZE,
    .doc =
        "Takes elements of each channel at the places of a grid, whose coordinates go from -1 to "
        "1 along each axis, the last axis first.",
    OP_ATTRIBUTES(table, grid_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

typedef struct grid_job {
    const tn_run_call *call;
    int32_t axes;
    int64_t extents[MAX_AXES];
    int64_t channels, plane, places;
} grid_job;

static double reflect(double x, double lowest, double highest) {
    const double range = highest - lowest;
    if (range <= 0) {
        return lowest;
    }
    const double distance = fmod(fabs(x - lowest), 2 * range);
    return lowest + (distance <= range ? distance : 2 * range - distance);
}

/* The coordinate in elements, and with padding_mode reflection or border brought inside. */
static double bring_inside(const grid_attributes *own, double x, int64_t extent) {
    const double last = (double)(extent - 1);
    const double lowest = own->align_corners ? 0 : -0.5,
                 highest = own->align_corners ? last : last + 0.5;
    if (own->padding_mode == BEYOND_REFLECTION && (x < lowest || x > highest)) {
        x = reflect(x, lowest, highest);
    }
    return own->padding_mode == BEYOND_ZEROS ? x : fmin(fmax(x, 0), last);
}

static double cubic_weight(double distance) {
    const double x = fabs(distance), a = -0.75;
    if (x <= 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* The elements along one axis that a coordinate is made of, with their weights. */
static int find_axis_taps(const grid_attributes *own, double x, int64_t extent, int64_t *indices,
                          double *weights) {
    const int is_cubic = own->mode == SAMPLE_CUBIC || own->mode == SAMPLE_BICUBIC;
    const double limit = 4 * (double)(extent + 4);
    x = is_cubic ? x : bring_inside(own, x, extent);
    x = x != x || x < -limit ? -limit : x > limit ? limit : x;
    if (own->mode == SAMPLE_NEAREST) {
        indices[0] = (int64_t)rint(x);
        weights[0] = 1;
        return 1;
    }
    const int count = is_cubic ? 4 : 2;
    const double base = floor(x);
    for (int i = 0; i < count; i++) {
        const double place = base + i - (is_cubic ? 1 : 0);
        weights[i] = is_cubic ? cubic_weight(x - place) : 1 - fabs(x - place);
        indices[i] = (int64_t)(is_cubic ? rint(bring_inside(own, place, extent)) : place);
    }
    return count;
}

static double sample(const grid_job *job, const double *coordinates, int64_t first) {
    const grid_attributes *own = job->call->attributes;
    const tn_view *data = job->call->inputs[0];
    int64_t indices[MAX_AXES][4];
    double weights[MAX_AXES][4], sum = 0;
    int counts[MAX_AXES], total = 1;
    for (int32_t i = 0; i < job->axes; i++) {
        counts[i] = find_axis_taps(own, coordinates[i], job->extents[i], indices[i], weights[i]);
        total *= counts[i];
    }
    for (int tap = 0; tap < total; tap++) {
        int64_t at = 0;
        double weight = 1;
        int rest = tap, is_inside = 1;
        for (int32_t i = 0; i < job->axes; i++) {
            const int k = rest % counts[i];
            rest /= counts[i];
            is_inside &= indices[i][k] >= 0 && indices[i][k] < job->extents[i];
            at = at * job->extents[i] + indices[i][k];
            weight *= weights[i][k];
        }
        sum += is_inside ? weight * number_at(data->dtype, tn_data(data), first + at) : 0;
    }
    return sum;
}

static void sample_range(void *context, int64_t begin, int64_t end) {
    const grid_job *job = context;
    const grid_attributes *own = job->call->attributes;
    const tn_view *grid = job->call->inputs[1], *output = job->call->outputs[0];
    for (int64_t i = begin; i < end; i++) {
        double coordinates[MAX_AXES];
        const int64_t batch = i / job->places, place = i % job->places;
        for (int32_t axis = 0; axis < job->axes; axis++) {
            const double x =
                number_at(grid->dtype, tn_data(grid), i * job->axes + job->axes - 1 - axis);
            const double extent = (double)job->extents[axis];
            coordinates[axis] =
                own->align_corners ? (x + 1) / 2 * (extent - 1) : ((x + 1) * extent - 1) / 2;
        }
        for (int64_t channel = 0; channel < job->channels; channel++) {
            const int64_t image = batch * job->channels + channel;
            write_number(output->dtype, tn_data(output), image * job->places + place,
                         sample(job, coordinates, image * job->plane));
        }
    }
}

static tn_status run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0], *grid = call->inputs[1];
    grid_job job = {.call = call, .axes = data->rank - 2, .channels = data->shape[1]};
    for (int32_t i = 0; i < job.axes; i++) {
        job.extents[i] = data->shape[2 + i];
    }
    job.plane = tn_extent_product(data->shape, 2, data->rank);
    job.places = tn_extent_product(grid->shape, 1, grid->rank - 1);
    tn_parallel_for(call->host, grid->shape[0] * job.places, 256, sample_range, &job);
    return TN_OK;
}

const tn_kernel grid_sample_kernel = {CPU_KERNEL("onnx.GridSample"),
                                      .supports = supports_floating_first_input, .run = run};
