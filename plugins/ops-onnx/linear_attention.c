/* LinearAttention: attention by a matrix that each step changes, in place of a softmax. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "head_layout.h"
#include "integers.h"
#include "operator.h"
#include "shapes.h"

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA };
enum { RESULT, PRESENT };
enum { RULE_LINEAR, RULE_GATED, RULE_DELTA, RULE_GATED_DELTA };

typedef struct linear_attributes {
    double scale; /* 0: 1 / sqrt(size of a key) */
    int64_t q_num_heads;
    int64_t kv_num_heads;
    int64_t chunk_size;
    int32_t update_rule;
} linear_attributes;

static const tn_attribute table[] = {
    TN_FIELD(linear_attributes, scale, FLOAT, "0", NULL,
             "The factor of the result; 0: 1 / sqrt(size of a key)."),
    TN_FIELD(linear_attributes, q_num_heads, INT, NULL, "[1,2147483647]", "The heads of query."),
    TN_FIELD(linear_attributes, kv_num_heads, INT, NULL, "[1,2147483647]",
             "The heads of key and value, a divisor of q_num_heads."),
    TN_FIELD(linear_attributes, chunk_size, INT, "64", NULL,
             "Accepted for compatibility: steps are taken one by one."),
    TN_FIELD_CHOICE(linear_attributes, update_rule, "gated_delta", "linear|gated|delta|gated_delta",
                    "How a step changes the state: adds key and value, with a decay before it "
                    "(gated), or only what the state does not give for the key yet (delta)."),
};

static const char *const input_names[] = {"query", "key", "value", "past_state", "decay", "beta"};
static const char *const output_names[] = {"output", "present_state"};
static const uint32_t optional[] = {PAST, DECAY, BETA};

static int is_gated(const linear_attributes *own) {
    return own->update_rule == RULE_GATED || own->update_rule == RULE_GATED_DELTA;
}

static int corrects(const linear_attributes *own) {
    return own->update_rule == RULE_DELTA || own->update_rule == RULE_GATED_DELTA;
}

/* decay and beta belong to some rules: they must be there, and nowhere else. */
static tn_status check_rule(const tn_infer_call *call) {
    const linear_attributes *own = call->attributes;
    static const char *const rules[] = {"linear", "gated", "delta", "gated_delta"};
    const int wanted[] = {is_gated(own), corrects(own)};
    for (uint32_t i = 0; i < 2; i++) {
        const tn_tensor_type *type = &call->inputs[DECAY + i];
        const int is_there = type->dtype != 0 || type->shape.rank >= 0;
        if (is_there && !wanted[i]) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "update_rule=%s takes no %s",
                           rules[own->update_rule], input_names[DECAY + i]);
        }
    }
    if (own->q_num_heads % own->kv_num_heads != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "q_num_heads=%lld is not a multiple of kv_num_heads=%lld",
                       (long long)own->q_num_heads, (long long)own->kv_num_heads);
    }
    return TN_OK;
}

static tn_status infer_dtypes(tn_infer_call *call) {
    const tn_dtype dtype = call->inputs[QUERY].dtype;
    const tn_dtype state = call->inputs[PAST].dtype != 0 ? call->inputs[PAST].dtype : dtype;
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[RESULT].dtype, dtype));
    return tn_infer_dtype(call->host, "present_state", &call->outputs[PRESENT].dtype, state);
}

/* Three axes: batch, steps, and heads with their vectors. */
static tn_status layout_of(const tn_infer_call *call, uint32_t input, int64_t heads,
                           head_layout *out_layout) {
    const tn_shape *shape = &call->inputs[input].shape;
    if (shape->rank != 3) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%s has %d axes, expected 3",
                       input_names[input], (int)shape->rank);
    }
    return head_layout_of(call->host, 3, shape->extents, heads, out_layout);
}

