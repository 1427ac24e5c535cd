#include <tenon/dataset.h>

#include "fake_plugin.h"
#include "tensor/tensor.h"

/* Squares: sample n is {n, n * n} and has the label n % 2. */

typedef struct squares_options {
    int64_t length;
    const char *fault; /* what goes wrong */
} squares_options;

static const tn_attribute options[] = {
    TN_FIELD(squares_options, length, INT, "10", "[0,inf)", "How many."),
    TN_FIELD(squares_options, fault, STRING, "", NULL, "What goes wrong."),
};

static const tn_component components[] = {
    {.name = "data", .dtype = TN_I32, .shape = {.rank = 1, .extents = {2}}},
    {.name = "label", .dtype = TN_U8, .shape = {.rank = 0}},
};
static const tn_component unknown[] = {
    {.name = "data", .dtype = TN_I32, .shape = {.rank = TN_UNKNOWN}},
};
static const tn_component deep[] = {
    {.name = "data", .dtype = TN_I32, .shape = {.rank = TN_MAX_RANK}},
};
static const tn_component nameless[] = {{.name = NULL, .dtype = TN_I32}};
static const char *const names[] = {"even", "odd"};
static int open_count;

static tn_status squares_open(const tn_host *host, const void *parsed, void **out_dataset) {
    const squares_options *o = parsed;
    if (strcmp(o->fault, "open") == 0) {
        return tn_fail(host, TN_IO, "cannot be opened");
    }
    open_count++;
    *out_dataset = (void *)(uintptr_t)parsed; /* lives until close */
    return TN_OK;
}

static tn_status squares_info(const tn_host *host, void *dataset, tn_dataset_info *out_info) {
    const squares_options *o = dataset;
    (void)host;
    out_info->components = strcmp(o->fault, "unknown") == 0    ? unknown
                           : strcmp(o->fault, "deep") == 0     ? deep
                           : strcmp(o->fault, "nameless") == 0 ? nameless
                                                               : components;
    out_info->component_count = out_info->components == components ? 2 : 1;
    if (strcmp(o->fault, "none") == 0) {
        out_info->component_count = 0;
    }
    out_info->length = (uint64_t)o->length;
    out_info->class_names = strcmp(o->fault, "classes") == 0 ? NULL : names;
    out_info->class_count = 2;
    return strcmp(o->fault, "info") == 0 ? TN_IO : TN_OK;
}

static tn_status squares_read(const tn_host *host, void *dataset, uint64_t first, uint64_t count,
                              const tn_view *const *targets) {
    const squares_options *o = dataset;
    if (strcmp(o->fault, "read") == 0) {
        return tn_fail(host, TN_CORRUPT, "sample %u is broken", (unsigned)first);
    }
    int32_t *data = tn_data(targets[0]);
    uint8_t *label = tn_data(targets[1]);
    for (uint64_t i = 0; i < count; i++) {
        data[2 * i] = (int32_t)(first + i);
        data[2 * i + 1] = (int32_t)((first + i) * (first + i));
        label[i] = (uint8_t)((first + i) % 2);
    }
    return TN_OK;
}

static void squares_close(const tn_host *host, void *dataset) {
    (void)host;
    (void)dataset;
    open_count--;
}

static const tn_dataset squares = {
    .struct_size = TN_DATASET_SIZE,
    .options = options,
    .option_count = 2,
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .options_size = sizeof(squares_options),
    .open = squares_open,
    .info = squares_info,
    .read = squares_read,
    .close = squares_close,
};
static const tn_entry entries[] = {TN_ENTRY_DATASET("squares", &squares)};

static tn_runtime *runtime;
static tni_plugin *plugin;

static void set_up(void) {
    runtime = new_runtime();
    plugin = ADD_PLUGIN(runtime, "squares", entries);
}

static void tear_down(void) {
    cr_assert_eq(open_count, 0);
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_DATASET]), 0);
    tn_runtime_destroy(runtime);
}

TestSuite(dataset, .init = set_up, .fini = tear_down);

static tn_open_dataset *open_squares(const char *description) {
    tn_open_dataset *dataset;
    cr_assert_eq(tn_dataset_open(runtime, description, &dataset), TN_OK, "%s", tn_error_message());
    return dataset;
}

Test(dataset, describes_itself_and_holds_its_plugin) {
    tn_open_dataset *dataset = open_squares("squares:length=3");
    const tn_dataset_info *info = tn_dataset_describe(dataset);
    cr_assert_eq(info->length, 3);
    cr_assert_str_eq(info->components[1].name, "label");
    cr_assert_str_eq(info->class_names[1], "odd");
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_DATASET]), 1);
    tn_dataset_close(dataset);
    tn_dataset_close(NULL);
}

