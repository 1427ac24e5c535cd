#include "random_case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"

/* ---- Numbers ---- */

/* splitmix64 */
static uint64_t next(random_case *c) {
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t random_between(random_case *c, int64_t low, int64_t high) {
    return low + (int64_t)(next(c) % (uint64_t)(high - low + 1));
}

double random_uniform(random_case *c, double low, double high) {
    return low + (high - low) * ((double)(next(c) >> 11) * 0x1p-53);
}

bool random_coin(random_case *c) {
    return random_between(c, 0, 1) == 1;
}

const char *random_word(random_case *c, const char *const *words, uint32_t count) {
    return words[random_between(c, 0, (int64_t)count - 1)];
}

tn_dtype random_float(random_case *c) {
    return c->is_plain || random_between(c, 0, 2) > 0 ? TN_F32 : TN_F16;
}

tn_dtype random_dtype(random_case *c) {
    static const tn_dtype whole[] = {TN_I8, TN_U8, TN_I32, TN_I64};
    return c->is_plain || random_between(c, 0, 2) > 0 ? random_float(c)
                                                      : whole[random_between(c, 0, 3)];
}

tn_dtype random_any_dtype(random_case *c) {
    static const tn_dtype more[] = {TN_BF16, TN_F64};
    return c->is_plain || random_between(c, 0, 2) > 0 ? random_dtype(c)
                                                      : more[random_between(c, 0, 1)];
}

bool random_is_float(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F64;
}

/* ---- Shapes, inputs, attributes ---- */

tn_shape random_full_shape(random_case *c, int32_t least_rank, int32_t most_rank) {
    static const int64_t most[] = {1, 5000, 90, 20, 9, 6, 4};
    tn_shape shape = {.rank = (int32_t)random_between(c, least_rank, most_rank)};
    for (int32_t i = 0; i < shape.rank; i++) {
        shape.extents[i] =
            random_between(c, 0, 5) == 0 ? 1 : random_between(c, 1, most[shape.rank]);
    }
    if (shape.rank > 0 && random_coin(c)) { /* rows that kernels take four elements at a time */
        int64_t *last = &shape.extents[shape.rank - 1];
        *last = (*last + 3) / 4 * 4;
    }
    return shape;
}

tn_shape random_shape(random_case *c, int32_t least_rank, int32_t most_rank) {
    tn_shape shape = random_full_shape(c, least_rank, most_rank);
    if (!c->is_plain && shape.rank > 0 && random_between(c, 0, 29) == 0) {
        shape.extents[random_between(c, 0, shape.rank - 1)] = 0;
    }
    return shape;
}

tn_shape random_shape_of(int32_t rank, const int64_t *extents) {
    tn_shape shape = {.rank = rank};
    memcpy(shape.extents, extents, (size_t)rank * sizeof *extents);
    return shape;
}

const tn_view *random_input(random_case *c, tn_dtype dtype, const tn_shape *shape, double low,
                            double high) {
    tn_tensor **tensor = &c->inputs[c->input_count++];
    if (tn_tensor_create(c->runtime, dtype, shape->rank, shape->extents, tensor) != TN_OK) {
        fprintf(stderr, "# %s\n", tn_error_message());
        abort();
    }
    const tn_view *view = tn_tensor_view(*tensor);
    const int64_t count = tn_element_count(view);
    for (int64_t i = 0; i < count; i++) {
        test_set_element(view, i,
                         random_is_float(dtype)
                             ? random_uniform(c, low, high)
                             : (double)random_between(c, (int64_t)ceil(low), (int64_t)floor(high)));
    }
    return view;
}

void random_option(random_case *c, const char *name, const char *format, ...) {
    char *text = c->texts[c->option_count];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, RANDOM_TEXT, format, arguments);
    va_end(arguments);
    c->options[c->option_count++] = (tn_option){name, text};
}

void random_ints(random_case *c, const char *name, const int64_t *values, int32_t count) {
    char list[RANDOM_TEXT] = "(";
    for (int32_t i = 0; i < count; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%lld,", (long long)values[i]);
    }
    random_option(c, name, "%.150s)", list);
}

void random_flag(random_case *c, const char *name) {
    random_option(c, name, "%s", random_coin(c) ? "True" : "False");
}

/* ---- Running ---- */

