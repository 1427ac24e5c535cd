/* Signals and spectra: X(operator, name). */
#ifndef OPS_ONNX_SIGNAL_OPERATORS_H
#define OPS_ONNX_SIGNAL_OPERATORS_H

#include <tenon/plugin.h>

#define SIGNAL_OPERATORS(X)                                                                        \
    X(blackman_window, "onnx.BlackmanWindow")                                                      \
    X(det, "onnx.Det")                                                                             \
    X(dft, "onnx.DFT")                                                                             \
    X(hamming_window, "onnx.HammingWindow")                                                        \
    X(hann_window, "onnx.HannWindow")                                                              \
    X(mel_weight_matrix, "onnx.MelWeightMatrix")                                                   \
    X(stft, "onnx.STFT")

#endif
