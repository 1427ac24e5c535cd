/*
 * Arithmetic: element-wise functions of one and two tensors, with stretching to a common shape,
 * conversions between dtypes, and reductions.
 */
#include "activation_operators.h"
#include "add_n.h"
#include "arg_kernel.h"
#include "arg_operators.h"
#include "binary_kernels.h"
#include "binary_operators.h"
#include "cast.h"
#include "expansion.h"
#include "fused_kernel.h"
#include "fused_operator.h"
#include "named_axes_reductions.h"
#include "parametric_operators.h"
#include "pointwise.h"
#include "reduction_kernel.h"
#include "reduction_operators.h"
#include "rows.h"
#include "scalar_operators.h"
#include "sparse_binary.h"
#include "state.h"
#include "storage.h"
#include "typed_binary_operators.h"
#include "unary_operators.h"
#include "where.h"

static const tn_in_place first_input[] = {{0, 0}};
static const tn_in_place first_or_second_input[] = {{0, 0}, {1, 0}};
static const tn_in_place chosen_inputs[] = {{1, 0}, {2, 0}};

static const tn_in_place any_input[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

#define KERNEL(ENTRY, NAME, PREPARE, RUN, IN_PLACE, IN_PLACE_COUNT, FLAGS, SUPPORTS, LAYOUTS)      \
    TN_ENTRY_KERNEL(ENTRY, (&(const tn_kernel){                                                    \
                               .struct_size = TN_KERNEL_SIZE,                                      \
                               .flags = FLAGS,                                                     \
                               .op = NAME,                                                         \
                               .target = "cpu",                                                    \
                               .dtypes = all_dtypes,                                               \
                               .dtype_count = DTYPE_COUNT,                                         \
                               .in_place = IN_PLACE,                                               \
                               .in_place_count = IN_PLACE_COUNT,                                   \
                               .supports = SUPPORTS,                                               \
                               .prepare = PREPARE,                                                 \
                               .run = RUN,                                                         \
                               .release = release_state,                                           \
                               .layouts = LAYOUTS,                                                 \
                           }))

/* An operator's entry, and its kernel's. IN_PLACE is an array of `in_place_count` pairs. */
#define ENTRIES(NAME, OPERATOR, PREPARE, RUN, IN_PLACE, IN_PLACE_COUNT)                            \
    TN_ENTRY_OP(NAME, &OPERATOR),                                                                  \
        KERNEL(NAME, NAME, PREPARE, RUN, IN_PLACE, IN_PLACE_COUNT, 0, NULL, NULL)

/* Kernels that compute element by element; SUPPORTS looks at storages. */
#define ELEMENTWISE_ENTRIES(NAME, OPERATOR, PREPARE, RUN, IN_PLACE, FLAGS, SUPPORTS, LAYOUTS)      \
    TN_ENTRY_OP(NAME, &OPERATOR),                                                                  \
        KERNEL(NAME, NAME, PREPARE, RUN, IN_PLACE, COUNT_OF(IN_PLACE), FLAGS, SUPPORTS, LAYOUTS)

#define POINTWISE_ENTRIES(NAME, OPERATOR, PREPARE)                                                 \
    ELEMENTWISE_ENTRIES(NAME, OPERATOR, PREPARE, pointwise_run, first_input, TN_KERNEL_SPARSE,     \
                        supports_pointwise, tn_layouts_elementwise)
#define EXPANSION_ENTRIES(NAME, OPERATOR)                                                          \
    ENTRIES(NAME, OPERATOR, prepare_expansion, expansion_run, NULL, 0)
#define ADD_N_ENTRIES(NAME)                                                                        \
    ELEMENTWISE_ENTRIES(NAME, add_n_operator, prepare_add_n, add_n_run, first_input,               \
                        TN_KERNEL_SPARSE, add_n_supports, tn_layouts_elementwise)

/* An operand as large as the output is not stretched, so the output may have its memory. */
#define BINARY_ENTRIES(NAME, OPERATOR, FUNCTION)                                                   \
    ELEMENTWISE_ENTRIES(NAME, OPERATOR, prepare_binary_##FUNCTION, binary_run,                     \
                        first_or_second_input, 0, NULL, layouts_of_rows)

/* Rows of the lists of operators. */
#define ELEMENTWISE_ROW(NAME, FUNCTION)                                                            \
    BINARY_ENTRIES(#NAME, elementwise_operators[BINARY_##FUNCTION], FUNCTION),                     \
        KERNEL(#NAME ".sparse", #NAME, prepare_binary_##FUNCTION, sparse_binary_run, NULL, 0,      \
               TN_KERNEL_SPARSE, sparse_binary_supports, NULL),
#define BROADCAST_ROW(NAME, FUNCTION)                                                              \
    BINARY_ENTRIES(#NAME, broadcast_operators[BINARY_##FUNCTION], FUNCTION),
#define SCALAR_ROW(KEY, NAME, OLD_NAME, FUNCTION, SIDE, GRADIENT, DOC)                             \
    POINTWISE_ENTRIES(#NAME, scalar_operator_##KEY, prepare_scalar_##KEY),                         \
        POINTWISE_ENTRIES(#OLD_NAME, scalar_operator_##KEY, prepare_scalar_##KEY),
#define UNARY_ROW(NAME, FUNCTION, GRADIENT, DOC)                                                   \
    POINTWISE_ENTRIES(#NAME, unary_operator_##NAME, prepare_unary_##NAME),
#define REDUCTION_ROW(NAME, KEY)                                                                   \
    ENTRIES(#NAME, reduction_operator_##KEY, prepare_reduction_##KEY, fold_run, NULL, 0),

/* The output has another dtype than the operand, and no memory of it. */
#define TYPED_BINARY_ROW(NAME, FUNCTION, INFER, DOC)                                               \
    ENTRIES("onnx." #NAME, typed_operator_##NAME, prepare_typed_##NAME, binary_run, NULL, 0),
#define ACTIVATION_ROW(NAME, ...)                                                                  \
    POINTWISE_ENTRIES("onnx." #NAME, activation_operator_##NAME, prepare_activation_##NAME),
#define NAMED_AXES_ROW(NAME, FOLD, FINISH, DOC)                                                    \
    ENTRIES("onnx." #NAME, named_axes_##NAME, prepare_named_axes_##NAME, run_named_axes_##NAME,    \
            NULL, 0),

/* clang-format off */
static const tn_entry entries[] = {
    ELEMENTWISE_NAMES(ELEMENTWISE_ROW)
    BROADCAST_NAMES(BROADCAST_ROW)
    SCALAR_OPERATORS(SCALAR_ROW)
    UNARY_OPERATORS(UNARY_ROW)
    REDUCTION_NAMES(REDUCTION_ROW)
    TYPED_BINARY_OPERATORS(TYPED_BINARY_ROW)
    ACTIVATION_OPERATORS_OF_NONE(ACTIVATION_ROW)
    ACTIVATION_OPERATORS_OF_ONE(ACTIVATION_ROW)
    ACTIVATION_OPERATORS_OF_TWO(ACTIVATION_ROW)
    NAMED_AXES_REDUCTIONS(NAMED_AXES_ROW)
    POINTWISE_ENTRIES("onnx.BitwiseNot", activation_operator_BitwiseNot,
                      prepare_activation_BitwiseNot),
    POINTWISE_ENTRIES("onnx.Gelu", activation_operator_Gelu, prepare_activation_Gelu),
    ENTRIES("onnx.IsNaN", activation_operator_IsNaN, prepare_activation_IsNaN, pointwise_run, NULL,
            0),
    ENTRIES("onnx.IsInf", activation_operator_IsInf, prepare_activation_IsInf, pointwise_run, NULL,
            0),
    ENTRIES("onnx.CastLike", cast_like_operator, prepare_conversion, pointwise_run, NULL, 0),
    ENTRIES("onnx.Mod", remainder_operator, prepare_remainder, binary_run, NULL, 0),
    ENTRIES("onnx.BitShift", bit_shift_operator, prepare_bit_shift, binary_run, NULL, 0),
    POINTWISE_ENTRIES("clip", clip_operator, prepare_clip),
    POINTWISE_ENTRIES("hard_sigmoid", hard_sigmoid_operator, prepare_hard_sigmoid),
    POINTWISE_ENTRIES("smooth_l1", smooth_l1_operator, prepare_smooth_l1),
    POINTWISE_ENTRIES("Cast", cast_operator, prepare_conversion),
    POINTWISE_ENTRIES("cast", cast_operator, prepare_conversion),
    POINTWISE_ENTRIES("amp_cast", amp_cast_operator, prepare_conversion),
    EXPANSION_ENTRIES("broadcast_to", broadcast_to_operator),
    EXPANSION_ENTRIES("broadcast_axis", broadcast_axis_operator),
    EXPANSION_ENTRIES("broadcast_axes", broadcast_axis_operator),
    EXPANSION_ENTRIES("broadcast_like", broadcast_like_operator),
    ADD_N_ENTRIES("add_n"),
    ADD_N_ENTRIES("ElementWiseSum"),
    ADD_N_ENTRIES("_sum"),
    ELEMENTWISE_ENTRIES("fused_elementwise", fused_operator, prepare_fused, fused_run, any_input, 0,
                        NULL, layouts_of_rows),
    ENTRIES("where", where_operator, prepare_where, where_run, chosen_inputs,
            COUNT_OF(chosen_inputs)),
    ENTRIES("norm", norm_operator, prepare_norm, fold_run, NULL, 0),
    ENTRIES("_square_sum", square_sum_operator, prepare_square_sum, fold_run, NULL, 0),
    ENTRIES("argmax", argmax_operator, prepare_argmax, arg_run, NULL, 0),
    ENTRIES("argmin", argmin_operator, prepare_argmin, arg_run, NULL, 0),
    ENTRIES("argmax_channel", argmax_channel_operator, prepare_argmax_channel, arg_run, NULL, 0),
};
/* clang-format on */

TN_PLUGIN_WITH("ops-math", "0.1.0", "error/1,memory/1", "parallel/1,graph/1,sparse/1", NULL, NULL,
               entries);
