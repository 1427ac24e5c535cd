/*
 * A data set, used as `--data @NAME@:count=100`; here made up, without a file. This line builds it;
 * nothing of Tenon is linked:
 *   cc -shared -fPIC -O2 $(pkg-config --cflags tenon-plugin) @NAME@.c -o @NAME@.so
 */
#include <stdlib.h>

#include <tenon/plugin.h>

enum { WIDTH = 4 };

/* The options, which the host fills in by the table below. */
typedef struct options {
    int64_t count;
} options;

static const tn_attribute option_table[] = {
    TN_FIELD(options, count, INT, "10", "[1,1000000]", "How many samples there are.")};

static const tn_component components[] = {
    {.name = "data", .dtype = TN_F32, .shape = {.rank = 1, .extents = {WIDTH}}},
    {.name = "label", .dtype = TN_I32, .shape = {.rank = 0}}};

typedef struct dataset {
    uint64_t length;
} dataset;

static tn_status open_dataset(const tn_host *host, const void *given, void **out_dataset) {
    dataset *set = (dataset *)malloc(sizeof *set);
    if (set == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the data set");
    }
    set->length = (uint64_t)((const options *)given)->count;
    *out_dataset = set;
    return TN_OK;
}

static void close_dataset(const tn_host *host, void *given) {
    (void)host;
    free(given);
}

static tn_status info(const tn_host *host, void *given, tn_dataset_info *out_info) {
    (void)host;
    const tn_dataset_info info = {.struct_size = out_info->struct_size,
                                  .component_count = 2,
                                  .components = components,
                                  .length = ((const dataset *)given)->length};
    /* The host may know less of the struct than this file does. */
    memcpy(out_info, &info,
           info.struct_size < TN_DATASET_INFO_SIZE ? info.struct_size : TN_DATASET_INFO_SIZE);
    return TN_OK;
}

/* Called from several threads at once: it changes nothing but the targets. */
static tn_status read_samples(const tn_host *host, void *given, uint64_t first, uint64_t count,
                              const tn_view *const *targets) {
    const dataset *set = (const dataset *)given;
    if (first > set->length || count > set->length - first) {
        return tn_fail(host, TN_OUT_OF_RANGE, "samples %llu to %llu of %llu",
                       (unsigned long long)first, (unsigned long long)(first + count),
                       (unsigned long long)set->length);
    }
    float *data = (float *)tn_data(targets[0]);
    int32_t *labels = (int32_t *)tn_data(targets[1]);
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t j = 0; j < WIDTH; j++) {
            data[i * WIDTH + j] = (float)(first + i + j);
        }
        labels[i] = (int32_t)((first + i) % 2);
    }
    return TN_OK;
}

static const tn_dataset implementation = {.struct_size = TN_DATASET_SIZE,
                                          .doc = "Numbers that count up.",
                                          .options = option_table,
                                          .option_count = 1,
                                          .option_stride = TN_ATTRIBUTE_STRIDE,
                                          .options_size = sizeof(options),
                                          .open = open_dataset,
                                          .info = info,
                                          .read = read_samples,
                                          .close = close_dataset};

static const tn_entry entries[] = {TN_ENTRY_DATASET("@NAME@", &implementation)};
TN_PLUGIN("@NAME@", "0.1.0", entries);