/* One number for each head, or for each of `others`. */
static tn_status check_gate(const tn_infer_call *call, uint32_t input, const head_layout *key,
                            int64_t others) {
    const tn_shape *shape = &call->inputs[input].shape;
    if (shape->rank < 0) {
        return TN_OK;
    }
    const int64_t count = shape->rank == 3 ? shape->extents[2] : 0;
    int fits =
        shape->rank == 3 && (count < 0 || others < 0 || count == key->heads || count == others);
    for (int32_t i = 0; fits && i < 2; i++) {
        const int64_t expected = i == 0 ? key->batch : key->steps;
        fits = shape->extents[i] < 0 || expected < 0 || shape->extents[i] == expected;
    }
    if (!fits) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "%s does not have the batch and steps of key, and %lld or %lld numbers",
                       input_names[input], (long long)key->heads, (long long)others);
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const linear_attributes *own = call->attributes;
    head_layout query, key, value;
    TN_TRY(check_rule(call));
    TN_TRY(infer_dtypes(call));
    if (call->inputs[QUERY].shape.rank < 0 || call->inputs[KEY].shape.rank < 0 ||
        call->inputs[VALUE].shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(layout_of(call, QUERY, own->q_num_heads, &query));
    TN_TRY(layout_of(call, KEY, own->kv_num_heads, &key));
    TN_TRY(layout_of(call, VALUE, own->kv_num_heads, &value));
    TN_TRY(infer_same_extent(call->host, "batches of query and key", &query.batch, &key.batch));
    TN_TRY(infer_same_extent(call->host, "batches of key and value", &key.batch, &value.batch));
    TN_TRY(infer_same_extent(call->host, "steps of query and key", &query.steps, &key.steps));
    TN_TRY(infer_same_extent(call->host, "steps of key and value", &key.steps, &value.steps));
    TN_TRY(infer_same_extent(call->host, "sizes of query and key", &query.size, &key.size));
    TN_TRY(check_gate(call, DECAY, &key, call->inputs[KEY].shape.extents[2]));
    TN_TRY(check_gate(call, BETA, &key, 1));
    const int64_t state_extents[] = {key.batch, key.heads, key.size, value.size};
    const tn_shape state = tn_shape_of(4, state_extents);
    if (call->inputs[PAST].shape.rank >= 0) {
        TN_TRY(tn_infer_shape(call->host, "past_state", &call->inputs[PAST].shape, &state));
    }
    TN_TRY(tn_infer_shape(call->host, "present_state", &call->outputs[PRESENT].shape, &state));
    tn_shape result = call->inputs[QUERY].shape;
    TN_TRY(multiply_extents(call->host, query.heads, value.size, &result.extents[2]));
    return tn_infer_shape(call->host, "output", &call->outputs[RESULT].shape, &result);
}

