/* Cases of operators that move elements, or make them from nothing. */
#include "random_case.h"

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"

enum { MOST_AXES = 5 };

/* The data: anything, moved exactly. */
static const tn_view *add_data(random_case *c, tn_dtype dtype, const tn_shape *shape) {
    c->is_exact = true;
    return random_input(c, dtype, shape, 0, 100);
}

static int32_t any_axis(random_case *c, const tn_shape *shape) {
    return (int32_t)random_between(c, 0, shape->rank - 1);
}

/* From the front, or from the back. */
static void axis_option(random_case *c, const char *name, const tn_shape *shape, int32_t axis) {
    random_option(c, name, "%d", random_coin(c) ? axis : axis - shape->rank);
}

static void make_whole(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 5);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_transpose(random_case *c) {
    int64_t axes[MOST_AXES];
    const tn_shape shape = random_shape(c, 1, 5);
    for (int32_t i = 0; i < shape.rank; i++) {
        const int32_t place = (int32_t)random_between(c, 0, i);
        axes[i] = axes[place];
        axes[place] = i;
    }
    random_ints(c, "axes", axes, shape.rank);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_swap(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 5);
    axis_option(c, "dim1", &shape, any_axis(c, &shape));
    axis_option(c, "dim2", &shape, any_axis(c, &shape));
    add_data(c, random_any_dtype(c), &shape);
}

static void make_reverse(random_case *c) {
    int64_t axes[MOST_AXES];
    int32_t count = 0;
    const tn_shape shape = random_shape(c, 1, 5);
    for (int32_t i = 0; i < shape.rank; i++) {
        if (random_coin(c)) {
            axes[count++] = i;
        }
    }
    if (count == 0) {
        axes[count++] = any_axis(c, &shape);
    }
    random_ints(c, "axis", axes, count);
    add_data(c, random_any_dtype(c), &shape);
}

/* ---- Slices ---- */

static void make_slice(random_case *c) {
    int64_t begins[MOST_AXES], ends[MOST_AXES], steps[MOST_AXES];
    const tn_shape shape = random_full_shape(c, 1, 5);
    for (int32_t i = 0; i < shape.rank; i++) {
        const int64_t extent = shape.extents[i];
        const int64_t first = random_between(c, 0, extent - 1);
        const int64_t last = random_between(c, first, extent - 1);
        const bool backward = random_between(c, 0, 2) == 0 && first > 0;
        begins[i] = backward ? last : first;
        ends[i] = backward ? first - 1 : last + 1;
        steps[i] = (backward ? -1 : 1) * random_between(c, 1, 3);
    }
    random_ints(c, "begin", begins, shape.rank);
    random_ints(c, "end", ends, shape.rank);
    random_ints(c, "step", steps, shape.rank);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_slice_axis(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 5);
    const int32_t axis = any_axis(c, &shape);
    const int64_t begin = random_between(c, 0, shape.extents[axis] - 1);
    axis_option(c, "axis", &shape, axis);
    random_option(c, "begin", "%lld", (long long)begin);
    random_option(c, "end", "%lld", (long long)random_between(c, begin + 1, shape.extents[axis]));
    add_data(c, random_any_dtype(c), &shape);
}

static void make_slice_like(random_case *c) {
    const tn_dtype dtype = random_any_dtype(c);
    const tn_shape shape = random_full_shape(c, 1, 5);
    tn_shape part = shape;
    for (int32_t i = 0; i < part.rank; i++) {
        part.extents[i] = random_between(c, 1, part.extents[i]);
    }
    add_data(c, dtype, &shape);
    random_input(c, dtype, &part, 0, 1);
}

static void make_crop(random_case *c) {
    const tn_shape shape = random_full_shape(c, 4, 4);
    const int64_t height = random_between(c, 1, shape.extents[2]);
    const int64_t width = random_between(c, 1, shape.extents[3]);
    const int64_t offset[] = {random_between(c, 0, shape.extents[2] - height),
                              random_between(c, 0, shape.extents[3] - width)};
    const int64_t extents[] = {height, width};
    random_option(c, "num_args", "1");
    random_ints(c, "offset", offset, 2);
    random_ints(c, "h_w", extents, 2);
    random_flag(c, "center_crop");
    add_data(c, random_float(c), &shape);
}

