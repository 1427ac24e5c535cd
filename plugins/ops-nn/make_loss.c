/* The operators MakeLoss and make_loss, which say that an output is a loss, and their kernels. */
#include "description.h"
#include "identity.h"
#include "operators_more.h"

typedef struct make_loss_attributes {
    double grad_scale;
    double valid_thresh;
    int32_t normalization;
} make_loss_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(make_loss_attributes, grad_scale, FLOAT, "1", NULL, TRAINING_ONLY),
    TN_FIELD(make_loss_attributes, valid_thresh, FLOAT, "0", NULL, TRAINING_ONLY),
    TN_FIELD_CHOICE(make_loss_attributes, normalization, "null", "batch|null|valid", TRAINING_ONLY),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};
static const char *const loss_names[] = {"loss"};

const tn_op scaled_loss_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_LOSS,
    .doc = "data as it is. In training it is a loss, whose gradient can be scaled.",
    OP_ATTRIBUTES(attributes, make_loss_attributes),
    OP_NAMES(input_names, output_names),
    .infer = tn_infer_elementwise,
};

const tn_op plain_loss_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_LOSS,
    .doc = "data as it is. In training it is a loss.",
    OP_NAMES(input_names, loss_names),
    .infer = tn_infer_elementwise,
};

const tn_kernel scaled_loss_kernel = IDENTITY_KERNEL("MakeLoss");
const tn_kernel plain_loss_kernel = IDENTITY_KERNEL("make_loss");
