/* Files as sources, and tensors in their memory. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_plugin.h"
#include "tensor/source.h"
#include "tensor/tensor.h"

enum { FLOATS = 4096, SIZE = FLOATS * 4 + 64 };

static tn_runtime *runtime;
static char path[] = "/tmp/tenon-source-XXXXXX";

static void set_up(void) {
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    const int file = mkstemp(path);
    char bytes[SIZE];
    for (int i = 0; i < SIZE; i++) {
        bytes[i] = (char)(i * 7);
    }
    cr_assert_eq(write(file, bytes, SIZE), SIZE);
    close(file);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
    unlink(path);
}

TestSuite(source, .init = set_up, .fini = tear_down);

static tn_tensor *tensor_at(const tn_source *source, uint64_t offset, int64_t floats) {
    tn_tensor *tensor;
    cr_assert_eq(tni_tensor_of_bytes(runtime, TN_F32, 1, &floats,
                                     (const char *)source->data + offset, &tensor),
                 TN_OK, "%s", tn_error_message());
    return tensor;
}

static bool lies_in(const tn_tensor *tensor, const char *begin) {
    const char *data = tn_tensor_view(tensor)->data;
    return data >= begin && data < begin + SIZE;
}

static void expect_bytes(tn_tensor *tensor, int offset) {
    const char *bytes = tn_tensor_data(tensor);
    for (uint64_t i = 0; i < tn_tensor_byte_size(tensor); i++) {
        cr_assert_eq(bytes[i], (char)((offset + (int)i) * 7));
    }
}

Test(source, large_and_aligned_is_in_place) {
    tn_source source;
    cr_assert_eq(tni_source_open(runtime, path, &source), TN_OK, "%s", tn_error_message());
    cr_assert_eq(source.size, (uint64_t)SIZE);
    const char *begin_of_file = source.data;
    tn_tensor *tensor = tensor_at(&source, 8, FLOATS);
    cr_expect(lies_in(tensor, begin_of_file));
    tni_source_close(runtime, &source);
    cr_expect_null(source.data);
    expect_bytes(tensor, 8); /* the file's memory stays */
    tn_tensor_release(tensor);
}

Test(source, otherwise_it_is_a_copy) {
    tn_source source;
    cr_assert_eq(tni_source_open(runtime, path, &source), TN_OK);
    tn_tensor *shifted = tensor_at(&source, 3, FLOATS), *small = tensor_at(&source, 8, 16);
    tn_tensor *nothing = tensor_at(&source, SIZE, 0);
    cr_expect_not(lies_in(shifted, source.data));
    cr_expect_not(lies_in(small, source.data));
    tni_source_close(runtime, &source);
    expect_bytes(shifted, 3);
    expect_bytes(small, 8);
    tn_tensor_release(shifted);
    tn_tensor_release(small);
    tn_tensor_release(nothing);
}

Test(source, memory_that_is_no_source_is_copied) {
    static float elements[FLOATS];
    const int64_t count = FLOATS;
    tn_tensor *tensor;
    elements[FLOATS - 1] = 5;
    cr_assert_eq(tni_tensor_of_bytes(runtime, TN_F32, 1, &count, elements, &tensor), TN_OK);
    elements[FLOATS - 1] = 6;
    cr_expect_eq(((float *)tn_tensor_data(tensor))[FLOATS - 1], 5);
    tn_tensor_release(tensor);
    cr_expect_eq(tni_tensor_of_bytes(runtime, TN_STRING, 1, &count, elements, &tensor),
                 TN_INVALID_ARGUMENT);
}

/* What is written to a tensor in place stays in this process. */
Test(source, the_file_is_never_written) {
    tn_source source;
    cr_assert_eq(tni_source_open(runtime, path, &source), TN_OK);
    tn_tensor *tensor = tensor_at(&source, 0, FLOATS);
    memset(tn_tensor_data(tensor), 1, 4096);
    tni_source_close(runtime, &source);
    tn_tensor_release(tensor);
    cr_assert_eq(tni_source_open(runtime, path, &source), TN_OK);
    cr_expect_eq(((const char *)source.data)[1], 7);
    tni_source_close(runtime, &source);
}

/* Files that are read as a whole may be shortened afterwards. */
Test(source, a_file_that_was_read_may_go_away) {
    tn_source source;
    runtime->options.flags = TN_RUNTIME_READS_FILES;
    cr_assert_eq(tni_source_open(runtime, path, &source), TN_OK);
    const char *begin_of_file = source.data;
    cr_assert_eq(truncate(path, 0), 0);
    tn_tensor *tensor = tensor_at(&source, 8, FLOATS);
    cr_expect(lies_in(tensor, begin_of_file));
    tni_source_close(runtime, &source);
    expect_bytes(tensor, 8);
    tn_tensor_release(tensor);
    cr_assert_eq(tni_source_open(runtime, path, &source), TN_OK, "an empty file");
    cr_expect_eq(source.size, 0u);
    tni_source_close(runtime, &source);
}

Test(source, what_cannot_be_opened) {
    tn_source source;
    cr_expect_eq(tni_source_open(runtime, "/nowhere/at.all", &source), TN_NOT_FOUND);
    cr_expect_eq(tni_source_open(runtime, "/tmp", &source), TN_IO);
    cr_expect_not_null(strstr(tn_error_message(), "/tmp: not a regular file"));
}