static void make_split(random_case *c) {
    tn_shape shape = random_full_shape(c, 1, 4);
    const int32_t axis = any_axis(c, &shape);
    const int64_t parts = random_between(c, 1, 5);
    shape.extents[axis] = parts * random_between(c, 1, 6);
    random_option(c, "num_outputs", "%lld", (long long)parts);
    axis_option(c, "axis", &shape, axis);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_split_by_sections(random_case *c) {
    tn_shape shape = random_full_shape(c, 1, 4);
    const int32_t axis = any_axis(c, &shape);
    const int64_t parts = random_between(c, 1, 5);
    shape.extents[axis] = parts + random_between(c, 0, 9);
    random_option(c, "indices", "()");
    random_option(c, "sections", "%lld", (long long)parts);
    axis_option(c, "axis", &shape, axis);
    add_data(c, random_any_dtype(c), &shape);
}

/* ---- Joining, repeating, growing ---- */

static void make_concat(random_case *c) {
    const tn_dtype dtype = random_any_dtype(c);
    tn_shape shape = random_shape(c, 1, 5);
    const int32_t axis = any_axis(c, &shape);
    const int64_t count = random_between(c, 1, 6);
    random_option(c, "dim", "%d", axis);
    for (int64_t i = 0; i < count; i++) {
        shape.extents[axis] = random_between(c, 1, 9);
        add_data(c, dtype, &shape);
    }
}

static void make_stack(random_case *c) {
    const tn_dtype dtype = random_any_dtype(c);
    const tn_shape shape = random_shape(c, 1, 4);
    const int64_t count = random_between(c, 1, 6);
    random_option(c, "axis", "%lld", (long long)random_between(c, 0, shape.rank));
    for (int64_t i = 0; i < count; i++) {
        add_data(c, dtype, &shape);
    }
}

static void make_tile(random_case *c) {
    int64_t times[MOST_AXES];
    const tn_shape shape = random_shape(c, 1, 4);
    const int32_t count = (int32_t)random_between(c, 1, shape.rank);
    for (int32_t i = 0; i < count; i++) {
        times[i] = random_between(c, 1, 3);
    }
    random_ints(c, "reps", times, count);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_repeat(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "repeats", "%lld", (long long)random_between(c, 1, 4));
    if (random_coin(c)) {
        axis_option(c, "axis", &shape, any_axis(c, &shape));
    }
    add_data(c, random_any_dtype(c), &shape);
}

static void make_pad(random_case *c) {
    static const char *const modes[] = {"constant", "edge", "reflect"};
    int64_t widths[2 * MOST_AXES] = {0};
    const tn_shape shape = random_full_shape(c, 4, 5);
    for (int32_t i = 2; i < shape.rank; i++) { /* a mirror image is shorter than what it shows */
        widths[2 * i] = random_between(c, 0, shape.extents[i] - 1);
        widths[2 * i + 1] = random_between(c, 0, shape.extents[i] - 1);
    }
    random_option(c, "mode", "%s", random_word(c, modes, 3));
    random_ints(c, "pad_width", widths, 2 * shape.rank);
    random_option(c, "constant_value", "%lld", (long long)random_between(c, 0, 9));
    add_data(c, random_any_dtype(c), &shape);
}

/* A shape with some extents of 1, and in `full` the shape that it is to become. */
static tn_shape thin_shape(random_case *c, tn_shape *full) {
    *full = random_full_shape(c, 1, 5);
    tn_shape thin = *full;
    for (int32_t i = 0; i < thin.rank; i++) {
        thin.extents[i] = random_coin(c) ? 1 : thin.extents[i];
    }
    return thin;
}

static void make_broadcast_to(random_case *c) {
    tn_shape full;
    const tn_shape thin = thin_shape(c, &full);
    random_ints(c, "shape", full.extents, full.rank);
    add_data(c, random_any_dtype(c), &thin);
}

static void make_broadcast_like(random_case *c) {
    const tn_dtype dtype = random_any_dtype(c);
    tn_shape full;
    const tn_shape thin = thin_shape(c, &full);
    add_data(c, dtype, &thin);
    random_input(c, dtype, &full, 0, 1);
}

static void make_broadcast_axis(random_case *c) {
    tn_shape shape = random_full_shape(c, 1, 5);
    const int32_t axis = any_axis(c, &shape);
    shape.extents[axis] = 1;
    const int64_t axes[] = {axis}, sizes[] = {random_between(c, 1, 9)};
    random_ints(c, "axis", axes, 1);
    random_ints(c, "size", sizes, 1);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_upsampling(random_case *c) {
    const tn_shape shape = random_full_shape(c, 4, 4);
    random_option(c, "scale", "%lld", (long long)random_between(c, 1, 3));
    random_option(c, "sample_type", "nearest");
    random_option(c, "num_args", "1");
    add_data(c, random_float(c), &shape);
}

/* ---- Other shapes of the same elements ---- */

static void make_expand(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "axis", "%lld", (long long)random_between(c, 0, shape.rank));
    add_data(c, random_any_dtype(c), &shape);
}

static void make_squeeze(random_case *c) {
    tn_shape shape = random_shape(c, 2, 5);
    const int32_t axis = any_axis(c, &shape);
    shape.extents[axis] = 1;
    random_option(c, "axis", "%d", axis);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_reshape(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 5);
    const int64_t codes[] = {shape.extents[shape.rank - 1], -1};
    random_ints(c, "shape", codes, 2);
    add_data(c, random_any_dtype(c), &shape);
}

static void make_reshape_like(random_case *c) {
    const tn_dtype dtype = random_any_dtype(c);
    const tn_shape shape = random_full_shape(c, 1, 5);
    const int64_t count = tn_extent_product(shape.extents, 0, shape.rank);
    const tn_shape flat = random_shape_of(1, &count);
    add_data(c, dtype, &shape);
    random_input(c, dtype, &flat, 0, 1);
}

static void make_blocks(random_case *c) {
    const int64_t block = random_between(c, 1, 3);
    const bool from_depth = c->op[0] == 'd';
    const int64_t extents[] = {random_between(c, 1, 3),
                               random_between(c, 1, 4) * (from_depth ? block * block : 1),
                               random_between(c, 1, 5) * (from_depth ? 1 : block),
                               random_between(c, 1, 5) * (from_depth ? 1 : block)};
    const tn_shape shape = random_shape_of(4, extents);
    random_option(c, "block_size", "%lld", (long long)block);
    add_data(c, random_any_dtype(c), &shape);
}

/* ---- By indices ---- */

static tn_dtype index_type(random_case *c) {
    static const tn_dtype types[] = {TN_F32, TN_I32, TN_I64};
    return c->is_plain ? TN_F32 : types[random_between(c, 0, 2)];
}

static void make_take(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 4), places = random_shape(c, 1, 2);
    axis_option(c, "axis", &shape, any_axis(c, &shape));
    random_option(c, "mode", "%s", random_coin(c) ? "clip" : "wrap");
    tn_shape few = places;
    for (int32_t i = 0; i < few.rank; i++) {
        few.extents[i] = few.extents[i] > 12 ? 12 : few.extents[i];
    }
    add_data(c, random_any_dtype(c), &shape);
    random_input(c, index_type(c), &few, -20, 20);
}

