/* What is no plugin, what is damaged, what cannot be trusted, and one file under two names. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zoo.h"

TestSuite(files, .init = zoo_begin, .fini = zoo_end);

#define GIVE "give a library that was built with TN_PLUGIN of tenon/plugin.h"
#define NOT_ELF "not a plugin: not an ELF file"

Test(files, missing) {
    zoo_expect_refused(zoo_path("nowhere.so"), 0, TN_NOT_FOUND,
                       "it cannot be opened: No such file or directory",
                       "check the path and the permissions on it");
}

Test(files, directory) {
    zoo_expect_refused(zoo_directory, 0, TN_CORRUPT, "not a plugin: not a regular file", GIVE);
}

Test(files, pipe) {
    const char *path = zoo_path("pipe.so");
    cr_assert_eq(mkfifo(path, 0600), 0);
    zoo_expect_refused(path, 0, TN_CORRUPT, "not a plugin: not a regular file", GIVE);
}

Test(files, empty) {
    const char *path = zoo_path("empty.so");
    zoo_write(path, "", 0);
    zoo_expect_refused(path, 0, TN_CORRUPT, NOT_ELF, GIVE);
}

Test(files, text) {
    const char *path = zoo_path("text.so");
    zoo_write(path, "INPUT(libother.so)\n", 19);
    zoo_expect_refused(path, 0, TN_CORRUPT, NOT_ELF, GIVE);
    /* It may be no plugin at all, so nobody is alarmed. */
    cr_expect_null(strstr(zoo_log, "2 tenon"), "%s", zoo_log);
}

/* Writes a plugin of the zoo with some bytes of its ELF header changed. */
static const char *patched(size_t offset, const void *bytes, size_t size) {
    size_t file_size;
    const char *path = zoo_copy("good");
    char *file = zoo_read(path, &file_size);
    memcpy(file + offset, bytes, size);
    zoo_write(path, file, file_size);
    return path;
}

Test(files, elf_of_32_bits) {
    zoo_expect_refused(patched(EI_CLASS, "\1", 1), 0, TN_INCOMPATIBLE,
                       "built for a 32-bit machine, this process is 64-bit",
                       "build it for this machine");
}

Test(files, elf_of_big_endian) {
    zoo_expect_refused(patched(EI_DATA, "\2", 1), 0, TN_INCOMPATIBLE,
                       "built for a big-endian machine, this process is little-endian",
                       "build it for this machine");
}

Test(files, elf_of_another_machine) {
    const uint16_t machine = EM_S390;
    Elf64_Ehdr own;
    size_t size;
    memcpy(&own, zoo_read(zoo_copy("good"), &size), sizeof own);
    zoo_expect_refused(
        patched(offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine), 0, TN_INCOMPATIBLE,
        zoo_text("built for ELF machine 22, this process is machine %u", own.e_machine),
        "build it for this machine");
}

Test(files, elf_that_is_no_library) {
    const uint16_t type = ET_REL;
    zoo_expect_refused(patched(offsetof(Elf64_Ehdr, e_type), &type, sizeof type), 0, TN_CORRUPT,
                       "not a plugin: an ELF file of type 1, not a shared library", GIVE);
}

/* The dynamic linker would end the process with a signal for some of these. */
Test(files, truncated) {
    size_t size;
    char *bytes = zoo_read(zoo_copy("good"), &size);
    const char *path = zoo_path("short.so");
    const size_t step = size / 300 + 1;
    for (size_t length = 0; length < size; length += length < 256 ? 1 : step) {
        zoo_write(path, bytes, length);
        cr_expect_eq(tn_plugin_load(zoo_runtime, path, 0, NULL), TN_CORRUPT, "%zu of %zu", length,
                     size);
    }
    zoo_write(path, bytes, size - 1);
    zoo_expect_refused(path, 0, TN_CORRUPT,
                       zoo_text("damaged: the file is cut short at %zu bytes", size - 1), GIVE);
    cr_expect_eq(tn_plugin_count(zoo_runtime), 0u);
}

Test(files, any_name_will_do) {
    const char *path = zoo_copy_as("good", "lib renamed.plugin");
    cr_expect_eq(tn_plugin_load(zoo_runtime, path, 0, NULL), TN_OK, "%s", tn_error_message());
}

/* Trust. */

