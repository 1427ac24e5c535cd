#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/sparse.h>

#include "tensor/tensor.h"
#include "toy_format.h"

static tn_status fail_to_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                               const tn_byte_sink *sink) {
    (void)tensors;
    (void)count;
    TN_TRY(sink->write(sink->context, "half", 4));
    return tn_fail(host, TN_UNSUPPORTED, "no more of it");
}

static int32_t never(const tn_host *host, const tn_source *source) {
    (void)host;
    (void)source;
    return 0;
}

/* More than the host collects before it writes. */
static tn_status write_much(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                            const tn_byte_sink *sink) {
    static char block[100000];
    (void)host;
    (void)tensors;
    (void)count;
    for (int i = 0; i < 100; i++) {
        TN_TRY(sink->write(sink->context, block, i % 2 == 0 ? 1000 : sizeof block));
    }
    return sink->write(sink->context, NULL, 0);
}

static const tn_format broken_format = {
    .struct_size = TN_FORMAT_SIZE,
    .recognise = never,
    .write_tensors = fail_to_write,
};
static const tn_format large_format = {
    .struct_size = TN_FORMAT_SIZE,
    .recognise = never,
    .write_tensors = write_much,
};
static const tn_entry entries[] = {
    TN_ENTRY_FORMAT("broken", &broken_format),
    TN_ENTRY_FORMAT("large", &large_format),
    TN_ENTRY_FORMAT("toy", &toy_format),
};

static tn_runtime *runtime;
static tn_tensor_list *list;
static char folder[64];
static char path[128];

static void set_up(void) {
    runtime = new_runtime();
    ADD_PLUGIN(runtime, "toy", entries);
    snprintf(folder, sizeof folder, P_tmpdir "/tenon-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.toy", folder);
    cr_assert_eq(tn_tensor_list_read_memory(runtime, "TOY2ab", 6, NULL, &list), TN_OK);
}

static int count_files(void) {
    int count = 0;
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

static void tear_down(void) {
    tn_tensor_list_destroy(list);
    tn_runtime_destroy(runtime);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0);
}

TestSuite(tensor_list_write, .init = set_up, .fini = tear_down);

Test(tensor_list_write, by_ending_and_back) {
    tn_tensor_list *again;
    cr_assert_eq(tn_tensor_list_write(list, path, NULL), TN_OK, "%s", tn_error_message());
    cr_assert_eq(count_files(), 1);
    cr_assert_eq(tn_tensor_list_read(runtime, path, &again), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_list_count(again), 2);
    cr_assert_eq(*(const char *)tn_tensor_data(tn_tensor_list_get(again, 1)), 'b');
    tn_tensor_list_destroy(again);
}

Test(tensor_list_write, a_failure_leaves_the_old_file) {
    struct stat facts;
    cr_assert_eq(tn_tensor_list_write(list, path, "toy"), TN_OK);
    cr_assert_eq(tn_tensor_list_write(list, path, "broken"), TN_UNSUPPORTED);
    ASSERT_MESSAGE("a.toy: format 'broken': no more of it");
    cr_assert_eq(count_files(), 1);
    cr_assert_eq(stat(path, &facts), 0);
    cr_assert_eq(facts.st_size, 6);
}

Test(tensor_list_write, much) {
    struct stat facts;
    cr_assert_eq(tn_tensor_list_write(list, path, "large"), TN_OK);
    cr_assert_eq(stat(path, &facts), 0);
    cr_assert_eq(facts.st_size, 50 * 1000 + 50 * 100000);
}

Test(tensor_list_write, places_that_are_no_files_are_refused) {
    cr_assert_eq(tn_tensor_list_write(list, folder, "toy"), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_list_write(list, "/dev/null", "toy"), TN_INVALID_ARGUMENT);
    cr_assert_eq(tn_tensor_list_write(list, "/nowhere/a.toy", "toy"), TN_NOT_FOUND);
    cr_assert_eq(tn_tensor_list_write(list, "a.unknown", NULL), TN_UNSUPPORTED);
    cr_assert_eq(tn_tensor_list_write(list, path, "what"), TN_NOT_FOUND);
}

Test(tensor_list_write, a_format_without_sparse_tensors_is_given_none) {
    const int64_t extents[] = {2, 2};
    tn_tensor *sparse;
    cr_assert_eq(tn_tensor_create_sparse(runtime, TN_STORAGE_CSR, TN_U8, 2, extents, 0, &sparse),
                 TN_OK);
    cr_assert_eq(tn_tensor_list_add(list, "s", sparse), TN_OK);
    tn_tensor_release(sparse);
    cr_assert_eq(tn_tensor_list_write(list, path, NULL), TN_UNSUPPORTED);
    ASSERT_MESSAGE("a.toy: 's': format 'toy' has no csr tensors");
    cr_assert_eq(count_files(), 0);
}
