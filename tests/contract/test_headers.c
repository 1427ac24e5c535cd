/* The contract's headers: each compiles by itself, in both languages, with every compiler that is
 * here; and a tensor view is a DLPack tensor. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/types.h>

#include "zoo.h"

#ifdef HAVE_DLPACK
#include <dlpack/dlpack.h>
#endif

TestSuite(headers, .init = zoo_begin, .fini = zoo_end);

/* Whether a source that includes nothing but this header compiles without a warning. */
static bool compiles(const char *compiler, const char *header) {
    const char *source = zoo_path("alone.c");
    const char *text = zoo_text("#include <tenon/%s>\n#include <tenon/%s>\n", header, header);
    zoo_write(source, text, strlen(text));
    return system(zoo_text("%s -Wall -Wextra -Wpedantic -Wconversion -pedantic -Werror "
                           "-fsyntax-only -I'%s' '%s'",
                           compiler, SDK_INCLUDE, source)) == 0;
}

static void compile_each(const char *compiler, const char *language) {
    if (system(zoo_text("command -v %s >/dev/null", compiler)) != 0) {
        cr_skip_test("there is no %s", compiler);
    }
    const char *command = zoo_text("%s %s", compiler, language);
    int count = 0;
    DIR *directory = opendir(SDK_INCLUDE "/tenon/plugin");
    cr_assert_not_null(directory);
    for (struct dirent *item = readdir(directory); item != NULL; item = readdir(directory)) {
        if (strstr(item->d_name, ".h") != NULL) {
            cr_expect(compiles(command, zoo_text("plugin/%s", item->d_name)), "%s: %s", compiler,
                      item->d_name);
            count++;
        }
    }
    closedir(directory);
    cr_expect(compiles(command, "plugin.h"));
    cr_expect_gt(count, 10);
}

Test(headers, gcc) {
    compile_each("gcc", "-std=c11 -xc");
}

Test(headers, clang) {
    compile_each("clang", "-std=c11 -xc");
}

Test(headers, gcc_for_cpp) {
    compile_each("g++", "-std=c++17 -xc++");
}

Test(headers, clang_for_cpp) {
    compile_each("clang++", "-std=c++17 -xc++");
}

#ifdef HAVE_DLPACK
#define SAME(OURS, THEIRS)                                                                         \
    do {                                                                                           \
        cr_expect_eq(offsetof(tn_view, OURS), offsetof(DLTensor, THEIRS));                         \
        cr_expect_eq(sizeof(((tn_view *)0)->OURS), sizeof(((DLTensor *)0)->THEIRS));               \
    } while (0)

Test(headers, a_view_is_a_dlpack_tensor) {
    cr_expect_eq(sizeof(tn_view), sizeof(DLTensor));
    SAME(data, data);
    SAME(device, device);
    SAME(rank, ndim);
    SAME(dtype, dtype);
    SAME(shape, shape);
    SAME(strides, strides);
    SAME(byte_offset, byte_offset);
    cr_expect_eq(offsetof(tn_device_id, type), offsetof(DLDevice, device_type));
    cr_expect_eq(offsetof(tn_device_id, index), offsetof(DLDevice, device_id));
    cr_expect_eq(TN_DEVICE_TYPE_CPU, kDLCPU);
    cr_expect_eq(TN_DEVICE_TYPE_CUDA, kDLCUDA);
    cr_expect_eq(TN_DEVICE_TYPE_VULKAN, kDLVulkan);
}

Test(headers, a_dtype_is_a_dlpack_dtype) {
    static const struct {
        tn_dtype ours;
        DLDataType theirs;
    } pairs[] = {{TN_I8, {kDLInt, 8, 1}},      {TN_I64, {kDLInt, 64, 1}},
                 {TN_U8, {kDLUInt, 8, 1}},     {TN_U32, {kDLUInt, 32, 1}},
                 {TN_F16, {kDLFloat, 16, 1}},  {TN_F64, {kDLFloat, 64, 1}},
                 {TN_BF16, {kDLBfloat, 16, 1}}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        cr_expect_eq(memcmp(&pairs[i].ours, &pairs[i].theirs, sizeof(tn_dtype)), 0);
    }
    /* Older versions of dlpack.h have no name for this one. */
    const DLDataType truth = {6, 8, 1};
    const tn_dtype ours = TN_BOOL;
    cr_expect_eq(memcmp(&ours, &truth, sizeof ours), 0);
}
#endif