Test(files, world_writable_file) {
    const char *path = zoo_copy("good");
    cr_assert_eq(chmod(path, 0757), 0);
    zoo_expect_refused(
        path, 0, TN_DENIED, zoo_text("the file %s can be written by every user (mode 0757)", path),
        zoo_text("chmod o-w %s, or allow it (TN_LOAD_ALLOW_WRITABLE; --allow-writable)", path));
    cr_expect_eq(tn_plugin_load(zoo_runtime, path, TN_LOAD_ALLOW_WRITABLE, NULL), TN_OK);
}

/* A copy of "good" in a directory of that mode. */
static const char *in_directory(mode_t mode) {
    cr_assert_eq(mkdir(zoo_path("inner"), 0700), 0);
    const char *path = zoo_copy_as("good", "inner/good.so");
    cr_assert_eq(chmod(zoo_path("inner"), mode), 0);
    return path;
}

Test(files, world_writable_directory) {
    const char *path = in_directory(0777);
    const char *inner = zoo_path("inner");
    zoo_expect_refused(
        path, 0, TN_DENIED,
        zoo_text("the directory %s can be written by every user (mode 0777)", inner),
        zoo_text("chmod o-w %s, or allow it (TN_LOAD_ALLOW_WRITABLE; --allow-writable)", inner));
}

Test(files, sticky_directory) {
    const char *path = in_directory(01777);
    cr_expect_eq(tn_plugin_load(zoo_runtime, path, 0, NULL), TN_OK, "%s", tn_error_message());
}

Test(files, file_of_another_user) {
    const char *path = zoo_copy("good");
    if (geteuid() != 0 || chown(path, 4242, (gid_t)-1) != 0) {
        cr_skip_test("only root can give a file away");
    }
    zoo_expect_refused(path, 0, TN_DENIED,
                       zoo_text("the file %s belongs to user 4242, who is neither root nor this "
                                "user",
                                path),
                       zoo_text("give %s to root or to the user", path));
}

Test(files, inspection_looks_at_trust) {
    const char *path = zoo_copy("good");
    cr_assert_eq(chmod(path, 0666), 0);
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    cr_expect_eq(tn_plugin_inspect(NULL, path, &identity), TN_OK);
    cr_expect_eq(identity.verdict, TN_DENIED);
    cr_expect_str_eq(identity.name, "good");
    cr_expect(strncmp(identity.remedy, "chmod o-w ", 10) == 0, "%s", identity.remedy);
}

/* One file. */

Test(files, loaded_twice) {
    tni_plugin *plugin = zoo_load("good");
    const char *name = NULL;
    cr_expect_eq(tn_plugin_load(zoo_runtime, plugin->path, 0, &name), TN_OK);
    cr_expect_str_eq(name, "good");
    cr_expect_eq(tn_plugin_count(zoo_runtime), 1u);
}

Test(files, symlinked_twin) {
    const tni_plugin *plugin = zoo_load("good");
    const char *twin = zoo_path("twin.so");
    cr_assert_eq(symlink("good.so", twin), 0);
    cr_expect_eq(tn_plugin_load(zoo_runtime, twin, 0, NULL), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_plugin_count(zoo_runtime), 1u);
    cr_expect_eq(tni_registry_count(zoo_runtime, "op"), 1u);
    cr_expect_eq(zoo_last_record().verdict, TN_OK);
    cr_expect_str_eq(zoo_last_record().reason, zoo_text("loaded already from %s", plugin->path));
    cr_expect_str_eq(zoo_last_record().path, twin);
}

/* The dynamic linker goes by names, and hands out the old library for a path at which there is a
 * new file: that must not pass for the new build. */
Test(files, replaced_while_loaded) {
    tn_runtime *other;
    zoo_load("good");
    const char *path = zoo_path("good.so");
    zoo_copy_as("good", "new.so");
    cr_assert_eq(rename(zoo_path("new.so"), path), 0);
    cr_assert_eq(tn_runtime_create(NULL, &other), TN_OK);
    cr_expect_eq(tn_plugin_load(other, path, 0, NULL), TN_FAILED_PRECONDITION);
    cr_expect_str_eq(tn_error_message(),
                     zoo_text("plugin '%s': an older build of the same path is still in memory "
                              "(remedy: load the new build under another file name)",
                              path));
    tn_runtime_destroy(other);
}
