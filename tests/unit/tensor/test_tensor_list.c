#include <tenon/tensor.h>

#include "tensor/tensor.h"
#include "toy_format.h"

static const tn_entry entries[] = {TN_ENTRY_FORMAT("toy", &toy_format)};

static tn_runtime *runtime;
static tni_plugin *plugin;

static void set_up(void) {
    runtime = new_runtime();
    plugin = ADD_PLUGIN(runtime, "toy", entries);
}

static void tear_down(void) {
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_CALL]), 0);
    tn_runtime_destroy(runtime);
}

TestSuite(tensor_list, .init = set_up, .fini = tear_down);

static char byte_of(const tn_tensor_list *list, uint32_t index) {
    return *(const char *)tn_tensor_data(tn_tensor_list_get(list, index));
}

Test(tensor_list, read_from_memory) {
    tn_tensor_list *list;
    cr_assert_eq(tn_tensor_list_read_memory(runtime, "TOY2ab", 6, NULL, &list), TN_OK, "%s",
                 tn_error_message());
    cr_assert_eq(tn_tensor_list_count(list), 2);
    cr_assert_str_eq(tn_tensor_list_name(list, 1), "t1");
    cr_assert_eq(byte_of(list, 0), 'a');
    cr_assert_null(tn_tensor_list_name(list, 2));
    cr_assert_null(tn_tensor_list_get(list, 2));
    tn_tensor_list_destroy(list);
}

Test(tensor_list, read_without_names) {
    tn_tensor_list *list;
    cr_assert_eq(tn_tensor_list_read_memory(runtime, "TOYn1x", 6, NULL, &list), TN_OK);
    cr_assert_null(tn_tensor_list_name(list, 0));
    cr_assert_eq(byte_of(list, 0), 'x');
    tn_tensor_list_destroy(list);
    tn_tensor_list_destroy(NULL);
}

Test(tensor_list, failures_name_file_and_format) {
    tn_tensor_list *list = NULL;
    cr_assert_eq(tn_tensor_list_read_memory(runtime, "TOY9ab", 6, "a.toy", &list), TN_CORRUPT);
    ASSERT_MESSAGE("a.toy: format 'toy': the toy is broken at byte 6");
    cr_assert_eq(tn_tensor_list_read_memory(runtime, NULL, 0, "a.toy", &list), TN_CORRUPT);
    cr_assert_eq(tn_tensor_list_read_memory(runtime, NULL, 6, NULL, &list), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_list_read_memory(runtime, "what", 4, NULL, &list), TN_UNSUPPORTED);
    ASSERT_MESSAGE("'toy'");
    cr_assert_eq(tn_tensor_list_read(runtime, "/nowhere/a.toy", &list), TN_NOT_FOUND);
    ASSERT_MESSAGE("/nowhere/a.toy");
    cr_assert_null(list);
}

Test(tensor_list, names_for_all_or_none) {
    tn_tensor_list *list;
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_list_create(runtime, &list), TN_OK);
    cr_assert_eq(tn_tensor_create(runtime, TN_U8, 0, NULL, &tensor), TN_OK);
    cr_assert_eq(tn_tensor_list_add(list, "a", tensor), TN_OK);
    cr_assert_eq(tn_tensor_list_add(list, NULL, tensor), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_list_add(list, "b", NULL), TN_INVALID_ARGUMENT);
    for (int i = 0; i < 40; i++) {
        cr_assert_eq(tn_tensor_list_add(list, "more", tensor), TN_OK);
    }
    cr_assert_eq(tn_tensor_list_count(list), 41);
    tn_tensor_release(tensor);
    tn_tensor_list_destroy(list);
}