const tn_op linear_attention_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Attention by a state, a matrix for each head of keys: each step adds the product of "
           "its key and value to the state, as update_rule says, and gives the product of its "
           "query with the state. Heads of query share those of key and value.",
    OP_ATTRIBUTES(table, linear_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

typedef struct linear_job {
    const tn_run_call *call;
    head_layout query, key, value;
    double scale;
    double *states; /* of all heads of keys, each followed by a value */
} linear_job;

static double vector_at(const tn_view *view, int64_t index) {
    return number_at(view->dtype, tn_data(view), index);
}

/* A number of a gate for a step: one for each head, for each element of its key, or for all. */
static double gate_at(const linear_job *job, uint32_t input, int64_t vector, int64_t head,
                      int64_t element) {
    const tn_view *gate = job->call->inputs[input];
    const int64_t count = gate->shape[2], heads = job->key.heads;
    const int64_t at = count == heads ? head : count == 1 ? 0 : head * job->key.size + element;
    return vector_at(gate, vector * count + at);
}

static void update_state(const linear_job *job, int64_t batch, int64_t head, int64_t step,
                         double *state, double *added) {
    const linear_attributes *own = job->call->attributes;
    const tn_view *keys = job->call->inputs[KEY], *values = job->call->inputs[VALUE];
    const int64_t size = job->key.size, width = job->value.size;
    const int64_t vector = batch * job->key.steps + step;
    const int64_t key = head_offset(&job->key, batch, head, step);
    const int64_t value = head_offset(&job->value, batch, head, step);
    for (int64_t i = 0; i < size && is_gated(own); i++) {
        const double factor = exp(gate_at(job, DECAY, vector, head, i));
        for (int64_t j = 0; j < width; j++) {
            state[i * width + j] *= factor;
        }
    }
    for (int64_t j = 0; j < width; j++) {
        added[j] = vector_at(values, value + j);
    }
    if (corrects(own)) {
        const double rate = gate_at(job, BETA, vector, head, 0);
        for (int64_t i = 0; i < size; i++) {
            const double x = vector_at(keys, key + i);
            for (int64_t j = 0; j < width; j++) {
                added[j] -= x * state[i * width + j];
            }
        }
        for (int64_t j = 0; j < width; j++) {
            added[j] *= rate;
        }
    }
    for (int64_t i = 0; i < size; i++) {
        const double x = vector_at(keys, key + i);
        for (int64_t j = 0; j < width; j++) {
            state[i * width + j] += x * added[j];
        }
    }
}

/* The results of all heads of queries that share a head of keys. */
static void read_state(const linear_job *job, int64_t batch, int64_t head, int64_t step,
                       const double *state, double *sums) {
    const tn_view *queries = job->call->inputs[QUERY], *output = job->call->outputs[RESULT];
    const int64_t width = job->value.size, sharing = job->query.heads / job->key.heads;
    head_layout result = job->query;
    result.size = width;
    for (int64_t h = head * sharing; h < (head + 1) * sharing; h++) {
        const int64_t query = head_offset(&job->query, batch, h, step);
        memset(sums, 0, (size_t)width * sizeof *sums);
        for (int64_t i = 0; i < job->key.size; i++) {
            const double x = vector_at(queries, query + i) * job->scale;
            for (int64_t j = 0; j < width; j++) {
                sums[j] += x * state[i * width + j];
            }
        }
        write_doubles(output->dtype, tn_data(output), head_offset(&result, batch, h, step), 1,
                      width, sums);
    }
}

static void run_heads(void *context, int64_t begin, int64_t end) {
    const linear_job *job = context;
    const tn_view *past = run_input(job->call, PAST), *present = job->call->outputs[PRESENT];
    const int64_t size = job->key.size * job->value.size;
    for (int64_t i = begin; i < end; i++) {
        double *state = job->states + i * (size + job->value.size), *vector = state + size;
        if (past == NULL) {
            memset(state, 0, (size_t)size * sizeof *state);
        } else {
            read_doubles(past->dtype, tn_data(past), i * size, 1, size, state);
        }
        for (int64_t step = 0; step < job->key.steps; step++) {
            const int64_t batch = i / job->key.heads, head = i % job->key.heads;
            update_state(job, batch, head, step, state, vector);
            read_state(job, batch, head, step, state, vector);
        }
        write_doubles(present->dtype, tn_data(present), i * size, 1, size, state);
    }
}

static tn_status find_layouts(const tn_host *host, const linear_attributes *own,
                              const tn_view *const *inputs, linear_job *job) {
    TN_TRY(head_layout_of(host, 3, inputs[QUERY]->shape, own->q_num_heads, &job->query));
    TN_TRY(head_layout_of(host, 3, inputs[KEY]->shape, own->kv_num_heads, &job->key));
    return head_layout_of(host, 3, inputs[VALUE]->shape, own->kv_num_heads, &job->value);
}

static tn_status prepare(tn_prepare_call *call) {
    const linear_attributes *own = call->attributes;
    linear_job job = {0};
    TN_TRY(find_layouts(call->host, own, call->inputs, &job));
    if ((is_gated(own) && call->inputs[DECAY] == NULL) ||
        (corrects(own) && call->inputs[BETA] == NULL)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "update_rule needs the input %s",
                       is_gated(own) && call->inputs[DECAY] == NULL ? "decay" : "beta");
    }
    const uint64_t state = ((uint64_t)job.key.size + 1) * (uint64_t)job.value.size;
    if (__builtin_mul_overflow((uint64_t)(job.key.batch * job.key.heads) * sizeof(double), state,
                               &call->workspace_size)) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "the workspace would be too large");
    }
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const linear_attributes *own = call->attributes;
    linear_job job = {.call = call, .states = call->workspace};
    TN_TRY(find_layouts(call->host, own, call->inputs, &job));
    job.scale = own->scale != 0 ? own->scale : 1 / sqrt((double)job.key.size);
    tn_parallel_for(call->host, job.key.batch * job.key.heads, 1, run_heads, &job);
    return TN_OK;
}

const tn_kernel linear_attention_kernel = {CPU_KERNEL("onnx.LinearAttention"),
                                           .supports = supports_floating_first_input,
                                           .prepare = prepare, .run = run};
