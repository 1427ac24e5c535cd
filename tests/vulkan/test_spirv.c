/* The verifier: what compilers write is taken, what is damaged is not. No driver is asked. */
#include "shaders.h"
#include "spirv.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spirv_numbers.h"

static const spirv_environment all = {
    .max_version = 0x00010600,
    .subgroup_operations = 0xff,
    .has_local_size_id = 1,
    .features = ~(vulkan_features)0,
};

/* Verifies a copy in a block of its own size, so that a sanitizer sees reads beyond. */
static tn_status verify_bytes(const void *bytes, size_t size, spirv_error *error) {
    void *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    spirv_module *module = spirv_verify(copy, size, &all, error);
    free(copy);
    cr_assert_eq(module != NULL, error->status == TN_OK);
    cr_assert_not_null(memchr(error->text, '\0', sizeof error->text));
    if (module != NULL) {
        spirv_interface interface;
        spirv_error ignored;
        (void)spirv_reflect(module, "main", NULL, 0, &interface, &ignored);
        uint32_t count = 0, *spilled = spirv_spill_push(module, 63, &count);
        cr_assert_geq(count, module->count);
        free(spilled);
    }
    spirv_module_destroy(module);
    return error->status;
}

static void expect_refusal(const uint32_t *words, size_t size, tn_status status, const char *text) {
    spirv_error error;
    cr_expect_eq(verify_bytes(words, size, &error), status, "%s: %s", text, error.text);
    cr_expect_not_null(strstr(error.text, text), "no '%s' in: %s", text, error.text);
}

/* A copy of a shader to be damaged. */
static uint32_t *copy_of(const char *name, size_t *out_size) {
    const test_shader *shader = find_shader(name);
    uint32_t *words = malloc(shader->size);
    memcpy(words, shader->words, shader->size);
    *out_size = shader->size;
    return words;
}

/* The first instruction with this opcode. */
static uint32_t *find(uint32_t *words, size_t size, uint32_t opcode) {
    for (size_t at = SPIRV_HEADER_WORDS; at < size / 4; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == opcode) {
            return words + at;
        }
    }
    cr_assert_fail("there is no instruction %u", opcode);
    return NULL;
}

Test(spirv, what_compilers_write_is_taken) {
    size_t count;
    const test_shader *shaders = all_shaders(&count);
    cr_assert_gt(count, 20);
    for (size_t i = 0; i < count; i++) {
        spirv_error error;
        cr_expect_eq(verify_bytes(shaders[i].words, shaders[i].size, &error), TN_OK, "%s: %s",
                     shaders[i].name, error.text);
    }
}

Test(spirv, header) {
    size_t size;
    uint32_t *words = copy_of("add", &size);
    expect_refusal(words, 0, TN_INVALID_ARGUMENT, "0 bytes are not SPIR-V");
    expect_refusal(words, 16, TN_INVALID_ARGUMENT, "16 bytes are not SPIR-V");
    expect_refusal(words, size - 1, TN_INVALID_ARGUMENT, "are not SPIR-V");
    words[0] = 0x03022307;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "big-endian");
    words[0] = 0x464c457f;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "begins with 0x464c457f");
    words[0] = SPIRV_MAGIC;
    words[1] = 0x00010900;
    expect_refusal(words, size, TN_UNSUPPORTED, "is SPIR-V 1.9, the device takes 1.0 to 1.6");
    words[1] = 0x00010301;
    expect_refusal(words, size, TN_UNSUPPORTED, "is SPIR-V 1.3");
    words[1] = 0x00010300;
    const uint32_t bound = words[3];
    words[3] = 0;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "the bound of its ids is 0");
    words[3] = UINT32_MAX;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "the bound of its ids is 4294967295");
    words[3] = SPIRV_MAX_BOUND;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "words cannot need");
    words[3] = 5;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "not within the bound 5");
    words[3] = bound;
    words[4] = 1;
    expect_refusal(words, size, TN_INVALID_ARGUMENT, "reserved word");
    words[4] = 0;
    expect_refusal(words, 20, TN_INVALID_ARGUMENT, "0 memory models and 0 entry points");
    free(words);
}

