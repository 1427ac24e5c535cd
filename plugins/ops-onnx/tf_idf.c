/* TfIdfVectorizer: how often runs of words from a pool appear in rows of words. */
#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"

enum { MODE_TF, MODE_IDF, MODE_TFIDF };

typedef struct tf_idf_attributes {
    int64_t max_gram_length;
    int64_t max_skip_count;
    int64_t min_gram_length;
    int32_t mode;
    tn_ints ngram_counts;
    tn_ints ngram_indexes;
    tn_floats weights;
} tf_idf_attributes;

static const tn_attribute table[] = {
    TN_FIELD(tf_idf_attributes, max_gram_length, INT, NULL, "[1,2147483647]",
             "How long the longest run is that counts."),
    TN_FIELD(tf_idf_attributes, max_skip_count, INT, NULL, "[0,2147483647]",
             "How many words may be between those of a run at most."),
    TN_FIELD(tf_idf_attributes, min_gram_length, INT, NULL, "[1,2147483647]",
             "How long the shortest run is that counts."),
    TN_FIELD_CHOICE(tf_idf_attributes, mode, NULL, "TF|IDF|TFIDF",
                    "The count, the weight of what appears, or their product."),
    TN_FIELD(tf_idf_attributes, ngram_counts, INTS, NULL, "[0,inf)",
             "Where in the pool the runs of one word begin, of two, and so on."),
    TN_FIELD(tf_idf_attributes, ngram_indexes, INTS, NULL, "[0,2147483646]",
             "The place in the output of each run of the pool."),
    TN_FIELD(tf_idf_attributes, weights, FLOATS, "()", NULL,
             "The weight of each; ones if left out."),
};

static const char *const input_names[] = {"X", "pool"};
static const char *const output_names[] = {"Y"};

static int64_t width_of(const tf_idf_attributes *own) {
    int64_t width = 0;
    for (int64_t i = 0; i < own->ngram_indexes.count; i++) {
        const int64_t end = own->ngram_indexes.values[i] + 1;
        width = end > width ? end : width;
    }
    return width;
}

static tn_status infer(tn_infer_call *call) {
    const tf_idf_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_F32));
    if (own->weights.count > 0 && own->weights.count != own->ngram_indexes.count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%lld weights for %lld runs",
                       (long long)own->weights.count, (long long)own->ngram_indexes.count);
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    if (data->rank < 1 || data->rank > 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "X has %d axes, expected one or two",
                       (int)data->rank);
    }
    tn_shape result = *data;
    result.extents[data->rank - 1] = width_of(own);
    return infer_output_shape(call, &result);
}

const tn_op tf_idf_vectorizer_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each row of words how often each run of words in the pool appears in it, or what "
           "weights make of that.",
    OP_ATTRIBUTES(table, tf_idf_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

/* Words as numbers: equal texts are one pointer. */
static int64_t word_at(const tn_view *view, int64_t index) {
    return view->dtype == TN_STRING ? ((const int64_t *)tn_data(view))[index]
                                    : read_integer(view->dtype, tn_data(view), index);
}

/* A row of words, and the runs of one length. */
struct counting {
    const tn_view *words, *pool;
    const tf_idf_attributes *own;
    float *counts;
    int64_t row, row_end;
};

static int is_run(const struct counting *work, int64_t first, int64_t step, int64_t pool_first,
                  int64_t length) {
    for (int64_t i = 0; i < length; i++) {
        if (word_at(work->words, first + i * step) != word_at(work->pool, pool_first + i)) {
            return 0;
        }
    }
    return 1;
}

/* Counts the runs of `length` words, each `step` from the next. `number` is that of the pool's
 * first run of this length. */
static tn_status count_runs(const tn_host *host, const struct counting *work, int64_t length,
                            int64_t step, int64_t begin, int64_t end, int64_t number) {
    const tn_ints *indexes = &work->own->ngram_indexes;
    if ((end - begin) % length != 0 || number + (end - begin) / length > indexes->count) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "the pool has %lld words for runs of %lld, and %lld places",
                       (long long)(end - begin), (long long)length, (long long)indexes->count);
    }
    for (int64_t first = work->row; first + step * (length - 1) < work->row_end; first++) {
        for (int64_t i = 0; i < (end - begin) / length; i++) {
            if (is_run(work, first, step, begin + i * length, length)) {
                work->counts[indexes->values[number + i]] += 1;
                break;
            }
        }
    }
    return TN_OK;
}

/* All lengths; single words have nothing between them, and count once. */
static tn_status count_all(const tn_host *host, const struct counting *work) {
    const tf_idf_attributes *own = work->own;
    const tn_ints *starts = &own->ngram_counts;
    const int64_t pool_size = tn_element_count(work->pool);
    int64_t number = 0;
    for (int64_t length = 1; length <= starts->count && length <= own->max_gram_length; length++) {
        const int64_t begin = starts->values[length - 1];
        const int64_t end = length < starts->count ? starts->values[length] : pool_size;
        if (begin > end || end > pool_size) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "ngram_counts leave the pool of %lld words",
                           (long long)pool_size);
        }
        const int64_t steps = length == 1 ? 1 : own->max_skip_count + 1;
        for (int64_t step = 1; length >= own->min_gram_length && step <= steps; step++) {
            TN_TRY(count_runs(host, work, length, step, begin, end, number));
        }
        number += (end - begin) / length;
    }
    return TN_OK;
}

static void apply_weights(const tf_idf_attributes *own, float *counts) {
    for (int64_t i = 0; own->mode != MODE_TF && i < own->ngram_indexes.count; i++) {
        const float weight = own->weights.count > 0 ? (float)own->weights.values[i] : 1;
        float *count = &counts[own->ngram_indexes.values[i]];
        *count = own->mode == MODE_IDF ? (*count > 0 ? weight : 0) : *count * weight;
    }
}

static tn_status run(const tn_run_call *call) {
    const tf_idf_attributes *own = call->attributes;
    const tn_view *words = call->inputs[0], *pool = call->inputs[1];
    const int64_t length = words->shape[words->rank - 1], width = width_of(own);
    const int64_t rows = words->rank == 2 ? words->shape[0] : 1;
    float *counts = tn_data(call->outputs[0]);
    memset(counts, 0, tn_byte_size(call->outputs[0]));
    if ((words->dtype == TN_STRING) != (pool->dtype == TN_STRING)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "X is %s, but the pool is %s",
                       tn_dtype_name(words->dtype), tn_dtype_name(pool->dtype));
    }
    for (int64_t row = 0; row < rows; row++) {
        const struct counting work = {
            words, pool, own, counts + row * width, row * length, (row + 1) * length};
        TN_TRY(count_all(call->host, &work));
        apply_weights(own, counts + row * width);
    }
    return TN_OK;
}

const tn_kernel tf_idf_vectorizer_kernel = {CPU_KERNEL("onnx.TfIdfVectorizer"),
                                            .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run};
