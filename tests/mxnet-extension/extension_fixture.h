/* A runtime with the build's plugins, and short ways to load extension libraries and use them. */
#ifndef EXTENSION_FIXTURE_H
#define EXTENSION_FIXTURE_H

#include <criterion/criterion.h>
#include <string.h>

#include <tenon/plugin/helpers.h>
#include <tenon/tenon.h>

extern tn_runtime *runtime;
extern const char *library; /* the name of the one that load_version loaded */
extern char log_text[16384];

void extension_set_up(void);
void extension_tear_down(void);

/* The CPU, opened once. */
tn_device *device(void);

/* Loads "operators_VERSION.so". */
void load_version(int version);
/* The path of a test library; lives to the next call. */
const char *extension_path(const char *name);
/* What a counter of the loaded library says: "test_live_blocks". */
int ask(const char *function);

/* A float32 tensor. */
tn_tensor *floats(int32_t rank, const int64_t *extents, const float *values);
const float *values_of(const tn_tensor *tensor);

#define expect_message(text)                                                                       \
    cr_expect_not_null(strstr(tn_error_message(), text), "the message is: %s", tn_error_message())

#endif
