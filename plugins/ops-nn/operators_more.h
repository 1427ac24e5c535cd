/* Activations, normalisations, softmax and its relatives, losses, recurrent and sequence
 * operators: each with the name it is known by, its operator and its kernel. */
#ifndef OPS_NN_OPERATORS_MORE_H
#define OPS_NN_OPERATORS_MORE_H

#include <tenon/plugin.h>

/* X(name, operator, kernel) */
#define OPS_NN_MORE(X)                                                                             \
    X("Activation", activation_op, activation_kernel)                                              \
    X("LeakyReLU", leaky_relu_op, leaky_relu_kernel)                                               \
    X("BatchNorm", batch_norm_op, batch_norm_kernel)                                               \
    X("BatchNorm_v1", batch_norm_op, batch_norm_v1_kernel)                                         \
    X("LayerNorm", layer_norm_op, layer_norm_kernel)                                               \
    X("GroupNorm", group_norm_op, group_norm_kernel)                                               \
    X("InstanceNorm", instance_norm_op, instance_norm_kernel)                                      \
    X("L2Normalization", l2_normalization_op, l2_normalization_kernel)                             \
    X("softmax", softmax_op, softmax_kernel)                                                       \
    X("log_softmax", log_softmax_op, log_softmax_kernel)                                           \
    X("onnx.Softmax", flattened_softmax_op, flattened_softmax_kernel)                              \
    X("onnx.LogSoftmax", flattened_log_softmax_op, flattened_log_softmax_kernel)                   \
    X("softmin", softmin_op, softmin_kernel)                                                       \
    X("SoftmaxActivation", softmax_activation_op, softmax_activation_kernel)                       \
    X("SoftmaxOutput", softmax_output_op, softmax_output_kernel)                                   \
    X("Softmax", softmax_output_op, softmax_alias_kernel)                                          \
    X("WarpCTC", warp_ctc_op, warp_ctc_kernel)                                                     \
    X("LinearRegressionOutput", linear_regression_output_op, linear_regression_output_kernel)      \
    X("LogisticRegressionOutput", logistic_regression_output_op,                                   \
      logistic_regression_output_kernel)                                                           \
    X("MAERegressionOutput", mae_regression_output_op, mae_regression_output_kernel)               \
    X("SVMOutput", svm_output_op, svm_output_kernel)                                               \
    X("MakeLoss", scaled_loss_op, scaled_loss_kernel)                                              \
    X("make_loss", plain_loss_op, plain_loss_kernel)                                               \
    X("Dropout", dropout_op, dropout_kernel)                                                       \
    X("SequenceMask", sequence_mask_op, sequence_mask_kernel)                                      \
    X("SequenceReverse", sequence_reverse_op, sequence_reverse_kernel)                             \
    X("SequenceLast", sequence_last_op, sequence_last_kernel)                                      \
    X("RNN", rnn_op, rnn_kernel)

#define OPS_NN_MORE_DECLARE(NAME, OP, KERNEL)                                                      \
    extern const tn_op OP;                                                                         \
    extern const tn_kernel KERNEL;
OPS_NN_MORE(OPS_NN_MORE_DECLARE)
#undef OPS_NN_MORE_DECLARE

/* The entries of the plugin's table, each followed by a comma. */
#define OPS_NN_MORE_ENTRY(NAME, OP, KERNEL) TN_ENTRY_OP(NAME, &OP), TN_ENTRY_KERNEL(NAME, &KERNEL),
#define OPS_NN_MORE_ENTRIES OPS_NN_MORE(OPS_NN_MORE_ENTRY)

#endif
