/* Files: mapped whole, replaced whole. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static char folder[64];
static char path[128];

static void set_up(void) {
    strcpy(folder, "/tmp/tenon-file-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
}

static void tear_down(void) {
    unlink(path);
    rmdir(path);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(file, .init = set_up, .fini = tear_down);

static void put(const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void expect_content(const char *bytes, size_t size) {
    tni_mapping mapping;
    cr_assert_eq(tni_map_file(path, &mapping), TN_OK, "%s", tn_error_message());
    cr_expect_eq(mapping.size, size);
    cr_expect(mapping.size == size && memcmp(mapping.data, bytes, size) == 0);
    tni_unmap_file(&mapping);
    cr_expect_eq(mapping.size, 0);
}

static int count_files(void) {
    DIR *directory = opendir(folder);
    int count = 0;
    cr_assert_not_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

Test(file, is_mapped) {
    put("a\0b", 3);
    expect_content("a\0b", 3);
}

Test(file, an_empty_one_is_mapped_too) {
    put("", 0);
    tni_mapping mapping = {0};
    cr_assert_eq(tni_map_file(path, &mapping), TN_OK);
    cr_expect_not_null(mapping.data);
    cr_expect_eq(mapping.size, 0);
    tni_unmap_file(&mapping);
    tni_unmap_file(&mapping);
}

static void expect_unmapped(const char *name, tn_status status, const char *reason) {
    tni_mapping mapping = {.size = 77};
    cr_expect_eq(tni_map_file(name, &mapping), status, "%s", name);
    cr_expect_eq(mapping.size, 77, "the output was written to");
    cr_expect_not_null(strstr(tn_error_message(), name));
    cr_expect_not_null(strstr(tn_error_message(), reason), "%s", tn_error_message());
}

Test(file, what_is_not_there_is_not_found) {
    expect_unmapped(path, TN_NOT_FOUND, "No such file");
}

Test(file, what_is_no_file_is_refused) {
    expect_unmapped(folder, TN_IO, "not a regular file");
    expect_unmapped("/dev/zero", TN_IO, "not a regular file");
}

/* Without a writer at its other end a pipe must not block the reader. */
Test(file, a_pipe_is_refused_at_once, .timeout = 10) {
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_unmapped(path, TN_IO, "not a regular file");
}

Test(file, is_replaced_when_committed) {
    tni_writer writer;
    put("old", 3);
    cr_assert_eq(tni_writer_open(&writer, path), TN_OK);
    cr_assert_eq(tni_writer_write(&writer, "ne", 2), TN_OK);
    cr_assert_eq(tni_writer_write(&writer, "", 0), TN_OK);
    cr_assert_eq(tni_writer_write(&writer, "wer", 3), TN_OK);
    expect_content("old", 3);
    cr_expect_eq(tni_writer_commit(&writer), TN_OK);
    expect_content("newer", 5);
    tni_writer_finish(&writer);
    expect_content("newer", 5);
    cr_expect_eq(count_files(), 1);
}

Test(file, stays_when_not_committed) {
    tni_writer writer;
    put("old", 3);
    cr_assert_eq(tni_writer_open(&writer, path), TN_OK);
    cr_assert_eq(tni_writer_write(&writer, "new", 3), TN_OK);
    tni_writer_finish(&writer);
    expect_content("old", 3);
    cr_expect_eq(count_files(), 1);
    tni_writer_finish(&writer);
}

Test(file, others_may_read_it) {
    tni_writer writer;
    struct stat status;
    cr_assert_eq(tni_writer_open(&writer, path), TN_OK);
    cr_assert_eq(tni_writer_commit(&writer), TN_OK);
    tni_writer_finish(&writer);
    cr_assert_eq(stat(path, &status), 0);
    cr_expect_eq(status.st_mode & 0777, 0644);
}

Test(file, a_folder_that_is_not_there_is_said) {
    tni_writer writer;
    char name[256];
    snprintf(name, sizeof name, "%s/no/file", folder);
    cr_expect_eq(tni_writer_open(&writer, name), TN_NOT_FOUND);
    cr_expect_not_null(strstr(tn_error_message(), name));
    tni_writer_finish(&writer);
}

Test(file, cannot_take_the_place_of_a_folder) {
    tni_writer writer;
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(tni_writer_open(&writer, path), TN_OK);
    cr_expect_eq(tni_writer_commit(&writer), TN_IO);
    tni_writer_finish(&writer);
    cr_expect_eq(count_files(), 1, "the temporary file is left");
}

Test(file, a_full_disk_is_said) {
    tni_writer writer;
    char page[4096] = "";
    cr_assert_eq(tni_writer_open(&writer, path), TN_OK);
    const int full = open("/dev/full", O_WRONLY);
    cr_assert_geq(full, 0);
    cr_assert_geq(dup2(full, writer.descriptor), 0);
    close(full);
    cr_expect_eq(tni_writer_write(&writer, page, sizeof page), TN_IO);
    cr_expect_not_null(strstr(tn_error_message(), "No space left"), "%s", tn_error_message());
    tni_writer_finish(&writer);
    cr_expect_eq(count_files(), 0);
}

Test(file, endings) {
    cr_expect(tni_ends_with_any("a.npy", ".npz,.npy"));
    cr_expect(tni_ends_with_any(".npy", ".npy"));
    cr_expect_not(tni_ends_with_any("npy", ".npy"));
    cr_expect_not(tni_ends_with_any("a.npy.gz", ".npy,.npz"));
    cr_expect_not(tni_ends_with_any("a", ""));
    cr_expect_not(tni_ends_with_any("", ".a"));
    cr_expect_not(tni_ends_with_any("a", ",,"));
    cr_expect(tni_ends_with_any("a.b", ",,.b"));
    cr_expect_not(tni_ends_with_any("a.b", NULL));
}
