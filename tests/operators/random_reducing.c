/* Cases of operators that fold elements along axes. */
#include <string.h>

#include "random_case.h"

/* Now and then one axis is long. */
static tn_shape any_shape(random_case *c) {
    static const int64_t forms[][3] = {
        {1, 150000, 1}, {30, 900, 1}, {900, 30, 1}, {6, 700, 8}, {2, 5000, 3}};
    if (random_between(c, 0, 2) > 0) {
        return random_full_shape(c, 1, 5);
    }
    int64_t extents[3];
    const int64_t *form = forms[random_between(c, 0, 4)];
    for (int i = 0; i < 3; i++) {
        extents[i] = random_between(c, (form[i] + 1) / 2, form[i]);
    }
    return random_shape_of(3, extents);
}

/* Values whose fold neither overflows nor loses all digits. */
static void add_data(random_case *c, const tn_shape *shape) {
    const bool is_product = strstr(c->op, "prod") != NULL;
    const bool is_norm = strcmp(c->op, "norm") == 0;
    const tn_dtype dtype = is_norm || is_product ? random_float(c) : random_dtype(c);
    if (is_product) {
        random_input(c, dtype, shape, 0.97, 1.03);
    } else if (random_is_float(dtype)) {
        random_input(c, dtype, shape, random_coin(c) ? 0 : -1, 1);
    } else {
        random_input(c, dtype, shape, dtype == TN_U8 ? 0 : -50, 50);
    }
}

static void make_fold(random_case *c) {
    const tn_shape shape = any_shape(c);
    int64_t axes[5];
    int32_t count = 0;
    for (int32_t i = 0; i < shape.rank; i++) {
        if (random_coin(c)) {
            axes[count++] = random_coin(c) ? i : i - shape.rank;
        }
    }
    if (count > 0) {
        random_ints(c, "axis", axes, count);
    }
    if (strcmp(c->op, "norm") == 0) {
        random_option(c, "ord", "%lld", (long long)random_between(c, 1, 2));
    } else if (count > 0 && count < shape.rank && random_coin(c)) {
        random_option(c, "exclude", "True");
    }
    random_flag(c, "keepdims");
    add_data(c, &shape);
}

static void make_extreme(random_case *c) {
    const tn_shape shape = any_shape(c);
    if (strcmp(c->op, "argmax_channel") != 0) {
        random_option(c, "axis", "%lld", (long long)random_between(c, 0, shape.rank - 1));
        random_flag(c, "keepdims");
        add_data(c, &shape);
        return;
    }
    const tn_shape two = random_full_shape(c, 2, 2);
    add_data(c, &two);
}

static void make_softmax(random_case *c) {
    const tn_shape shape = any_shape(c);
    random_option(c, "axis", "%lld", (long long)random_between(c, -shape.rank, shape.rank - 1));
    if (random_coin(c)) {
        random_option(c, "temperature", "%.3f", random_uniform(c, 0.5, 3));
    }
    random_input(c, random_float(c), &shape, -8, 8);
}

static const random_generator generators[] = {
    {"sum", make_fold},
    {"mean", make_fold},
    {"max", make_fold},
    {"min", make_fold},
    {"prod", make_fold},
    {"nansum", make_fold},
    {"nanprod", make_fold},
    {"norm", make_fold},
    {"argmax", make_extreme},
    {"argmin", make_extreme},
    {"argmax_channel", make_extreme},
    {"softmax", make_softmax},
    {"log_softmax", make_softmax},
    {"softmin", make_softmax},
};

RANDOM_FAMILY(random_reducing, generators);
