/* MaxPool, AveragePool and LpPool. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"
#include "window.h"

typedef struct pool_attributes {
    window_attributes window;
    double p; /* 0: no norm */
    int64_t storage_order;
    int32_t ceil_mode;
    int32_t count_include_pad;
} pool_attributes;

#define POOL_FIELDS                                                                                \
    WINDOW_FIELDS(pool_attributes), TN_FIELD(pool_attributes, ceil_mode, BOOL, "False", NULL,      \
                                             "Whether a last place may reach beyond the padding.")

static const tn_attribute max_table[] = {
    POOL_FIELDS,
    TN_FIELD(pool_attributes, storage_order, INT, "0", "[0,1]",
             "Whether Indices count elements in row-major (0) or column-major (1) order."),
};
static const tn_attribute average_table[] = {
    POOL_FIELDS,
    TN_FIELD(pool_attributes, count_include_pad, BOOL, "False", NULL,
             "Whether the padding under the window counts too, as zeros."),
};
static const tn_attribute lp_table[] = {
    POOL_FIELDS,
    TN_FIELD(pool_attributes, p, FLOAT, "2", "(0,inf)", "Which norm it is."),
};

static const char *const input_names[] = {"X"};
static const char *const output_names[] = {"Y", "Indices"};
static const char *const one_output_name[] = {"Y"};

/* The norm has a window as large as the data when none is given. */
static tn_status find_window(const tn_host *host, const pool_attributes *own, int32_t rank,
                             const int64_t *extents, sliding_window *out_window) {
    const int is_global = own->p != 0 && own->window.kernel_shape.count == 0;
    return window_find(host, &own->window, rank, extents, is_global ? extents : NULL,
                       own->ceil_mode, out_window);
}

static tn_status infer(tn_infer_call *call) {
    const pool_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    int32_t rank = 0;
    sliding_window window;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (call->output_count > 1) {
        TN_TRY(tn_infer_dtype(call->host, "Indices", &call->outputs[1].dtype, TN_I64));
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(window_rank(call->host, data, &rank));
    TN_TRY(find_window(call->host, own, rank, data->extents + 2, &window));
    tn_shape result = *data;
    for (int32_t i = 0; i < rank; i++) {
        result.extents[2 + i] = window.axes[i].places;
    }
    TN_TRY(infer_output_shape(call, &result));
    return call->output_count < 2
               ? TN_OK
               : tn_infer_shape(call->host, "Indices", &call->outputs[1].shape, &result);
}

#define POOL_OP(DOC, TABLE, OUTPUTS)                                                               \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(TABLE, pool_attributes),              \
        OP_INPUTS(input_names), OP_OUTPUTS(OUTPUTS), .infer = infer                                \
    }

const tn_op max_pool_op =
    POOL_OP("Moves a window over data and puts the maximum under it, and the number in data of the "
            "element that it is, at each place.",
            max_table, output_names);
const tn_op average_pool_op =
    POOL_OP("Moves a window over data and puts the average of the elements under it at each place.",
            average_table, one_output_name);
const tn_op lp_pool_op = POOL_OP(
    "Moves a window over data, as large as the data when kernel_shape is left out, and puts "
    "the p-norm of the elements under it at each place.",
    lp_table, one_output_name);

typedef struct pool_job {
    const tn_run_call *call;
    sliding_window window;
    int64_t places, plane;
    /* One place: `reach` are the first and end offsets along each axis. */
    void (*pool)(const struct pool_job *job, int64_t first, const int64_t *place,
                 int64_t (*reach)[2], int64_t target);
} pool_job;

/* The elements under the window, one after the other: begins with `offsets` at the first. */
static int64_t element_under(const pool_job *job, const int64_t *place, const int64_t *offsets) {
    int64_t at = 0;
    for (int32_t i = 0; i < job->window.rank; i++) {
        const window_axis *axis = &job->window.axes[i];
        at = at * axis->extent + place[i] * axis->stride - axis->pad + offsets[i] * axis->dilation;
    }
    return at;
}

static int next_offsets(const pool_job *job, int64_t (*reach)[2], int64_t *offsets) {
    for (int32_t i = job->window.rank - 1; i >= 0; i--) {
        if (++offsets[i] < reach[i][1]) {
            return 1;
        }
        offsets[i] = reach[i][0];
    }
    return 0;
}

static int first_offsets(const pool_job *job, int64_t (*reach)[2], int64_t *offsets) {
    int is_any = 1;
    for (int32_t i = 0; i < job->window.rank; i++) {
        offsets[i] = reach[i][0];
        is_any &= reach[i][0] < reach[i][1];
    }
    return is_any;
}

static int64_t column_major(const pool_job *job, int64_t row_major) {
    int64_t result = 0;
    for (int32_t i = job->window.rank - 1; i >= 0; i--) {
        int64_t stride = 1;
        for (int32_t j = 0; j < i; j++) {
            stride *= job->window.axes[j].extent;
        }
        result += row_major % job->window.axes[i].extent * stride;
        row_major /= job->window.axes[i].extent;
    }
    return result;
}

