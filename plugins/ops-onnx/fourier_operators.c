/* DFT and STFT. Complex numbers are a last axis of extent 2, real ones of extent 1. */
#include "elements.h"
#include "families.h"
#include "fourier.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

static const char *const output_names[] = {"output"};

/* DFT */

typedef struct dft_attributes {
    int64_t axis;
    int32_t inverse;
    int32_t onesided;
} dft_attributes;

static const tn_attribute dft_table[] = {
    TN_FIELD(dft_attributes, axis, INT, "-2", "[-32,31]",
             "The axis of the signal, when it is not "
             "an input."),
    TN_FIELD(dft_attributes, inverse, BOOL, "False", NULL, "Whether it is the inverse transform."),
    TN_FIELD(dft_attributes, onesided, BOOL, "False", NULL,
             "Whether only the first half of the spectrum is there, as a real signal has it."),
};

static const char *const dft_names[] = {"input", "dft_length", "axis"};
static const uint32_t dft_optional[] = {1, 2};

/* The transform: its axis, its length, and how many numbers go in and come out. */
typedef struct dft_plan {
    int32_t axis;
    int64_t length, given, made, parts; /* parts: of a number that comes out */
} dft_plan;

static tn_status plan_dft(const tn_host *host, const dft_attributes *own, const tn_shape *data,
                          const tn_view *length, const tn_view *axis, dft_plan *out_plan) {
    const int is_real_inverse = own->inverse && own->onesided;
    int64_t named = own->axis;
    dft_plan plan = {.parts = is_real_inverse ? 1 : 2};
    if (axis != NULL) {
        TN_TRY(single_integer(host, "axis", axis, &named));
    }
    TN_TRY(tn_resolve_axis(host, named, data->rank, &plan.axis));
    if (plan.axis == data->rank - 1 || (data->extents[data->rank - 1] > 2)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "the last axis of the input is not that of real and imaginary parts");
    }
    plan.given = data->extents[plan.axis];
    plan.length = is_real_inverse ? 2 * (plan.given - 1) : plan.given;
    if (length != NULL) {
        TN_TRY(single_integer(host, "dft_length", length, &plan.length));
    }
    if (plan.length < 1 || plan.length > INT32_MAX) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the length of the transform is %lld",
                       (long long)plan.length);
    }
    plan.made = own->onesided && !own->inverse ? plan.length / 2 + 1 : plan.length;
    *out_plan = plan;
    return TN_OK;
}

static int is_connected(const tn_infer_call *call, uint32_t input) {
    return call->inputs[input].dtype != 0 || call->inputs[input].shape.rank >= 0;
}

static tn_status infer_dft(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape;
    dft_plan plan;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 2) {
        return data->rank < 0 ? TN_OK
                              : tn_fail(call->host, TN_INVALID_ARGUMENT, "the input has one axis");
    }
    tn_shape result = tn_shape_of_rank(data->rank);
    const int is_known = tn_shape_is_known(data) &&
                         (!is_connected(call, 1) || call->input_values[1] != NULL) &&
                         (!is_connected(call, 2) || call->input_values[2] != NULL);
    if (is_known) {
        TN_TRY(plan_dft(call->host, call->attributes, data, call->input_values[1],
                        call->input_values[2], &plan));
        result = *data;
        result.extents[plan.axis] = plan.made;
        result.extents[data->rank - 1] = plan.parts;
    }
    return infer_output_shape(call, &result);
}

const tn_op dft_op = {
    .struct_size = TN_OP_SIZE,
    .doc =
        "The discrete Fourier transform along an axis, of a signal that is cut or filled up with "
        "zeros to the transform's length.",
    OP_ATTRIBUTES(dft_table, dft_attributes),
    OP_INPUTS(dft_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(dft_optional),
    OP_VALUE_INPUTS(dft_optional),
    .infer = infer_dft,
};

/* Room for the twiddles, a line that goes in and one that comes out. The output's shape tells the
 * length, or for half a spectrum about half of it. */
static tn_status prepare_dft(tn_prepare_call *call) {
    const tn_view *output = call->outputs[0], *data = call->inputs[0];
    int64_t longest = 1;
    for (int32_t i = 0; i < output->rank; i++) {
        longest = output->shape[i] > longest ? output->shape[i] : longest;
        longest = data->shape[i] > longest ? data->shape[i] : longest;
    }
    if (longest > INT32_MAX) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "the transform is too long");
    }
    call->workspace_size = (uint64_t)(6 * (2 * longest + 2)) * sizeof(double);
    return TN_OK;
}

