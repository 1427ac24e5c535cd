/* The data set: pictures and labels as two arrays in memory, that never change after opening. */
#include "dataset.h"
#include "class_names.h"
#include "idx.h"
#include "mapped_file.h"

enum { DATA, LABEL, COMPONENT_MAX };

struct idx_dataset {
    tn_tensor *arrays[COMPONENT_MAX]; /* the first axis counts samples */
    uint64_t sample_bytes[COMPONENT_MAX];
    tn_component components[COMPONENT_MAX];
    uint32_t component_count;
    uint64_t length;
    struct class_names classes;
};

static const tn_view *array_view(const tn_host *host, const tn_tensor *array) {
    return TN_SERVICE(host, tensor)->view(host, array);
}

/* A picture has a channel for the network, which the file does not mention. */
static tn_shape sample_shape(const tn_view *view) {
    const int64_t *extents = view->shape + 1;
    if (view->rank == 3) {
        return tn_shape_of(3, (const int64_t[]){1, extents[0], extents[1]});
    }
    return tn_shape_of(view->rank - 1, extents);
}

static void add_component(const tn_host *host, struct idx_dataset *dataset, const char *name) {
    const uint32_t index = dataset->component_count++;
    const tn_view *view = array_view(host, dataset->arrays[index]);
    tn_component *component = &dataset->components[index];
    *component = (tn_component){.name = name, .dtype = view->dtype, .shape = sample_shape(view)};
    dataset->sample_bytes[index] =
        (uint64_t)tn_extent_product(view->shape, 1, view->rank) * TN_DTYPE_SIZE(view->dtype);
}

static tn_status open_data(const tn_host *host, const char *path, struct idx_dataset *dataset) {
    TN_TRY(idx_read_file(host, path, &dataset->arrays[DATA]));
    const tn_view *view = array_view(host, dataset->arrays[DATA]);
    if (view->rank == 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "'%.300s' holds one number, no samples", path);
    }
    dataset->length = (uint64_t)view->shape[0];
    add_component(host, dataset, "data");
    return TN_OK;
}

static int64_t label_at(const tn_view *view, int64_t index) {
    const void *elements = tn_data(view);
    switch (view->dtype) {
    case TN_U8: return ((const uint8_t *)elements)[index];
    case TN_I8: return ((const int8_t *)elements)[index];
    case TN_I16: return ((const int16_t *)elements)[index];
    default: return ((const int32_t *)elements)[index];
    }
}

static tn_status check_labels(const tn_host *host, const char *path, const tn_view *view,
                              uint64_t length) {
    if (view->rank != 1 || view->dtype == TN_F32 || view->dtype == TN_F64) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "'%.300s' has rank %d and type %s: labels are one whole number a sample",
                       path, (int)view->rank, tn_dtype_name(view->dtype));
    }
    if ((uint64_t)view->shape[0] != length) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "'%.300s' has %lld labels, but there are %llu samples", path,
                       (long long)view->shape[0], (unsigned long long)length);
    }
    return TN_OK;
}

/* Makes int64 labels of the file's, whatever whole numbers those are. */
static tn_status convert_labels(const tn_host *host, const char *path, const tn_tensor *source,
                                struct idx_dataset *dataset) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    const tn_view *view = tensors->view(host, source);
    TN_TRY(check_labels(host, path, view, dataset->length));
    TN_TRY(tensors->create(host, TN_I64, 1, view->shape, &dataset->arrays[LABEL]));
    int64_t *labels = tn_data(array_view(host, dataset->arrays[LABEL]));
    for (int64_t i = 0; i < view->shape[0]; i++) {
        labels[i] = label_at(view, i);
    }
    return TN_OK;
}

static tn_status open_labels(const tn_host *host, const char *path, struct idx_dataset *dataset) {
    tn_tensor *source = NULL;
    TN_TRY(idx_read_file(host, path, &source));
    const tn_status status = convert_labels(host, path, source, dataset);
    TN_SERVICE(host, tensor)->release(host, source);
    if (status == TN_OK) {
        add_component(host, dataset, "label");
    }
    return status;
}

/* Every label must have a name, once there are names. */
static tn_status check_classes(const tn_host *host, const struct idx_dataset *dataset) {
    if (dataset->component_count <= LABEL) {
        return TN_OK;
    }
    const int64_t *labels = tn_data(array_view(host, dataset->arrays[LABEL]));
    for (uint64_t i = 0; i < dataset->length; i++) {
        if (labels[i] < 0 || labels[i] >= dataset->classes.count) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "sample %llu has label %lld, but there are %u class names",
                           (unsigned long long)i, (long long)labels[i],
                           (unsigned)dataset->classes.count);
        }
    }
    return TN_OK;
}