static void pool_max(const pool_job *job, int64_t first, const int64_t *place, int64_t (*reach)[2],
                     int64_t target) {
    const pool_attributes *own = job->call->attributes;
    const tn_view *data = job->call->inputs[0], *output = job->call->outputs[0];
    int64_t offsets[WINDOW_MAX_RANK], found = -1;
    double best = -INFINITY;
    for (int more = first_offsets(job, reach, offsets); more;
         more = next_offsets(job, reach, offsets)) {
        const int64_t at = element_under(job, place, offsets);
        const double x = number_at(data->dtype, tn_data(data), first + at);
        if (found < 0 || x > best || (x != x && best == best)) {
            best = x;
            found = at;
        }
    }
    write_number(output->dtype, tn_data(output), target, best);
    const int64_t index = found < 0 ? 0 : own->storage_order ? column_major(job, found) : found;
    ((int64_t *)tn_data(job->call->outputs[1]))[target] = found < 0 ? -1 : first + index;
}

/* How many elements under the window an average with padding counts: those within the padding. */
static int64_t padded_count(const pool_job *job, const int64_t *place) {
    int64_t count = 1;
    for (int32_t i = 0; i < job->window.rank; i++) {
        const window_axis *axis = &job->window.axes[i];
        const int64_t left = axis->extent + axis->pad + axis->pad_behind - place[i] * axis->stride;
        const int64_t fit = (left + axis->dilation - 1) / axis->dilation;
        count *= fit < axis->kernel ? fit : axis->kernel;
    }
    return count;
}

static void pool_average(const pool_job *job, int64_t first, const int64_t *place,
                         int64_t (*reach)[2], int64_t target) {
    const pool_attributes *own = job->call->attributes;
    const tn_view *data = job->call->inputs[0], *output = job->call->outputs[0];
    int64_t offsets[WINDOW_MAX_RANK], count = 0;
    double sum = 0;
    for (int more = first_offsets(job, reach, offsets); more;
         more = next_offsets(job, reach, offsets)) {
        sum += number_at(data->dtype, tn_data(data), first + element_under(job, place, offsets));
        count++;
    }
    count = own->count_include_pad ? padded_count(job, place) : count;
    write_number(output->dtype, tn_data(output), target, count > 0 ? sum / (double)count : 0);
}

static void pool_lp(const pool_job *job, int64_t first, const int64_t *place, int64_t (*reach)[2],
                    int64_t target) {
    const pool_attributes *own = job->call->attributes;
    const tn_view *data = job->call->inputs[0], *output = job->call->outputs[0];
    int64_t offsets[WINDOW_MAX_RANK];
    double sum = 0;
    for (int more = first_offsets(job, reach, offsets); more;
         more = next_offsets(job, reach, offsets)) {
        const int64_t at = first + element_under(job, place, offsets);
        sum += pow(fabs(number_at(data->dtype, tn_data(data), at)), own->p);
    }
    write_number(output->dtype, tn_data(output), target, pow(sum, 1 / own->p));
}

static void pool_range(void *context, int64_t begin, int64_t end) {
    const pool_job *job = context;
    for (int64_t target = begin; target < end; target++) {
        int64_t place[WINDOW_MAX_RANK], reach[WINDOW_MAX_RANK][2];
        int64_t rest = target % job->places;
        for (int32_t i = job->window.rank - 1; i >= 0; i--) {
            place[i] = rest % job->window.axes[i].places;
            rest /= job->window.axes[i].places;
            window_reach(&job->window.axes[i], place[i], &reach[i][0], &reach[i][1]);
        }
        job->pool(job, target / job->places * job->plane, place, reach, target);
    }
}

static tn_status run(const tn_run_call *call, pool_job *job) {
    const pool_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0];
    job->call = call;
    TN_TRY(find_window(call->host, own, data->rank - 2, data->shape + 2, &job->window));
    job->places = window_places(&job->window);
    job->plane = tn_extent_product(data->shape, 2, data->rank);
    const int64_t grain = 4096 / window_kernel_size(&job->window) + 1;
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), grain, pool_range, job);
    return TN_OK;
}

static tn_status run_max(const tn_run_call *call) {
    pool_job job = {.pool = pool_max};
    return run(call, &job);
}

static tn_status run_average(const tn_run_call *call) {
    pool_job job = {.pool = pool_average};
    return run(call, &job);
}

static tn_status run_lp(const tn_run_call *call) {
    pool_job job = {.pool = pool_lp};
    return run(call, &job);
}

const tn_kernel max_pool_kernel = {CPU_KERNEL("onnx.MaxPool"), .run = run_max};
const tn_kernel average_pool_kernel = {CPU_KERNEL("onnx.AveragePool"), .run = run_average};
const tn_kernel lp_pool_kernel = {CPU_KERNEL("onnx.LpPool"), .run = run_lp};