static void describe(const random_case *c, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s", c->op);
    for (uint32_t i = 0; i < c->option_count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, " %s=%s", c->options[i].name,
                                 c->options[i].value);
    }
    for (uint32_t i = 0; i < c->input_count && used < size; i++) {
        char extents[256];
        if (c->inputs[i] == NULL) {
            used += (size_t)snprintf(text + used, size - used, " -");
            continue;
        }
        const tn_view *view = tn_tensor_view(c->inputs[i]);
        const tn_shape shape = tn_shape_of(view->rank, view->shape);
        used += (size_t)snprintf(text + used, size - used, " %s%s", tn_dtype_text(view->dtype),
                                 tn_shape_text(&shape, extents, sizeof extents));
    }
}

static double tolerance(const random_case *c, const tn_view *expected) {
    double largest = 0;
    if (c->is_exact || (expected->dtype != TN_F32 && expected->dtype != TN_F16)) {
        return 0;
    }
    for (int64_t i = 0; i < tn_element_count(expected); i++) {
        const double magnitude = fabs(test_element(expected, i));
        largest = isfinite(magnitude) && magnitude > largest ? magnitude : largest;
    }
    return largest * (expected->dtype == TN_F32 ? 1e-5 : 1e-3);
}

static bool agree(const random_case *c, tn_tensor *const *got, tn_tensor *const *expected,
                  uint32_t count, char *message, size_t size) {
    for (uint32_t i = 0; i < count; i++) {
        const tn_view *view = tn_tensor_view(expected[i]);
        const size_t used = strlen(message);
        snprintf(message + used, size - used, ": output %u: ", i);
        if (!test_tensors_agree(tn_tensor_view(got[i]), view, 0, tolerance(c, view),
                                message + strlen(message), size - strlen(message))) {
            return false;
        }
        message[used] = '\0';
    }
    return true;
}

/* An eager call has all inputs. */
static tn_status run_on_cpu(random_case *c, tn_tensor **expected, uint32_t count) {
    tn_device *cpu;
    tn_status status = tn_device_open(c->runtime, "cpu", &cpu);
    if (status == TN_OK) {
        status = test_run_node(c->runtime, cpu, c->op, c->options, c->option_count, c->inputs,
                               c->input_count, 0, expected, count, NULL);
        tn_device_close(cpu);
    }
    return status;
}

static tn_status run_both(random_case *c, tn_tensor **expected, tn_tensor **got, uint32_t *count) {
    tn_status status = tn_invoke_output_count(c->runtime, c->op, c->options, c->option_count,
                                              c->input_count, count);
    if (status == TN_OK && *count > RANDOM_MAX_INPUTS) {
        return TN_OUT_OF_RANGE;
    }
    if (status == TN_OK) {
        status = c->has_absent ? run_on_cpu(c, expected, *count)
                               : tn_invoke(c->runtime, c->op, c->options, c->option_count,
                                           c->inputs, c->input_count, expected, *count);
    }
    if (status == TN_OK) {
        status = test_run_node(c->runtime, c->device, c->op, c->options, c->option_count, c->inputs,
                               c->input_count, 0, got, *count, &c->ran_on_device);
    }
    return status;
}

bool random_run(random_case *c, char *message, size_t size) {
    tn_tensor *expected[RANDOM_MAX_INPUTS] = {NULL}, *got[RANDOM_MAX_INPUTS] = {NULL};
    uint32_t count = 0;
    describe(c, message, size);
    const tn_status status = run_both(c, expected, got, &count);
    if (status != TN_OK) {
        const size_t used = strlen(message);
        snprintf(message + used, size - used, ": %s", tn_error_message());
    }
    const bool passed = status == TN_OK && agree(c, got, expected, count, message, size);
    for (uint32_t i = 0; i < RANDOM_MAX_INPUTS; i++) {
        tn_tensor_release(expected[i]);
        tn_tensor_release(got[i]);
    }
    return passed;
}

void random_absent(random_case *c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        c->inputs[c->input_count++] = NULL;
    }
    c->has_absent = true;
}

void random_finish(random_case *c) {
    for (uint32_t i = 0; i < c->input_count; i++) {
        tn_tensor_release(c->inputs[i]);
    }
    c->input_count = 0;
    c->option_count = 0;
}
