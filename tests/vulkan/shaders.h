/* The tests' own kernels: GLSL compiled by the build, words in an array each. */
#ifndef TENON_TESTS_VULKAN_SHADERS_H
#define TENON_TESTS_VULKAN_SHADERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct test_shader {
    const char *name;
    const uint32_t *words;
    size_t size; /* bytes */
} test_shader;

/* By the name in meson.build; fails the test when there is none. */
const test_shader *find_shader(const char *name);

/* All of them, for tests that go through every module. */
const test_shader *all_shaders(size_t *out_count);

#endif
