/* RotaryEmbedding: pairs of a head's elements, turned by angles of their step. */
#include "elements.h"
#include "families.h"
#include "head_layout.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"

typedef struct rotary_attributes {
    int64_t num_heads;
    int64_t rotary_embedding_dim;
    int32_t interleaved;
} rotary_attributes;

static const tn_attribute table[] = {
    TN_FIELD(rotary_attributes, num_heads, INT, "0", "[0,2147483647]",
             "The heads of X when it has three axes."),
    TN_FIELD(rotary_attributes, rotary_embedding_dim, INT, "0", "[0,2147483647]",
             "How many elements of a head are turned; 0: all."),
    TN_FIELD(rotary_attributes, interleaved, BOOL, "False", NULL,
             "Whether a pair are neighbours, otherwise one of either half."),
};

static const char *const input_names[] = {"X", "cos_cache", "sin_cache", "position_ids"};
static const char *const output_names[] = {"Y"};
static const uint32_t optional[] = {3};

static tn_status infer(tn_infer_call *call) {
    const rotary_attributes *own = call->attributes;
    head_layout layout;
    TN_TRY(infer_output_like(call, 0));
    return call->inputs[0].shape.rank < 0
               ? TN_OK
               : head_layout_of(call->host, call->inputs[0].shape.rank,
                                call->inputs[0].shape.extents, own->num_heads, &layout);
}

const tn_op rotary_embedding_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Turns pairs of elements of each head by the angles whose cosines and sines the caches "
           "have for the step, or for the position that it is given.",
    OP_ATTRIBUTES(table, rotary_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

typedef struct rotary_job {
    const tn_run_call *call;
    head_layout layout;
    int64_t turned;
} rotary_job;

/* The row of the caches for a step; fails with -1. */
static int64_t cache_row(const rotary_job *job, int64_t batch, int64_t step) {
    const tn_view *positions = run_input(job->call, 3);
    const int64_t index = batch * job->layout.steps + step;
    if (positions == NULL) {
        return index;
    }
    const int64_t row = read_integer(positions->dtype, tn_data(positions), index);
    return row >= 0 && row < job->call->inputs[1]->shape[0] ? row : -1;
}

static void turn_vector(const rotary_job *job, int64_t first, int64_t row) {
    const rotary_attributes *own = job->call->attributes;
    const tn_view *data = job->call->inputs[0], *output = job->call->outputs[0];
    const tn_view *cosines = job->call->inputs[1], *sines = job->call->inputs[2];
    const int64_t half = job->turned / 2;
    for (int64_t i = 0; i < half; i++) {
        const int64_t left = first + (own->interleaved ? 2 * i : i);
        const int64_t right = left + (own->interleaved ? 1 : half);
        const double x = number_at(data->dtype, tn_data(data), left);
        const double y = number_at(data->dtype, tn_data(data), right);
        const double cosine = number_at(cosines->dtype, tn_data(cosines), row * half + i);
        const double sine = number_at(sines->dtype, tn_data(sines), row * half + i);
        write_number(output->dtype, tn_data(output), left, cosine * x - sine * y);
        write_number(output->dtype, tn_data(output), right, sine * x + cosine * y);
    }
    for (int64_t i = 2 * half; i < job->layout.size; i++) {
        write_number(output->dtype, tn_data(output), first + i,
                     number_at(data->dtype, tn_data(data), first + i));
    }
}

static tn_status check_caches(const rotary_job *job) {
    const tn_view *positions = run_input(job->call, 3);
    const int64_t steps = job->layout.batch * job->layout.steps;
    for (int i = 1; i <= 2; i++) {
        const tn_view *cache = job->call->inputs[i];
        const int64_t rows = tn_extent_product(cache->shape, 0, cache->rank - 1);
        if (cache->rank < 2 || cache->shape[cache->rank - 1] != job->turned / 2 ||
            (positions == NULL && rows != steps)) {
            return tn_fail(job->call->host, TN_INVALID_ARGUMENT,
                           "cache %d does not have %lld angles for each step", i,
                           (long long)(job->turned / 2));
        }
    }
    if (tn_element_count(job->call->inputs[1]) != tn_element_count(job->call->inputs[2]) ||
        (positions != NULL && job->call->inputs[1]->rank != 2)) {
        return tn_fail(job->call->host, TN_INVALID_ARGUMENT,
                       "the caches differ in their sizes, or have no row for each position");
    }
    if (positions != NULL && tn_element_count(positions) != steps) {
        return tn_fail(job->call->host, TN_INVALID_ARGUMENT,
                       "there is not a position for each step");
    }
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const rotary_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0];
    rotary_job job = {.call = call};
    TN_TRY(head_layout_of(call->host, data->rank, data->shape, own->num_heads, &job.layout));
    job.turned = own->rotary_embedding_dim > 0 ? own->rotary_embedding_dim : job.layout.size;
    if (job.turned > job.layout.size || job.turned % 2 != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "%lld elements of heads of %lld form no pairs", (long long)job.turned,
                       (long long)job.layout.size);
    }
    TN_TRY(check_caches(&job));
    for (int64_t batch = 0; batch < job.layout.batch; batch++) {
        for (int64_t step = 0; step < job.layout.steps; step++) {
            const int64_t row = cache_row(&job, batch, step);
            if (row < 0) {
                return tn_fail(call->host, TN_OUT_OF_RANGE, "a position is beyond the caches");
            }
            for (int64_t head = 0; head < job.layout.heads; head++) {
                turn_vector(&job, head_offset(&job.layout, batch, head, step), row);
            }
        }
    }
    return TN_OK;
}

const tn_kernel rotary_embedding_kernel = {CPU_KERNEL("onnx.RotaryEmbedding"),
                                           .supports = supports_floating_first_input, .run = run};