/* A line of complex numbers; the missing half of a spectrum is the conjugate of the other. */
static void load_line(const tn_view *data, const dft_plan *plan, int fills_half, int64_t first,
                      int64_t stride, double *line) {
    const int64_t parts = data->shape[data->rank - 1];
    const int64_t count = plan->given < plan->length ? plan->given : plan->length;
    memset(line, 0, (size_t)(2 * plan->length) * sizeof *line);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t part = 0; part < parts; part++) {
            line[2 * i + part] =
                number_at(data->dtype, tn_data(data), (first + i * stride) * parts + part);
        }
    }
    for (int64_t i = plan->length / 2 + 1; fills_half && i < plan->length; i++) {
        line[2 * i] = line[2 * (plan->length - i)];
        line[2 * i + 1] = -line[2 * (plan->length - i) + 1];
    }
}

static tn_status run_dft(const tn_run_call *call) {
    const dft_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const tn_shape shape = shape_of_view(data);
    dft_plan plan;
    TN_TRY(plan_dft(call->host, own, &shape, run_input(call, 1), run_input(call, 2), &plan));
    tn_shape result = shape;
    result.extents[plan.axis] = plan.made;
    result.extents[shape.rank - 1] = plan.parts;
    TN_TRY(check_planned_shape(call->host, output, &result));
    const int64_t inner = tn_extent_product(shape.extents, plan.axis + 1, shape.rank - 1);
    const int64_t lines = tn_extent_product(shape.extents, 0, plan.axis) * inner;
    const double factor = own->inverse ? 1 / (double)plan.length : 1;
    double *table = call->workspace, *line = table + 2 * plan.length;
    double *spectrum = line + 2 * plan.length;
    fill_twiddles(plan.length, table);
    for (int64_t i = 0; i < lines; i++) {
        const int64_t outer = i / inner, offset = i % inner;
        load_line(data, &plan, own->inverse && own->onesided, outer * plan.given * inner + offset,
                  inner, line);
        transform_line(line, plan.length, table, own->inverse, plan.made, spectrum);
        for (int64_t k = 0; k < plan.made * plan.parts; k++) {
            const int64_t number = k / plan.parts, part = k % plan.parts;
            const int64_t place = (outer * plan.made + number) * inner + offset;
            write_number(output->dtype, tn_data(output), place * plan.parts + part,
                         spectrum[2 * number + part] * factor);
        }
    }
    return TN_OK;
}

const tn_kernel dft_kernel = {CPU_KERNEL("onnx.DFT"), .supports = supports_floating_first_input,
                              .prepare = prepare_dft, .run = run_dft};

/* STFT */

typedef struct stft_attributes {
    int32_t onesided;
} stft_attributes;

static const tn_attribute stft_table[] = {
    TN_FIELD(stft_attributes, onesided, BOOL, "True", NULL,
             "Whether only the first half of a spectrum comes out."),
};

static const char *const stft_names[] = {"signal", "frame_step", "window", "frame_length"};
static const uint32_t stft_optional[] = {2, 3};
static const uint32_t stft_values[] = {1, 3};

typedef struct stft_plan {
    int64_t step, length, frames, bins;
} stft_plan;