static tn_status open_class_names(const tn_host *host, const char *path,
                                  struct idx_dataset *dataset) {
    struct mapped_file file;
    TN_TRY(mapped_file_open(host, path, &file));
    const tn_status status = class_names_read(host, file.data, file.size, &dataset->classes);
    mapped_file_close(&file);
    return status == TN_OK ? check_classes(host, dataset) : status;
}

static tn_status open_all(const tn_host *host, const struct idx_dataset_options *options,
                          struct idx_dataset *dataset) {
    TN_TRY(open_data(host, options->images, dataset));
    if (options->labels != NULL) {
        TN_TRY(open_labels(host, options->labels, dataset));
    }
    return options->class_names != NULL ? open_class_names(host, options->class_names, dataset)
                                        : TN_OK;
}

static void close_dataset(const tn_host *host, void *opened) {
    struct idx_dataset *dataset = opened;
    if (dataset == NULL) {
        return;
    }
    for (uint32_t i = 0; i < COMPONENT_MAX; i++) {
        TN_SERVICE(host, tensor)->release(host, dataset->arrays[i]);
    }
    class_names_finish(host, &dataset->classes);
    TN_SERVICE(host, memory)->free(host, dataset);
}

static tn_status open_dataset(const tn_host *host, const void *options, void **out_dataset) {
    struct idx_dataset *dataset = TN_SERVICE(host, memory)->allocate(host, sizeof *dataset);
    if (dataset == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a data set");
    }
    memset(dataset, 0, sizeof *dataset);
    const tn_status status = open_all(host, options, dataset);
    if (status != TN_OK) {
        close_dataset(host, dataset);
        return status;
    }
    *out_dataset = dataset;
    return TN_OK;
}

static tn_status get_info(const tn_host *host, void *opened, tn_dataset_info *out_info) {
    (void)host;
    const struct idx_dataset *dataset = opened;
    const uint32_t known = out_info->struct_size;
    const tn_dataset_info info = {
        .struct_size = known,
        .component_count = dataset->component_count,
        .components = dataset->components,
        .length = dataset->length,
        .class_names = dataset->classes.names,
        .class_count = dataset->classes.count,
    };
    memcpy(out_info, &info, known < TN_DATASET_INFO_SIZE ? known : TN_DATASET_INFO_SIZE);
    return TN_OK;
}

static tn_status read_samples(const tn_host *host, void *opened, uint64_t first, uint64_t count,
                              const tn_view *const *targets) {
    const struct idx_dataset *dataset = opened;
    if (first > dataset->length || count > dataset->length - first) {
        return tn_fail(host, TN_OUT_OF_RANGE,
                       "samples %llu to %llu are asked for, but there are %llu",
                       (unsigned long long)first, (unsigned long long)(first + count),
                       (unsigned long long)dataset->length);
    }
    for (uint32_t i = 0; i < dataset->component_count; i++) {
        const uint8_t *source = tn_data(array_view(host, dataset->arrays[i]));
        const uint64_t bytes = dataset->sample_bytes[i];
        if (count * bytes > 0) {
            memcpy(tn_data(targets[i]), source + first * bytes, count * bytes);
        }
    }
    return TN_OK;
}

static const tn_attribute options[] = {
    TN_FIELD(struct idx_dataset_options, images, STRING, NULL, NULL,
             "The IDX file with the samples, compressed by gzip or not."),
    TN_FIELD_OR_NONE(struct idx_dataset_options, labels, STRING, "None", NULL,
                     "The IDX file with the labels, compressed by gzip or not."),
    TN_FIELD_OR_NONE(struct idx_dataset_options, class_names, STRING, "None", NULL,
                     "A text file with the name of each class on a line, from label 0 on."),
};

const tn_dataset idx_dataset = {
    .struct_size = TN_DATASET_SIZE,
    .doc = "Pictures and labels in IDX files, as of MNIST: the components data, of shape (1, rows, "
           "columns) for pictures, and label, int64.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .options_size = sizeof(struct idx_dataset_options),
    .open = open_dataset,
    .info = get_info,
    .read = read_samples,
    .close = close_dataset,
};
