#include <math.h>

#include "attention.h"
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "operator.h"
#include "shapes.h"

typedef struct attention_job {
    const tn_run_call *call;
    head_layout query, key, value; /* key and value: the presents */
    int64_t past;
    int64_t mask_strides[4];
    int64_t mask_length; /* keys that the mask has; those behind are masked */
    double scale;
    double *scores; /* a row of keys for each query of each head */
} attention_job;

/* Copies a cache and what is new behind one another. */
static void append_cache(const tn_view *past, const tn_view *added, const head_layout *layout,
                         const tn_view *present) {
    const size_t size = TN_DTYPE_SIZE(added->dtype);
    const size_t vector = (size_t)layout->size * size;
    const int64_t old = past == NULL ? 0 : past->shape[2], all = old + layout->steps;
    for (int64_t i = 0; i < layout->batch * layout->heads; i++) {
        const int64_t batch = i / layout->heads, head = i % layout->heads;
        char *target = (char *)tn_data(present) + (size_t)(i * all) * vector;
        if (old > 0) {
            memcpy(target, (const char *)tn_data(past) + (size_t)(i * old) * vector,
                   (size_t)old * vector);
        }
        for (int64_t step = 0; step < layout->steps; step++) {
            memcpy(target + (size_t)(old + step) * vector,
                   (const char *)tn_data(added) +
                       (size_t)head_offset(layout, batch, head, step) * size,
                   vector);
        }
    }
}

static double mask_at(const attention_job *job, int64_t batch, int64_t head, int64_t query,
                      int64_t key) {
    const tn_view *mask = run_input(job->call, MASK);
    if (mask == NULL) {
        return 0;
    }
    if (key >= job->mask_length) {
        return -INFINITY;
    }
    const double x = number_at(mask->dtype, tn_data(mask),
                               batch * job->mask_strides[0] + head * job->mask_strides[1] +
                                   query * job->mask_strides[2] + key * job->mask_strides[3]);
    return mask->dtype == TN_BOOL ? (x != 0 ? 0 : -INFINITY) : x;
}

static int is_hidden(const attention_job *job, int64_t batch, int64_t query, int64_t key) {
    const attention_attributes *own = job->call->attributes;
    const tn_view *lengths = run_input(job->call, KEY_LENGTHS);
    int64_t offset = job->past, length = job->key.steps;
    if (lengths != NULL) {
        length = read_integer(lengths->dtype, tn_data(lengths), batch);
        offset = job->past > 0 ? job->past : length - job->query.steps;
    }
    return key >= length || (own->is_causal && key > query + offset);
}

static void show_score(const attention_job *job, int64_t mode, int64_t at, double score) {
    const attention_attributes *own = job->call->attributes;
    const tn_view *output = job->call->outputs[SCORES];
    if (own->qk_matmul_output_mode == mode) {
        write_number(output->dtype, tn_data(output), at, score);
    }
}

static double score_of(const attention_job *job, int64_t batch, int64_t head, int64_t query,
                       int64_t key, int64_t at) {
    const attention_attributes *own = job->call->attributes;
    const tn_view *queries = job->call->inputs[QUERY], *keys = job->call->outputs[PRESENT_KEY];
    const int64_t from = head_offset(&job->query, batch, head, query);
    const int64_t shared = head / (job->query.heads / job->key.heads);
    const int64_t to = head_offset(&job->key, batch, shared, key);
    double sum = 0;
    for (int64_t i = 0; i < job->query.size; i++) {
        sum += number_at(queries->dtype, tn_data(queries), from + i) *
               number_at(keys->dtype, tn_data(keys), to + i);
    }
    sum *= job->scale;
    show_score(job, SCORES_RAW, at, sum);
    sum = own->softcap > 0 ? own->softcap * tanh(sum / own->softcap) : sum;
    show_score(job, SCORES_CAPPED, at, sum);
    sum =
        is_hidden(job, batch, query, key) ? -INFINITY : sum + mask_at(job, batch, head, query, key);
    show_score(job, SCORES_MASKED, at, sum);
    return sum;
}

/* A row that is masked as a whole gives zeros. */
static void softmax_row(double *row, int64_t count) {
    double maximum = -INFINITY, sum = 0;
    for (int64_t i = 0; i < count; i++) {
        maximum = row[i] > maximum || row[i] != row[i] ? row[i] : maximum;
    }
    for (int64_t i = 0; i < count; i++) {
        row[i] = maximum == -INFINITY ? 0 : exp(row[i] - maximum);
        sum += row[i];
    }
    for (int64_t i = 0; i < count && sum != 0; i++) {
        row[i] /= sum;
    }
}