/* `window` is the window's extent, -1 without one. */
static tn_status plan_stft(const tn_host *host, const stft_attributes *own, const tn_shape *signal,
                           const tn_view *step, int64_t window, const tn_view *length,
                           stft_plan *out_plan) {
    stft_plan plan = {.length = window >= 0 ? window : signal->extents[1]};
    TN_TRY(single_integer(host, "frame_step", step, &plan.step));
    if (length != NULL) {
        TN_TRY(single_integer(host, "frame_length", length, &plan.length));
    }
    if (signal->rank < 2 || signal->rank > 3 || plan.step < 1 || plan.length < 1 ||
        plan.length > signal->extents[1] || (window >= 0 && window != plan.length)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "frames of %lld, %lld apart, do not fit the signal or the window",
                       (long long)plan.length, (long long)plan.step);
    }
    plan.frames = 1 + (signal->extents[1] - plan.length) / plan.step;
    plan.bins = own->onesided ? plan.length / 2 + 1 : plan.length;
    *out_plan = plan;
    return TN_OK;
}

static tn_status infer_stft(tn_infer_call *call) {
    const tn_shape *signal = &call->inputs[0].shape, *window = &call->inputs[2].shape;
    tn_shape result = tn_shape_of_rank(4);
    stft_plan plan;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (tn_shape_is_known(signal) && call->input_values[1] != NULL &&
        (!is_connected(call, 3) || call->input_values[3] != NULL) &&
        (!is_connected(call, 2) || tn_shape_is_known(window))) {
        TN_TRY(plan_stft(call->host, call->attributes, signal, call->input_values[1],
                         window->rank == 1 ? window->extents[0] : -1, call->input_values[3],
                         &plan));
        result.extents[0] = signal->extents[0];
        result.extents[1] = plan.frames;
        result.extents[2] = plan.bins;
        result.extents[3] = 2;
    }
    return infer_output_shape(call, &result);
}

const tn_op stft_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The Fourier transforms of frames of a signal, each multiplied by a window first.",
    OP_ATTRIBUTES(stft_table, stft_attributes),
    OP_INPUTS(stft_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(stft_optional),
    OP_VALUE_INPUTS(stft_values),
    .infer = infer_stft,
};

static tn_status prepare_stft(tn_prepare_call *call) {
    call->workspace_size = (uint64_t)(6 * call->inputs[0]->shape[1] + 6) * sizeof(double);
    return TN_OK;
}

static tn_status run_stft(const tn_run_call *call) {
    const tn_view *signal = call->inputs[0], *window = run_input(call, 2);
    const tn_view *output = call->outputs[0];
    const tn_shape shape = shape_of_view(signal);
    const int64_t parts = shape.rank == 3 ? shape.extents[2] : 1;
    stft_plan plan;
    TN_TRY(plan_stft(call->host, call->attributes, &shape, call->inputs[1],
                     window == NULL ? -1 : tn_element_count(window), run_input(call, 3), &plan));
    const int64_t extents[] = {shape.extents[0], plan.frames, plan.bins, 2};
    const tn_shape result = tn_shape_of(4, extents);
    TN_TRY(check_planned_shape(call->host, output, &result));
    if (parts > 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "the signal's last axis is not that of "
                       "real and imaginary parts");
    }
    double *table = call->workspace, *line = table + 2 * plan.length;
    double *spectrum = line + 2 * plan.length;
    fill_twiddles(plan.length, table);
    for (int64_t i = 0; i < shape.extents[0] * plan.frames; i++) {
        const int64_t start = i / plan.frames * shape.extents[1] + i % plan.frames * plan.step;
        memset(line, 0, (size_t)(2 * plan.length) * sizeof *line);
        for (int64_t k = 0; k < plan.length * parts; k++) {
            const double weight =
                window == NULL ? 1 : number_at(window->dtype, tn_data(window), k / parts);
            line[k / parts * 2 + k % parts] =
                weight * number_at(signal->dtype, tn_data(signal), start * parts + k);
        }
        transform_line(line, plan.length, table, 0, plan.bins, spectrum);
        write_doubles(output->dtype, tn_data(output), i * plan.bins * 2, 1, plan.bins * 2,
                      spectrum);
    }
    return TN_OK;
}

const tn_kernel stft_kernel = {CPU_KERNEL("onnx.STFT"), .supports = supports_floating_first_input,
                               .prepare = prepare_stft, .run = run_stft};