Test(spirv, older_devices) {
    const test_shader *shader = find_shader("add");
    spirv_environment old = all;
    spirv_error error;
    old.max_version = 0x00010000;
    cr_assert_null(spirv_verify(shader->words, shader->size, &old, &error));
    cr_assert_eq(error.status, TN_UNSUPPORTED);
    cr_assert_not_null(strstr(error.text, "is SPIR-V 1.3, the device takes 1.0 to 1.0"));
    cr_assert_null(spirv_verify(NULL, 64, &all, &error));
}

Test(spirv, large_modules) {
    const size_t size = (size_t)64 << 20;
    uint32_t *words = calloc(1, size + 4);
    spirv_error error;
    words[0] = SPIRV_MAGIC;
    words[1] = 0x00010300;
    words[3] = SPIRV_MAX_BOUND;
    cr_assert_null(spirv_verify(words, size, &all, &error));
    cr_assert_not_null(strstr(error.text, "has 0 words"), "%s", error.text);
    cr_assert_null(spirv_verify(words, size + 4, &all, &error));
    cr_assert_not_null(strstr(error.text, "at most 64 MiB"), "%s", error.text);
    for (size_t i = SPIRV_HEADER_WORDS; i < size / 4; i++) {
        words[i] = 1u << 16; /* OpNop */
    }
    cr_assert_null(spirv_verify(words, size, &all, &error));
    cr_assert_not_null(strstr(error.text, "0 memory models"), "%s", error.text);
    free(words);
}

Test(spirv, instructions_that_are_wrong) {
    size_t size;
    uint32_t *words = copy_of("add", &size), *at, kept;
#define DAMAGE(opcode, index, value, text)                                                         \
    do {                                                                                           \
        at = find(words, size, opcode) + (index);                                                  \
        kept = *at;                                                                                \
        *at = (value);                                                                             \
        expect_refusal(words, size, TN_INVALID_ARGUMENT, text);                                    \
        *at = kept;                                                                                \
    } while (0)
    DAMAGE(SPIRV_OP_LOAD, 0, SPIRV_OP_LOAD, "has 0 words");
    DAMAGE(SPIRV_OP_LOAD, 0, 0xffffu << 16 | SPIRV_OP_LOAD, "has 65535 words");
    DAMAGE(SPIRV_OP_LOAD, 0, 3u << 16 | SPIRV_OP_LOAD, "wrong or missing");
    DAMAGE(SPIRV_OP_LOAD, 2, 0, "result id 0 is not within the bound");
    DAMAGE(SPIRV_OP_LOAD, 3, words[3], "is not within the bound");
    DAMAGE(SPIRV_OP_STORE, 2, words[3] - 1, "OpStore");
    DAMAGE(SPIRV_OP_STORE, 1, 1, "id 1 is not a value");
    DAMAGE(SPIRV_OP_BRANCH_CONDITIONAL, 2, 1, "that can be branched to");
    DAMAGE(SPIRV_OP_ENTRY_POINT, 2, 1, "is not a function");
    DAMAGE(SPIRV_OP_TYPE_INT, 2, 33, "expected 8, 16, 32 or 64 bits");
    DAMAGE(SPIRV_OP_TYPE_INT, 2, 64, "no capability allows 64 bits");
    DAMAGE(SPIRV_OP_MEMORY_MODEL, 2, 3, "no capability allows memory model 3");
    DAMAGE(SPIRV_OP_MEMBER_DECORATE, 2, 1000, "has no member 1000");
    DAMAGE(SPIRV_OP_DECORATE, 2, 999, "decoration 999");
#undef DAMAGE
    at = find(words, size, SPIRV_OP_ENTRY_POINT);
    at[1] = 4; /* a fragment shader */
    expect_refusal(words, size, TN_UNSUPPORTED, "execution model 4, expected GLCompute");
    free(words);
}

Test(spirv, what_the_device_lacks) {
    static const struct {
        const char *shader, *text;
    } lacks[] = {
        {"types_f16", "capability Float16 is needed, which the device lacks"},
        {"types_f64", "capability Float64 is needed, which the device lacks"},
        {"types_i8", "capability Int8 is needed, which the device lacks"},
        {"types_i16", "capability Int16 is needed, which the device lacks"},
        {"types_i64", "capability Int64 is needed, which the device lacks"},
        {"subgroup", "capability GroupNonUniform is needed, which the device lacks"},
    };
    const spirv_environment plain = {.max_version = 0x00010300};
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        const test_shader *shader = find_shader(lacks[i].shader);
        spirv_error error;
        cr_expect_null(spirv_verify(shader->words, shader->size, &plain, &error));
        cr_expect_eq(error.status, TN_UNSUPPORTED);
        cr_expect_not_null(strstr(error.text, lacks[i].text), "%s: %s", lacks[i].shader,
                           error.text);
    }
}

