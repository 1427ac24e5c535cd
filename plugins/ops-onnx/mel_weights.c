/* MelWeightMatrix: how much each bin of a spectrum counts for each band of the mel scale. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct mel_attributes {
    tn_dtype output_datatype;
} mel_attributes;

static const tn_attribute table[] = {
    TN_FIELD(mel_attributes, output_datatype, DTYPE, "float32", NULL, "The output's dtype."),
};

enum { BANDS, LENGTH, SAMPLE_RATE, LOWEST, HIGHEST };

static const char *const input_names[] = {"num_mel_bins", "dft_length", "sample_rate",
                                          "lower_edge_hertz", "upper_edge_hertz"};
static const char *const output_names[] = {"output"};
static const uint32_t value_inputs[] = {BANDS, LENGTH};

static tn_status matrix_shape(const tn_host *host, const tn_view *const *inputs,
                              tn_shape *out_shape) {
    int64_t bands, length;
    TN_TRY(single_integer(host, input_names[BANDS], inputs[BANDS], &bands));
    TN_TRY(single_integer(host, input_names[LENGTH], inputs[LENGTH], &length));
    if (bands < 0 || length < 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%lld bands of a spectrum of %lld",
                       (long long)bands, (long long)length);
    }
    const int64_t extents[] = {length / 2 + 1, bands};
    *out_shape = tn_shape_of(2, extents);
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const mel_attributes *own = call->attributes;
    tn_shape shape = tn_shape_of_rank(2);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, own->output_datatype));
    if (call->input_values[BANDS] != NULL && call->input_values[LENGTH] != NULL) {
        TN_TRY(matrix_shape(call->host, call->input_values, &shape));
    }
    return infer_output_shape(call, &shape);
}

const tn_op mel_weight_matrix_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each bin of a spectrum (rows) and each band, evenly spaced on the mel scale "
           "(columns), a weight that rises to 1 at the band's middle and falls again.",
    OP_ATTRIBUTES(table, mel_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(value_inputs),
    .infer = infer,
};

static double mel_of(double hertz) {
    return 2595 * log10(1 + hertz / 700);
}

static double hertz_of(double mel) {
    return 700 * (pow(10, mel / 2595) - 1);
}

/* The bin where edge number `edge` of the bands is. */
static double edge_bin(const double *numbers, int64_t edge) {
    const double low = mel_of(numbers[LOWEST]), high = mel_of(numbers[HIGHEST]);
    const double hertz = hertz_of(low + (double)edge * (high - low) / (numbers[BANDS] + 2));
    return floor((numbers[LENGTH] + 1) * hertz / numbers[SAMPLE_RATE]);
}

static double weight_of(double bin, double begin, double middle, double end) {
    if (bin >= begin && bin < middle) {
        return (bin - begin) / (middle - begin);
    }
    if (bin >= middle && bin < end) {
        return (end - bin) / (end - middle);
    }
    return bin == middle ? 1 : 0;
}

static tn_status run(const tn_run_call *call) {
    const tn_view *output = call->outputs[0];
    double numbers[5];
    tn_shape shape;
    TN_TRY(matrix_shape(call->host, call->inputs, &shape));
    TN_TRY(check_planned_shape(call->host, output, &shape));
    for (int i = 0; i < 5; i++) {
        if (tn_element_count(call->inputs[i]) != 1) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "%s is not one number", input_names[i]);
        }
        numbers[i] = read_number(call->inputs[i]->dtype, tn_data(call->inputs[i]), 0);
    }
    for (int64_t band = 0; band < output->shape[1]; band++) {
        const double begin = edge_bin(numbers, band), middle = edge_bin(numbers, band + 1);
        const double end = edge_bin(numbers, band + 2);
        for (int64_t bin = 0; bin < output->shape[0]; bin++) {
            write_number(output->dtype, tn_data(output), bin * output->shape[1] + band,
                         weight_of((double)bin, begin, middle, end));
        }
    }
    return TN_OK;
}

const tn_kernel mel_weight_matrix_kernel = {CPU_KERNEL("onnx.MelWeightMatrix"), .run = run};
