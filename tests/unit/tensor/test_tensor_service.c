#include "fake_plugin.h"
#include "tensor/tensor.h"

static int32_t never(const tn_host *host, const tn_source *source) {
    (void)host;
    (void)source;
    return 0;
}

static tn_status read_nothing(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    (void)host;
    (void)source;
    (void)sink;
    return TN_OK;
}

static const tn_format format = {
    .struct_size = TN_FORMAT_SIZE,
    .recognise = never,
    .read_tensors = read_nothing,
};
static const tn_entry entries[] = {TN_ENTRY_FORMAT("some", &format)};

static tn_runtime *runtime;
static tni_plugin *plugin;
static const tn_tensor_service *service;
static int released;

static void set_up(void) {
    runtime = new_runtime();
    plugin = ADD_PLUGIN(runtime, "some", entries);
    service = plugin->host.find_service(&plugin->host, "tensor", 1);
    cr_assert_not_null(service);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

TestSuite(tensor_service, .init = set_up, .fini = tear_down);

static void count_release(void *context) {
    cr_assert_eq(context, &released);
    released++;
}

static const int64_t extents[] = {4};

Test(tensor_service, create_count_and_look) {
    tn_tensor *tensor;
    cr_assert_eq(service->create(&plugin->host, TN_I32, 1, extents, &tensor), TN_OK);
    service->retain(&plugin->host, tensor);
    service->release(&plugin->host, tensor);
    cr_assert_eq(service->view(&plugin->host, tensor)->shape[0], 4);
    service->release(&plugin->host, tensor);
    service->release(&plugin->host, NULL);
}

Test(tensor_service, wrapped_memory_keeps_its_plugin) {
    int32_t data[4];
    tn_tensor *tensor;
    cr_assert_eq(
        service->wrap(&plugin->host, TN_I32, 1, extents, data, count_release, &released, &tensor),
        TN_OK);
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_TENSOR]), 1);
    tn_tensor_release(tensor);
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_TENSOR]), 0);
    cr_assert_eq(released, 1);
}

Test(tensor_service, wrap_without_release) {
    int32_t data[4];
    tn_tensor *tensor;
    cr_assert_eq(service->wrap(&plugin->host, TN_I32, 1, extents, data, NULL, NULL, &tensor),
                 TN_OK);
    tn_tensor_release(tensor);
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_TENSOR]), 0);
}

Test(tensor_service, wrap_that_fails_holds_and_releases_nothing) {
    tn_tensor *tensor = NULL;
    cr_assert_eq(
        service->wrap(&plugin->host, TN_I32, 1, extents, NULL, count_release, &released, &tensor),
        TN_INVALID_ARGUMENT);
    cr_assert_null(tensor);
    cr_assert_eq(released, 0);
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_TENSOR]), 0);
}

Test(tensor_service, a_plugin_that_leaves_wraps_nothing) {
    int32_t data[4];
    tn_tensor *tensor = NULL;
    atomic_store(&plugin->leaving, true);
    cr_assert_eq(
        service->wrap(&plugin->host, TN_I32, 1, extents, data, count_release, &released, &tensor),
        TN_BUSY);
    cr_assert_null(tensor);
    cr_assert_eq(released, 0);
    atomic_store(&plugin->leaving, false);
}