Test(dataset, reads_into_new_tensors) {
    tn_open_dataset *dataset = open_squares("squares");
    tn_tensor *tensors[2] = {NULL, NULL};
    cr_assert_eq(tn_dataset_read(dataset, 3, 4, tensors), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_view(tensors[0])->rank, 2);
    cr_assert_eq(tn_tensor_view(tensors[0])->shape[0], 4);
    cr_assert_eq(tn_tensor_view(tensors[1])->rank, 1);
    cr_assert_eq(((const int32_t *)tn_tensor_data(tensors[0]))[7], 36);
    cr_assert_eq(((const uint8_t *)tn_tensor_data(tensors[1]))[0], 1);
    tn_tensor_release(tensors[0]);
    tn_tensor_release(tensors[1]);
    tn_dataset_close(dataset);
}

Test(dataset, reads_into_the_callers_tensors) {
    tn_open_dataset *dataset = open_squares("squares");
    const int64_t extents[] = {2, 2};
    tn_tensor *tensors[2] = {NULL, NULL};
    tn_tensor *mine;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 2, extents, &mine), TN_OK);
    tensors[0] = mine;
    cr_assert_eq(tn_dataset_read(dataset, 8, 2, tensors), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tensors[0], mine);
    cr_assert_eq(((const int32_t *)tn_tensor_data(mine))[3], 81);
    tn_tensor_release(mine);
    tn_tensor_release(tensors[1]);
    tn_dataset_close(dataset);
}

Test(dataset, a_tensor_that_does_not_fit_is_refused) {
    tn_open_dataset *dataset = open_squares("squares");
    const int64_t extents[] = {2, 3};
    tn_tensor *tensors[2] = {NULL, NULL};
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 2, extents, &tensors[0]), TN_OK);
    cr_assert_eq(tn_dataset_read(dataset, 0, 2, tensors), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("component 'data': the tensor is int32 (2,3): expected int32 (2,2)");
    cr_assert_null(tensors[1]);
    tn_tensor_release(tensors[0]);
    tn_dataset_close(dataset);
}

Test(dataset, samples_beyond_the_end_are_refused) {
    tn_open_dataset *dataset = open_squares("squares");
    tn_tensor *tensors[2] = {NULL, NULL};
    cr_assert_eq(tn_dataset_read(dataset, 9, 2, tensors), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_dataset_read(dataset, 11, 0, tensors), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_dataset_read(dataset, UINT64_MAX, 2, tensors), TN_OUT_OF_RANGE);
    cr_assert_null(tensors[0]);
    cr_assert_eq(tn_dataset_read(dataset, 10, 0, tensors), TN_OK);
    cr_assert_eq(tn_tensor_byte_size(tensors[0]), 0);
    tn_tensor_release(tensors[0]);
    tn_tensor_release(tensors[1]);
    tn_dataset_close(dataset);
}

Test(dataset, a_read_that_fails_gives_nothing) {
    tn_open_dataset *dataset = open_squares("squares:fault=read");
    tn_tensor *tensors[2] = {NULL, NULL};
    cr_assert_eq(tn_dataset_read(dataset, 5, 1, tensors), TN_CORRUPT);
    ASSERT_MESSAGE("data set 'squares': sample 5 is broken");
    cr_assert_null(tensors[0]);
    cr_assert_null(tensors[1]);
    tn_dataset_close(dataset);
}

static void refuse(const char *description, tn_status status, const char *part) {
    tn_open_dataset *dataset = NULL;
    cr_assert_eq(tn_dataset_open(runtime, description, &dataset), status, "%s", description);
    cr_assert_null(dataset);
    ASSERT_MESSAGE(part);
}

Test(dataset, what_cannot_be_opened) {
    refuse("cubes", TN_NOT_FOUND, "those there are: squares");
    refuse("squares:lenght=3", TN_INVALID_ARGUMENT, "lenght");
    refuse("squares:length=-1", TN_INVALID_ARGUMENT, "length");
    refuse("squares:fault=open", TN_IO, "data set 'squares': cannot be opened");
    refuse("squares:fault=info", TN_IO, "data set 'squares': ");
    refuse("squares:fault=unknown", TN_CORRUPT, "component 'data'");
    refuse("squares:fault=deep", TN_CORRUPT, "component 'data' has rank 32");
    refuse("squares:fault=nameless", TN_CORRUPT, "component 0 has no name");
    refuse("squares:fault=none", TN_CORRUPT, "0 components");
    refuse("squares:fault=classes", TN_CORRUPT, "2 classes");
}