/* Cut after every word, and in the middle of words. */
Test(spirv, modules_that_are_cut_short) {
    static const char *const names[] = {"add", "control", "constants", "subgroup"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const test_shader *shader = find_shader(names[n]);
        for (size_t size = 0; size < shader->size; size++) {
            spirv_error error;
            if (size % 4 == 0 || size < 64) {
                cr_expect_neq(verify_bytes(shader->words, size, &error), TN_OK, "%s: %zu bytes",
                              names[n], size);
            }
        }
    }
}

/* Every bit turned over: most are found, all are survived. What is left makes another module that
 * is right, such as one with another number in it. */
Test(spirv, bits_that_are_turned_over) {
    static const char *const names[] = {"add", "control"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        size_t size, found = 0;
        uint32_t *words = copy_of(names[n], &size);
        const size_t step = n == 0 ? 1 : 5;
        for (size_t bit = 0; bit < size * 8; bit += step) {
            spirv_error error;
            words[bit / 32] ^= 1u << bit % 32;
            found += verify_bytes(words, size, &error) != TN_OK;
            words[bit / 32] ^= 1u << bit % 32;
        }
        cr_expect_gt(found, size * 8 / step / 2, "%zu of %zu", found, size * 8 / step);
        free(words);
    }
}

/* Words put in each other's place, by a generator with a fixed start. */
Test(spirv, words_that_are_mixed_up) {
    static const char *const names[] = {"add", "control", "constants", "subgroup", "types_f16"};
    uint32_t state = 12345;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        size_t size;
        uint32_t *words = copy_of(names[n], &size);
        for (int round = 0; round < 4000; round++) {
            spirv_error error;
            size_t places[3];
            uint32_t kept[3];
            for (int i = 0; i < 3; i++) {
                state = state * 1664525u + 1013904223u;
                places[i] = SPIRV_HEADER_WORDS + state / 7 % (size / 4 - SPIRV_HEADER_WORDS);
                state = state * 1664525u + 1013904223u;
                kept[i] = words[places[i]];
                words[places[i]] = state % 3 == 0   ? words[state / 5 % (size / 4)]
                                   : state % 3 == 1 ? state / 11 % words[3]
                                                    : kept[i] + 1;
            }
            (void)verify_bytes(words, size, &error);
            for (int i = 2; i >= 0; i--) {
                words[places[i]] = kept[i];
            }
        }
        free(words);
    }
}

/* ---- Another validator ---- */

/* 0: it takes the module, 1: it does not, 127: it is not installed. */
static int ask_validator(const uint32_t *words, size_t size) {
    char path[] = "/tmp/tenon-spirv-XXXXXX", command[128];
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, words, size), (ssize_t)size);
    close(file);
    snprintf(command, sizeof command, "spirv-val --target-env vulkan1.3 %s >/dev/null 2>&1", path);
    const int status = system(command);
    unlink(path);
    return WEXITSTATUS(status);
}

/* What compilers write both take; of what is damaged and taken here, the other takes nearly all. */
Test(spirv, agrees_with_another_validator, .timeout = 120) {
    size_t count;
    const test_shader *shaders = all_shaders(&count);
    if (ask_validator(shaders[0].words, shaders[0].size) == 127) {
        cr_skip("spirv-val is not installed");
    }
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(ask_validator(shaders[i].words, shaders[i].size), 0, "%s", shaders[i].name);
    }
    size_t size, taken = 0, refused = 0;
    uint32_t *words = copy_of("control", &size), state = 99;
    for (int round = 0; round < 600; round++) {
        spirv_error error;
        state = state * 1664525u + 1013904223u;
        const size_t place = SPIRV_HEADER_WORDS + state / 7 % (size / 4 - SPIRV_HEADER_WORDS);
        const uint32_t kept = words[place];
        words[place] ^= 1u << state / 11 % 32;
        if (verify_bytes(words, size, &error) == TN_OK) {
            taken++;
            refused += ask_validator(words, size) != 0;
        }
        words[place] = kept;
    }
    free(words);
    cr_assert_gt(taken, 20);
    cr_assert_leq(refused * 20, taken, "%zu of %zu that are taken here", refused, taken);
}
