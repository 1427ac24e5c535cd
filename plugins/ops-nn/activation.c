/* The operator Activation and its kernel; its gradient is in activation_gradient.c. */
#include "activation.h"

#include "description.h"
#include "element.h"
#include "element_map.h"
#include "operators_more.h"
#include "vector_math.h"

#include "real_float.h"

#include "activation_template.h"

#include "real_double.h"

#include "activation_template.h"

static const tn_attribute attributes[] = {
    TN_FIELD_CHOICE(activation_attributes, act_type, NULL, ACTIVATION_CHOICES,
                    "The function: relu is max(x, 0), sigmoid 1 / (1 + exp(-x)), softrelu "
                    "log(1 + exp(x)), softsign x / (1 + |x|)."),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

const tn_op activation_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Applies an activation function to each element.",
    OP_ATTRIBUTES(attributes, activation_attributes),
    OP_NAMES(input_names, output_names),
    .infer = tn_infer_elementwise,
    .gradient = activation_gradient,
};

static tn_status run(const tn_run_call *call) {
    const element_map map = {activate_f32, activate_f64, call->attributes};
    return run_element_map(call, &map);
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel activation_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "Activation",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
    .layouts = tn_layouts_of_first,
};