static void attend(void *context, int64_t begin, int64_t end) {
    const attention_job *job = context;
    const tn_view *values = job->call->outputs[PRESENT_VALUE];
    const tn_view *output = job->call->outputs[RESULT];
    const int64_t heads = job->query.heads, steps = job->query.steps, keys = job->key.steps;
    head_layout result = job->query;
    result.size = job->value.size;
    for (int64_t i = begin; i < end; i++) {
        const int64_t batch = i / (heads * steps), head = i / steps % heads, query = i % steps;
        const int64_t shared = head / (heads / job->key.heads);
        double *row = job->scores + i * keys;
        for (int64_t key = 0; key < keys; key++) {
            row[key] = score_of(job, batch, head, query, key, i * keys + key);
        }
        softmax_row(row, keys);
        for (int64_t key = 0; key < keys; key++) {
            show_score(job, SCORES_SOFTMAX, i * keys + key, row[key]);
        }
        for (int64_t j = 0; j < result.size; j++) {
            double sum = 0;
            for (int64_t key = 0; key < keys; key++) {
                const int64_t at = head_offset(&job->value, batch, shared, key) + j;
                sum += row[key] == 0 ? 0 : row[key] * number_at(values->dtype, tn_data(values), at);
            }
            write_number(output->dtype, tn_data(output),
                         head_offset(&result, batch, head, query) + j, sum);
        }
    }
}

/* The mask stretches to (batch, heads, queries, keys), but for the keys, of which it may lack the
 * last ones. */
static tn_status plan_mask(attention_job *job) {
    const tn_view *mask = run_input(job->call, MASK);
    const int64_t whole[] = {job->query.batch, job->query.heads, job->query.steps, job->key.steps};
    if (mask == NULL) {
        return TN_OK;
    }
    int is_valid = mask->rank >= 1 && mask->rank <= 4;
    for (int32_t i = 0; is_valid && i < mask->rank; i++) {
        const int64_t extent = mask->shape[i], full = whole[4 - mask->rank + i];
        is_valid = extent == full || extent == 1 || (i == mask->rank - 1 && extent < full);
    }
    if (!is_valid) {
        return tn_fail(job->call->host, TN_INVALID_ARGUMENT,
                       "the mask does not stretch to (%lld,%lld,%lld,%lld)", (long long)whole[0],
                       (long long)whole[1], (long long)whole[2], (long long)whole[3]);
    }
    stretched_strides(mask, 4, job->mask_strides);
    job->mask_length = mask->shape[mask->rank - 1];
    return TN_OK;
}

/* What inference does not see: keys and values go together, and each sample has a length. */
static tn_status check_inputs(const attention_job *job) {
    const tn_view *keys = run_input(job->call, PAST_KEY),
                  *values = run_input(job->call, PAST_VALUE);
    const tn_view *lengths = run_input(job->call, KEY_LENGTHS);
    const int is_pair =
        (keys == NULL) == (values == NULL) && (keys == NULL || keys->shape[2] == values->shape[2]);
    if (!is_pair || (lengths != NULL && tn_element_count(lengths) != job->query.batch)) {
        return tn_fail(job->call->host, TN_INVALID_ARGUMENT,
                       "past_key and past_value, or the lengths, do not fit together");
    }
    return TN_OK;
}

static tn_status prepare(tn_prepare_call *call) {
    const tn_view *scores = call->outputs[SCORES];
    call->workspace_size = (uint64_t)tn_element_count(scores) * sizeof(double);
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const attention_attributes *own = call->attributes;
    const tn_view *query = call->inputs[QUERY], *key = call->inputs[KEY];
    const tn_view *value = call->inputs[VALUE], *past = run_input(call, PAST_KEY);
    attention_job job = {.call = call, .scores = call->workspace};
    TN_TRY(head_layout_of(call->host, query->rank, query->shape, own->q_num_heads, &job.query));
    TN_TRY(head_layout_of(call->host, key->rank, key->shape, own->kv_num_heads, &job.key));
    TN_TRY(head_layout_of(call->host, value->rank, value->shape, own->kv_num_heads, &job.value));
    TN_TRY(check_inputs(&job));
    append_cache(past, key, &job.key, call->outputs[PRESENT_KEY]);
    append_cache(run_input(call, PAST_VALUE), value, &job.value, call->outputs[PRESENT_VALUE]);
    job.past = past == NULL ? 0 : past->shape[2];
    job.key.steps = job.value.steps = job.past + job.key.steps;
    job.key.is_flat = job.value.is_flat = 0;
    job.scale = own->scale == own->scale ? own->scale : 1 / sqrt((double)job.query.size);
    TN_TRY(plan_mask(&job));
    tn_parallel_for(call->host, job.query.batch * job.query.heads * job.query.steps,
                    4096 / (job.key.steps * job.query.size + 1) + 1, attend, &job);
    return TN_OK;
}

const tn_kernel attention_kernel = {CPU_KERNEL("onnx.Attention"),
                                    .supports = supports_floating_first_input, .prepare = prepare,
                                    .run = run};