static void make_embedding(random_case *c) {
    const tn_shape places = random_shape(c, 1, 2);
    const int64_t extents[] = {random_between(c, 1, 30), random_between(c, 1, 20)};
    const tn_shape weight = random_shape_of(2, extents);
    random_option(c, "input_dim", "%lld", (long long)extents[0]);
    random_option(c, "output_dim", "%lld", (long long)extents[1]);
    c->is_exact = true;
    random_input(c, index_type(c), &places, -3, 33);
    random_input(c, TN_F32, &weight, -1, 1);
}

static void make_pick(random_case *c) {
    const tn_shape shape = random_full_shape(c, 2, 4);
    const int32_t axis = any_axis(c, &shape);
    tn_shape places = shape;
    places.extents[axis] = 1;
    random_option(c, "axis", "%d", axis);
    random_option(c, "mode", "%s", random_coin(c) ? "clip" : "wrap");
    random_option(c, "keepdims", "True");
    add_data(c, random_any_dtype(c), &shape);
    random_input(c, index_type(c), &places, -20, 20);
}

static void make_one_hot(random_case *c) {
    const tn_shape places = random_shape(c, 1, 2);
    random_option(c, "depth", "%lld", (long long)random_between(c, 1, 9));
    c->is_exact = true;
    random_input(c, index_type(c), &places, -2, 12);
}

