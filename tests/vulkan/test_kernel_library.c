/* Kernel libraries: our file, TVM's pair of files, and the functions that deal with them. */
#include "kernel_library.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/plugin.h>

#include "cache_file.h"
#include "kernel_library_functions.h"
#include "shaders.h"

static void add(kernel_library *library, const char *name, const char *shader_name) {
    const test_shader *shader = find_shader(shader_name);
    library_kernel kernel = {.entry_point = "main",
                             .argument_count = 4,
                             .arguments = {0, 0, TN_I32, TN_F32},
                             .tag_count = 2,
                             .tags = {TAG_GROUPS_X, TAG_SIZE_X}};
    library_error error;
    strcpy(kernel.name, name);
    cr_assert(library_add_module(library, shader->words, shader->size, &kernel.module, &error));
    cr_assert(library_add_kernel(library, &kernel, &error), "%s", error.text);
}

static unsigned char *sample(size_t *out_size) {
    kernel_library library = {0};
    library_error error;
    add(&library, "sum", "add");
    add(&library, "odd", "many_1");
    add(&library, "constants", "constants");
    unsigned char *bytes = library_write(&library, out_size, &error);
    cr_assert_not_null(bytes);
    library_finish(&library);
    return bytes;
}

Test(kernel_library, round_trip) {
    size_t size, again;
    unsigned char *bytes = sample(&size);
    kernel_library library;
    library_error error;
    cr_assert(library_read(&library, bytes, size, &error), "%s", error.text);
    cr_assert_eq(library.kernel_count, 3);
    cr_assert_eq(library.module_count, 3);
    const library_kernel *kernel = library_find(&library, "sum");
    cr_assert_not_null(kernel);
    cr_assert_str_eq(kernel->entry_point, "main");
    cr_assert_eq(kernel->argument_count, 4);
    cr_assert_eq(kernel->arguments[3], TN_F32);
    cr_assert_eq(kernel->tags[1], TAG_SIZE_X);
    cr_assert_null(library_find(&library, "none"));
    unsigned char *written = library_write(&library, &again, &error);
    cr_assert_eq(again, size);
    cr_assert_eq(memcmp(written, bytes, size), 0);
    free(written);
    free(bytes);
    library_finish(&library);
}

/* Reads a copy of exactly its size. */
static int reads(const unsigned char *bytes, size_t size, library_error *error) {
    unsigned char *copy = malloc(size > 0 ? size : 1);
    kernel_library library;
    memcpy(copy, bytes, size);
    const int is_right = library_read(&library, copy, size, error);
    free(copy);
    if (is_right) {
        library_finish(&library);
    }
    cr_assert_eq(library.kernel_count, 0);
    cr_assert_eq(is_right, error->status == TN_OK);
    return is_right;
}

Test(kernel_library, damage) {
    size_t size;
    unsigned char *bytes = sample(&size);
    library_error error;
    for (size_t cut = 0; cut < size; cut++) {
        cr_assert_not(reads(bytes, cut, &error), "%zu bytes", cut);
    }
    for (size_t bit = 0; bit < size * 8; bit += bit < 400 ? 1 : 13) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_not(reads(bytes, size, &error), "bit %zu", bit);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bytes[8] = 2;
    cr_assert_not(reads(bytes, size, &error));
    cr_assert_eq(error.status, TN_INCOMPATIBLE);
    cr_assert_not_null(strstr(error.text, "of version 2, this backend reads 1"));
    free(bytes);
}

/* The checksum made right again, so that what lies behind it is reached. */
Test(kernel_library, damage_with_a_right_checksum) {
    enum { HEADER = 40 };
    size_t size, found = 0, tried = 0;
    unsigned char *bytes = sample(&size);
    library_error error;
    for (size_t bit = HEADER * 8; bit < size * 8; bit += 7, tried++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        const uint64_t checksum = vulkan_checksum(bytes + HEADER, size - HEADER);
        memcpy(bytes + 32, &checksum, sizeof checksum);
        found += !reads(bytes, size, &error);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    cr_assert_gt(found, tried / 2);
    free(bytes);
}

Test(kernel_library, names) {
    kernel_library library = {0};
    library_error error;
    library_kernel kernel = {.name = "sum", .entry_point = "main", .module = 9};
    add(&library, "sum", "add");
    cr_assert_not(library_add_kernel(&library, &kernel, &error));
    kernel.module = 0;
    cr_assert_not(library_add_kernel(&library, &kernel, &error));
    cr_assert_str_eq(error.text, "kernel 'sum' is there twice");
    strcpy(kernel.name, "other");
    strcpy(kernel.entry_point, "start");
    cr_assert(library_add_kernel(&library, &kernel, &error));
    cr_assert_not(library_verify(&library, &error));
    cr_assert_not_null(strstr(error.text, "kernel 'other': module: has no entry point 'start'"));
    library_finish(&library);
}

/* ---- TVM ---- */

static size_t put(unsigned char *to, size_t at, const void *bytes, size_t size) {
    memcpy(to + at, bytes, size);
    return at + size;
}

/* As TVM 0.6 wrote it: magic, count, and for each a name, a flag and the words. */
static size_t tvm_file(unsigned char *to) {
    const test_shader *shader = find_shader("add");
    const uint32_t magic = 0x02700027, flag = 0;
    const uint64_t count = 1, name = 4, words = shader->size / 4;
    size_t at = put(to, 0, &magic, 4);
    at = put(to, at, &count, 8);
    at = put(to, at, &name, 8);
    at = put(to, at, "main", 4);
    at = put(to, at, &flag, 4);
    at = put(to, at, &words, 8);
    return put(to, at, shader->words, shader->size);
}

static const char metadata[] =
    "{\n  \"tvm_version\": \"0.1.0\", \n  \"func_info\": {\n    \"main\": {\n"
    "      \"name\": \"main\", \n      \"arg_types\": [\"handle\", \"handle\", \"handle\", "
    "\"int32\", "
    "\"float32\"], \n      \"thread_axis_tags\": [\"blockIdx.x\", \"threadIdx.x\"]\n    }\n  }\n}";

Test(kernel_library, from_tvm) {
    static unsigned char file[1 << 16];
    const size_t size = tvm_file(file);
    kernel_library library;
    library_error error;
    cr_assert(library_read_tvm(&library, file, size, metadata, &error), "%s", error.text);
    cr_assert_eq(library.kernel_count, 1);
    const library_kernel *kernel = library_find(&library, "main");
    cr_assert_eq(kernel->argument_count, 5);
    cr_assert_eq(kernel->arguments[0], 0);
    cr_assert_eq(kernel->arguments[3], TN_I32);
    cr_assert_eq(kernel->tag_count, 2);
    cr_assert_eq(kernel->tags[0], TAG_GROUPS_X);
    cr_assert_eq(kernel->tags[1], TAG_SIZE_X);
    library_finish(&library);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut + 1);
        memcpy(copy, file, cut);
        cr_assert_not(library_read_tvm(&library, copy, cut, metadata, &error), "%zu", cut);
        free(copy);
    }
    for (size_t cut = 0; cut < sizeof metadata - 1; cut++) {
        char *copy = strndup(metadata, cut);
        cr_assert_not(library_read_tvm(&library, file, size, copy, &error), "%zu", cut);
        free(copy);
    }
}

