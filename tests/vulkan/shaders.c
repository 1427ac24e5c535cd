#include "shaders.h"

#include <criterion/criterion.h>
#include <string.h>

/* The file that embed_shaders.py makes. */
extern const test_shader shader_list[];
extern const size_t shader_list_size;

const test_shader *all_shaders(size_t *out_count) {
    *out_count = shader_list_size;
    return shader_list;
}

const test_shader *find_shader(const char *name) {
    for (size_t i = 0; i < shader_list_size; i++) {
        if (strcmp(shader_list[i].name, name) == 0) {
            return &shader_list[i];
        }
    }
    cr_assert_fail("there is no shader '%s'", name);
    return NULL;
}
