/* The reflector: what code touches, and what specialisation makes of it. */
#include "shaders.h"
#include "spirv.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const spirv_environment all = {
    .max_version = 0x00010600,
    .subgroup_operations = 0xff,
    .features = ~(vulkan_features)0,
};

static spirv_module *module_of(const char *name) {
    const test_shader *shader = find_shader(name);
    spirv_error error;
    spirv_module *module = spirv_verify(shader->words, shader->size, &all, &error);
    cr_assert_not_null(module, "%s: %s", name, error.text);
    return module;
}

static spirv_interface reflect(const char *name, const tn_specialization *constants,
                               uint32_t count) {
    spirv_module *module = module_of(name);
    spirv_interface interface;
    spirv_error error;
    cr_assert_eq(spirv_reflect(module, "main", constants, count, &interface, &error), TN_OK, "%s",
                 error.text);
    spirv_module_destroy(module);
    return interface;
}

Test(spirv_reflect, bindings_and_push_constants) {
    const spirv_interface add = reflect("add", NULL, 0);
    cr_assert_eq(add.binding_end, 3);
    cr_assert_eq(add.access[0], TN_ACCESS_READ);
    cr_assert_eq(add.access[1], TN_ACCESS_READ);
    cr_assert_eq(add.access[2], TN_ACCESS_WRITE);
    cr_assert_eq(add.push_size, 8);
    cr_assert_eq(add.workgroup_size[0], 64);
    cr_assert_eq(add.workgroup_size[1], 1);
    cr_assert_eq(add.shared_bytes, 0);
    cr_assert_eq(add.reads_grid, 0);
    const spirv_interface many = reflect("many_40", NULL, 0);
    cr_assert_eq(many.binding_end, 40);
    cr_assert_eq(many.access[0], TN_ACCESS_READ | TN_ACCESS_WRITE);
    cr_assert_eq(many.access[39], TN_ACCESS_READ);
    const spirv_interface none = reflect("many_0", NULL, 0);
    cr_assert_eq(none.binding_end, 0);
    cr_assert_eq(none.push_size, 0);
    cr_assert_eq(reflect("push_65", NULL, 0).push_size, 260);
    cr_assert_eq(reflect("types_f16", NULL, 0).access[0], TN_ACCESS_READ | TN_ACCESS_WRITE);
}

/* uint, uint, mat3x4 (three columns of 16 bytes), vec2[3] */
Test(spirv_reflect, layouts) {
    const spirv_interface control = reflect("control", NULL, 0);
    cr_assert_eq(control.push_size, 16 + 48 + 24);
    cr_assert_eq(control.shared_bytes, 256);
    cr_assert_eq(control.workgroup_size[0], 8);
    cr_assert_eq(control.workgroup_size[1], 2);
    cr_assert_eq(control.access[0], TN_ACCESS_READ);
    cr_assert_eq(control.access[1], TN_ACCESS_WRITE);
}

Test(spirv_reflect, constants) {
    const tn_specialization given[] = {{0, 8}, {1, 3}, {2, 10}};
    const spirv_interface standard = reflect("constants", NULL, 0);
    const spirv_interface special = reflect("constants", given, 3);
    cr_assert_eq(standard.workgroup_size[0], 1);
    cr_assert_eq(standard.workgroup_size[1], 1);
    cr_assert_eq(standard.shared_bytes, (4 * 4 + 3) * 4);
    cr_assert_eq(special.workgroup_size[0], 8);
    cr_assert_eq(special.workgroup_size[1], 3);
    cr_assert_eq(special.shared_bytes, (10 * 10 + 3) * 4);
    const tn_specialization huge[] = {{2, 0x40000000}};
    (void)reflect("constants", huge, 1); /* wraps as it does on a device */
}

Test(spirv_reflect, grids) {
    cr_assert_eq(reflect("flat", NULL, 0).reads_grid, 1);
    cr_assert_eq(reflect("line", NULL, 0).reads_grid, 0);
    cr_assert_eq(reflect("control", NULL, 0).reads_grid, 1);
}

Test(spirv_reflect, entry_points) {
    spirv_module *module = module_of("add");
    spirv_interface interface;
    spirv_error error;
    cr_assert_eq(spirv_reflect(module, "mai", NULL, 0, &interface, &error), TN_INVALID_ARGUMENT);
    cr_assert_str_eq(error.text, "module: has no entry point 'mai', only 'main'");
    cr_assert_eq(spirv_reflect(module, "", NULL, 0, &interface, &error), TN_INVALID_ARGUMENT);
    spirv_module_destroy(module);
}

/* The block becomes a buffer, and nothing else changes. */
Test(spirv_reflect, spilled_push_constants) {
    static const char *const names[] = {"add", "control", "push_65"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        spirv_module *module = module_of(names[i]);
        const spirv_interface before = reflect(names[i], NULL, 0);
        spirv_interface after;
        spirv_error error;
        uint32_t count = 0;
        uint32_t *words = spirv_spill_push(module, before.binding_end, &count);
        cr_assert_not_null(words);
        spirv_module *spilled = spirv_verify(words, (uint64_t)count * 4, &all, &error);
        cr_assert_not_null(spilled, "%s: %s", names[i], error.text);
        cr_assert_eq(spirv_reflect(spilled, "main", NULL, 0, &after, &error), TN_OK, "%s",
                     error.text);
        cr_assert_eq(after.push_size, 0);
        cr_assert_eq(after.binding_end, before.binding_end + 1);
        cr_assert_eq(after.access[before.binding_end], TN_ACCESS_READ);
        cr_assert_eq(after.shared_bytes, before.shared_bytes);
        free(words);
        spirv_module_destroy(spilled);
        spirv_module_destroy(module);
    }
}