Test(kernel_library, metadata_that_is_wrong) {
    static const char *const wrong[] = {
        "",
        "[]",
        "{}",
        "{\"func_info\": {}}",
        "{\"func_info\": []}",
        "{\"func_info\": {\"other\": {\"arg_types\": []}}}",
        "{\"func_info\": {\"main\": {\"arg_types\": [\"string\"]}}}",
        "{\"func_info\": {\"main\": {\"arg_types\": [1]}}}",
        "{\"func_info\": {\"main\": {\"thread_axis_tags\": [\"warp\"]}}}",
        "{\"func_info\": {\"main\": {\"arg_types\": [}}}",
        "{\"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "{\"a\": \"\\",
    };
    static unsigned char file[1 << 16];
    const size_t size = tvm_file(file);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kernel_library library;
        library_error error;
        cr_expect_not(library_read_tvm(&library, file, size, wrong[i], &error), "%s", wrong[i]);
        cr_expect_neq(error.status, TN_OK);
    }
}

/* ---- The functions, by name and with files ---- */

typedef const char *one_text(const char *);
typedef const char *three_texts(const char *, const char *, const char *);
typedef const char *four_texts(const char *, const char *, const char *, const char *);

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

Test(kernel_library, functions) {
    one_text *list = (one_text *)vulkan_library_list.address;
    three_texts *extract = (three_texts *)vulkan_library_extract.address;
    four_texts *add_one = (four_texts *)vulkan_library_add.address;
    three_texts *convert = (three_texts *)vulkan_library_from_tvm.address;
    static unsigned char file[1 << 16], back[1 << 16];
    char folder[] = "/tmp/tenon-library-XXXXXX", code[64], library[64], meta[64];
    const test_shader *shader = find_shader("add");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(code, sizeof code, "%s/add.spv", folder);
    snprintf(library, sizeof library, "%s/kernels.tnvk", folder);
    snprintf(meta, sizeof meta, "%s/meta.json", folder);

    write_bytes(code, shader->words, shader->size);
    cr_expect_str_eq(add_one(library, "sum", code, "main"), "1 kernels");
    cr_expect_str_eq(add_one(library, "sum too", code, "main"), "2 kernels");
    cr_expect_not_null(strstr(add_one(library, "sum", code, "main"), "is there twice"));
    cr_expect_not_null(strstr(add_one(library, "x", code, "start"), "error: "));
    cr_expect_not_null(strstr(add_one(library, "x", library, "main"), "begins with 0x"));
    const char *listed = list(library);
    cr_expect_not_null(strstr(listed, "sum: "), "%s", listed);
    cr_expect_not_null(strstr(listed, "(buffer, buffer, buffer, uint32, uint32) groups.x"), "%s",
                       listed);
    cr_expect_eq(unlink(code), 0);
    cr_expect_not_null(strstr(extract(library, "sum", code), " bytes"));
    FILE *written = fopen(code, "rb");
    cr_assert_not_null(written);
    cr_expect_eq(fread(back, 1, sizeof back, written), shader->size);
    fclose(written);
    cr_expect_eq(memcmp(back, shader->words, shader->size), 0);
    cr_expect_not_null(strstr(extract(library, "none", code), "it has no kernel 'none'"));

    write_bytes(code, file, tvm_file(file));
    write_bytes(meta, metadata, sizeof metadata - 1);
    cr_expect_str_eq(convert(code, meta, library), "1 kernels");
    cr_expect_not_null(strstr(list(library), "main: "));
    cr_expect_not_null(strstr(list(meta), "it is not a kernel library"));
    cr_expect_not_null(strstr(list("/nowhere"), "it cannot be read"));
    cr_expect_not_null(strstr(list(folder), "error: "));
    (void)unlink(code);
    (void)unlink(meta);
    (void)unlink(library);
    cr_expect_eq(rmdir(folder), 0, "something was left behind");
}
