#include "fake_backend.h"

FAKE_SUITE(device_table);

static uint32_t find(const char *name) {
    tni_device_place place;
    cr_assert_eq(tni_device_find(runtime, name, &place), TN_OK, "%s: %s", name, tn_error_message());
    return place.index;
}

static void refuse(const char *name, tn_status status, const char *part) {
    tni_device_place place;
    cr_assert_eq(tni_device_find(runtime, name, &place), status, "%s", name);
    ASSERT_MESSAGE(part);
}

Test(device_table, names) {
    cr_assert_eq(find("fake"), 0);
    cr_assert_eq(find("fake:2"), 2);
    cr_assert_eq(find("fake:alpha"), 0);
    cr_assert_eq(find("fake:two"), 2);
    cr_assert_eq(find("fake:Beta One"), 1);
    cr_assert_eq(find("fake:ab000000000000000000000000000001"), 1);
    cr_assert_eq(find("fake:AB000000-0000-0000-0000-000000000002"), 2);
}

Test(device_table, types) {
    cr_assert_eq(find("fake:discrete"), 1, "the first of two");
    cr_assert_eq(find("fake:Discrete"), 1);
    cr_assert_eq(find("fake:other"), 0);
    refuse("fake:integrated", TN_NOT_FOUND,
           "no device is of type 'integrated'. There are: 0 'Alpha' (other), 1 'Beta One' "
           "(discrete gpu), 2 'Beta Two' (discrete gpu)");
    refuse("fake:virtual", TN_NOT_FOUND, "no device is of type 'virtual'");
    refuse("fake:cpu", TN_NOT_FOUND, "no device is of type 'cpu'");
    refuse("fake:discret", TN_NOT_FOUND, "0 devices fit 'discret'");
}

Test(device_table, names_that_lead_nowhere) {
    refuse("", TN_INVALID_ARGUMENT, "no name of a device");
    refuse(":0", TN_INVALID_ARGUMENT, "no name of a device");
    refuse("fake:", TN_INVALID_ARGUMENT, "no name of a device");
    refuse("vulkan", TN_NOT_FOUND, "those there are: fake");
    refuse("fake:3", TN_NOT_FOUND, "has 3 devices");
    refuse("fake:99999999999999999999", TN_NOT_FOUND, "0 devices fit");
    refuse("fake:gamma", TN_NOT_FOUND,
           "0 'Alpha' (other), 1 'Beta One' (discrete gpu), 2 'Beta "
           "Two' (discrete gpu)");
    refuse("fake:beta", TN_INVALID_ARGUMENT,
           "1 'Beta One' (discrete gpu) (fits), 2 'Beta Two' (discrete gpu) (fits)");
    refuse("fake:cd000000000000000000000000000001", TN_NOT_FOUND, "0 devices fit");
    fake.device_count = 0;
    refuse("fake", TN_NOT_FOUND, "has 0 devices");
    refuse("fake:x", TN_NOT_FOUND, "There are: none");
}

Test(device_table, backends_are_listed) {
    tn_backend_info info = {.struct_size = TN_BACKEND_INFO_SIZE};
    cr_assert_eq(tn_backend_count(runtime), 1);
    cr_assert_eq(tn_backend_get(runtime, 0, &info), TN_OK);
    cr_assert_eq(info.struct_size, TN_BACKEND_INFO_SIZE);
    cr_assert_eq(info.status, TN_OK);
    cr_assert_eq(info.device_count, 3);
    cr_assert_str_eq(info.name, "fake");
    cr_assert_str_eq(info.plugin, "fake");
    cr_assert_str_eq(info.doc, "A fake.");
    cr_assert_str_eq(info.reason, "");
    cr_assert_eq(tn_backend_get(runtime, 1, &info), TN_OUT_OF_RANGE);
}

Test(device_table, a_backend_that_cannot_work_says_why) {
    tn_backend_info info = {.struct_size = TN_BACKEND_INFO_SIZE};
    fake.fail_count = TN_UNAVAILABLE;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(tn_backend_get(runtime, 0, &info), TN_OK);
        cr_assert_eq(info.status, TN_UNAVAILABLE);
        cr_assert_str_eq(info.reason, "backend 'fake': no driver for the fake device");
    }
    refuse("fake", TN_UNAVAILABLE, "no driver");
    fake.fail_count = TN_OK;
    cr_assert_eq(tn_backend_get(runtime, 0, &info), TN_OK);
    cr_assert_eq(info.status, TN_OK);
    cr_assert_str_eq(info.reason, "");
}

Test(device_table, devices_are_listed) {
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    cr_assert_eq(tn_device_list(runtime, "fake", 1, &info), TN_OK);
    cr_assert_str_eq(info.name, "Beta One");
    cr_assert_str_eq(info.driver, "");
    cr_assert_str_eq(info.kind, "discrete gpu");
    cr_assert_eq(info.id.index, 1);
    cr_assert_eq(tn_device_list(runtime, "fake", 0, &info), TN_OK);
    cr_assert_str_eq(info.kind, "other");
    cr_assert_eq(tn_device_list(runtime, "fake", 3, &info), TN_OUT_OF_RANGE);
    cr_assert_eq(tn_device_list(runtime, "none", 0, &info), TN_NOT_FOUND);
}

Test(device_table, structs_of_other_sizes) {
    struct {
        tn_device_info info;
        uint64_t later;
    } larger;
    memset(&larger, 0xee, sizeof larger);
    larger.info.struct_size = sizeof larger;
    cr_assert_eq(tn_device_list(runtime, "fake", 0, &larger.info), TN_OK);
    cr_assert_eq(larger.info.struct_size, sizeof larger);
    cr_assert_eq(larger.later, 0, "what the library does not know is zero");
    tn_device_info smaller;
    memset(&smaller, 0xee, sizeof smaller);
    smaller.struct_size = TN_STRUCT_END(tn_device_info, name);
    cr_assert_eq(tn_device_list(runtime, "fake", 0, &smaller), TN_OK);
    cr_assert_str_eq(smaller.name, "Alpha");
    cr_assert_eq(smaller.compute_units, 0xeeeeeeee, "beyond the caller's struct");
    smaller.struct_size = 0;
    cr_assert_eq(tn_device_list(runtime, "fake", 0, &smaller), TN_INVALID_ARGUMENT);
    smaller.struct_size = 0xeeeeeeee;
    cr_assert_eq(tn_device_list(runtime, "fake", 0, &smaller), TN_INVALID_ARGUMENT);
}
