/*
 * One operator with random inputs and attributes, computed by the CPU and by another device. A
 * generator adds inputs and attributes; what it adds follows from the seed alone, so that a case
 * that failed can be had again.
 */
#ifndef TENON_TESTS_RANDOM_CASE_H
#define TENON_TESTS_RANDOM_CASE_H

#include <stdbool.h>

#include <tenon/tenon.h>

enum { RANDOM_MAX_INPUTS = 16, RANDOM_MAX_OPTIONS = 16, RANDOM_TEXT = 160 };

typedef struct random_case {
    tn_runtime *runtime;
    tn_device *device;
    const char *op;
    uint64_t state; /* of the random numbers */
    bool is_plain;  /* float32 and nothing empty: what every device computes */
    bool is_exact;  /* moves elements: nothing may differ */
    bool ran_on_device;
    bool has_absent; /* inputs */
    tn_tensor *inputs[RANDOM_MAX_INPUTS];
    uint32_t input_count;
    tn_option options[RANDOM_MAX_OPTIONS];
    char texts[RANDOM_MAX_OPTIONS][RANDOM_TEXT];
    uint32_t option_count;
} random_case;

/* Numbers; both ends are included. */
int64_t random_between(random_case *c, int64_t low, int64_t high);
double random_uniform(random_case *c, double low, double high);
bool random_coin(random_case *c);
const char *random_word(random_case *c, const char *const *words, uint32_t count);

/* float32, more seldom float16; and those, more seldom an integer. */
tn_dtype random_float(random_case *c);
tn_dtype random_dtype(random_case *c);
/* Of any size and kind, for what moves elements. */
tn_dtype random_any_dtype(random_case *c);
bool random_is_float(tn_dtype dtype);

/* Some thousand elements at most; extents of 1 are frequent, of 0 rare. */
tn_shape random_shape(random_case *c, int32_t least_rank, int32_t most_rank);
tn_shape random_shape_of(int32_t rank, const int64_t *extents);
/* Without extents of 0. */
tn_shape random_full_shape(random_case *c, int32_t least_rank, int32_t most_rank);

/* Adds an input; integers are whole numbers between the bounds. Gives its view. */
const tn_view *random_input(random_case *c, tn_dtype dtype, const tn_shape *shape, double low,
                            double high);

/* Adds inputs that are absent. */
void random_absent(random_case *c, uint32_t count);

/* Adds an attribute. */
void random_option(random_case *c, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void random_ints(random_case *c, const char *name, const int64_t *values, int32_t count);
void random_flag(random_case *c, const char *name);

/* Runs on both and compares: float32 to 1e-5 of the largest output, float16 to 1e-3, the rest
 * exactly. False with what was given, and what differs or failed, in `message`. */
bool random_run(random_case *c, char *message, size_t size);
void random_finish(random_case *c);

/* A family of operators and how their cases are made. */
typedef struct random_generator {
    const char *op;
    void (*make)(random_case *c);
} random_generator;

typedef struct random_family {
    const random_generator *generators;
    uint32_t count;
} random_family;

extern const random_family random_elementwise, random_moving, random_reducing, random_network,
    random_onnx;

#define RANDOM_FAMILY(name, table)                                                                 \
    const random_family name = {table, sizeof(table) / sizeof(table)[0]}

#endif
