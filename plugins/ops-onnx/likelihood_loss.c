/* NegativeLogLikelihoodLoss: the mean, the sum or each of the losses of classes that are given. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct loss_attributes {
    int64_t ignore_index;
    int32_t reduction;
} loss_attributes;

enum { REDUCTION_NONE, REDUCTION_SUM, REDUCTION_MEAN };
enum { LIKELIHOODS, TARGETS, CLASS_WEIGHTS };

static const tn_attribute table[] = {
    TN_FIELD_OR_NONE(loss_attributes, ignore_index, INT, "None", NULL,
                     "A target that adds nothing to the loss."),
    TN_FIELD_CHOICE(loss_attributes, reduction, "mean", "none|sum|mean",
                    "What becomes of the losses; the mean is weighted."),
};

static const char *const input_names[] = {"input", "target", "weight"};
static const char *const output_names[] = {"loss"};
static const uint32_t optional[] = {CLASS_WEIGHTS};

static tn_status infer(tn_infer_call *call) {
    const loss_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[LIKELIHOODS].shape;
    TN_TRY(infer_output_dtype_like(call, LIKELIHOODS));
    if (own->reduction != REDUCTION_NONE) {
        const tn_shape scalar = tn_shape_of(0, NULL);
        TN_TRY(infer_output_shape(call, &scalar));
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    if (data->rank < 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the input has no axis of classes");
    }
    tn_shape targets = tn_shape_of(1, data->extents);
    for (int32_t i = 2; i < data->rank; i++) {
        targets.extents[targets.rank++] = data->extents[i];
    }
    TN_TRY(tn_infer_shape(call->host, "target", &call->inputs[TARGETS].shape, &targets));
    if (call->inputs[CLASS_WEIGHTS].shape.rank >= 0) {
        const tn_shape classes = tn_shape_of(1, &data->extents[1]);
        TN_TRY(tn_infer_shape(call->host, "weight", &call->inputs[CLASS_WEIGHTS].shape, &classes));
    }
    return own->reduction == REDUCTION_NONE ? infer_output_shape(call, &targets) : TN_OK;
}

const tn_op likelihood_loss_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each target the negative of the likelihood that the input has of its class, along "
           "axis 1, times the weight of the class.",
    OP_ATTRIBUTES(table, loss_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

static tn_status run(const tn_run_call *call) {
    const loss_attributes *own = call->attributes;
    const tn_view *data = call->inputs[LIKELIHOODS], *targets = call->inputs[TARGETS];
    const tn_view *weights = run_input(call, CLASS_WEIGHTS), *output = call->outputs[0];
    const int64_t classes = data->shape[1], plane = tn_extent_product(data->shape, 2, data->rank);
    double sum = 0, total = 0;
    for (int64_t i = 0; i < tn_element_count(targets); i++) {
        const int64_t class_number = read_integer(targets->dtype, tn_data(targets), i);
        const int is_ignored = own->ignore_index != TN_NONE && class_number == own->ignore_index;
        if (!is_ignored && (class_number < 0 || class_number >= classes)) {
            return tn_fail(call->host, TN_OUT_OF_RANGE, "target %lld is not one of %lld classes",
                           (long long)class_number, (long long)classes);
        }
        double loss = 0;
        if (!is_ignored) {
            const int64_t at = (i / plane * classes + class_number) * plane + i % plane;
            const double weight =
                weights == NULL ? 1 : number_at(weights->dtype, tn_data(weights), class_number);
            loss = -weight * number_at(data->dtype, tn_data(data), at);
            total += weight;
        }
        sum += loss;
        if (own->reduction == REDUCTION_NONE) {
            write_number(output->dtype, tn_data(output), i, loss);
        }
    }
    if (own->reduction != REDUCTION_NONE) {
        write_number(output->dtype, tn_data(output), 0,
                     own->reduction == REDUCTION_MEAN ? sum / total : sum);
    }
    return TN_OK;
}

const tn_kernel likelihood_loss_kernel = {CPU_KERNEL("onnx.NegativeLogLikelihoodLoss"),
                                          .supports = supports_floating_first_input, .run = run};