static void make_gather_nd(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 4);
    const int64_t extents[] = {random_between(c, 1, shape.rank), random_between(c, 1, 30)};
    const tn_shape places = random_shape_of(2, extents);
    add_data(c, random_any_dtype(c), &shape);
    const tn_view *view = random_input(c, index_type(c), &places, 0, 0);
    for (int64_t i = 0; i < extents[0] * extents[1]; i++) {
        const int64_t extent = shape.extents[i / extents[1]];
        test_set_element(view, i, (double)random_between(c, -extent, extent - 1));
    }
}

static void make_sequence(random_case *c) {
    const tn_shape shape = random_full_shape(c, 2, 4);
    const int32_t axis = c->op[8] == 'R' ? 0 : (int32_t)random_between(c, 0, 1);
    const tn_shape lengths = random_shape_of(1, &shape.extents[1 - axis]);
    random_option(c, "use_sequence_length", "True");
    random_option(c, "axis", "%d", axis);
    add_data(c, random_any_dtype(c), &shape);
    random_input(c, c->is_plain || random_coin(c) ? TN_F32 : TN_I32, &lengths, 1,
                 (double)shape.extents[axis]);
}

/* ---- From nothing ---- */

static const char *any_type_name(random_case *c) {
    static const char *const types[] = {"float32", "float16", "int32", "int64", "uint8"};
    return c->is_plain ? "float32" : random_word(c, types, 5);
}

static void make_filled(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    random_ints(c, "shape", shape.extents, shape.rank);
    random_option(c, "dtype", "%s", any_type_name(c));
    if (c->op[1] == 'f') {
        random_option(c, "value", "%lld", (long long)random_between(c, 0, 100));
    }
    c->is_exact = true;
}

static void make_range(random_case *c) {
    const int64_t start = random_between(c, 0, 50);
    random_option(c, "start", "%lld", (long long)start);
    random_option(c, "stop", "%lld", (long long)random_between(c, start + 1, start + 70));
    random_option(c, "step", "%lld", (long long)random_between(c, 1, 3));
    random_option(c, "repeat", "%lld", (long long)random_between(c, 1, 3));
    random_option(c, "dtype", "%s", any_type_name(c));
}

static const random_generator generators[] = {
    {"transpose", make_transpose},
    {"SwapAxis", make_swap},
    {"reverse", make_reverse},
    {"slice", make_slice},
    {"slice_axis", make_slice_axis},
    {"slice_like", make_slice_like},
    {"Crop", make_crop},
    {"SliceChannel", make_split},
    {"_split_v2", make_split_by_sections},
    {"Concat", make_concat},
    {"stack", make_stack},
    {"tile", make_tile},
    {"repeat", make_repeat},
    {"Pad", make_pad},
    {"broadcast_to", make_broadcast_to},
    {"broadcast_like", make_broadcast_like},
    {"broadcast_axis", make_broadcast_axis},
    {"UpSampling", make_upsampling},
    {"expand_dims", make_expand},
    {"squeeze", make_squeeze},
    {"Reshape", make_reshape},
    {"reshape_like", make_reshape_like},
    {"Flatten", make_whole},
    {"depth_to_space", make_blocks},
    {"space_to_depth", make_blocks},
    {"take", make_take},
    {"Embedding", make_embedding},
    {"pick", make_pick},
    {"one_hot", make_one_hot},
    {"gather_nd", make_gather_nd},
    {"SequenceMask", make_sequence},
    {"SequenceReverse", make_sequence},
    {"SequenceLast", make_sequence},
    {"_zeros", make_filled},
    {"_ones", make_filled},
    {"_full", make_filled},
    {"_arange", make_range},
};

RANDOM_FAMILY(random_moving, generators);
