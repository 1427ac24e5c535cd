// An MXNet extension library: the operator `my_leaky`, with its gradient. It is written against
// MXNet's lib_api.h and knows nothing of Tenon.
#include "lib_api.h"

using namespace mxnet::ext;  // MXNet 1.8 and later; 1.7 has no namespace

typedef std::unordered_map<std::string, std::string> Attributes;

static float slope_of(const Attributes &attrs) {
    const auto slope = attrs.find("slope");
    return slope == attrs.end() ? 0.25f : std::stof(slope->second);
}

MXReturnValue forward(const Attributes &attrs, std::vector<MXTensor> *inputs,
                      std::vector<MXTensor> *outputs, const OpResource &) {
    const float slope = slope_of(attrs);
    const float *x = inputs->at(0).data<float>();
    float *y = outputs->at(0).data<float>();
    for (int64_t i = 0; i < inputs->at(0).size(); i++) {
        y[i] = x[i] > 0 ? x[i] : slope * x[i];
    }
    return MX_SUCCESS;
}

// Inputs: the output's gradient, the input, the output.
MXReturnValue backward(const Attributes &attrs, std::vector<MXTensor> *inputs,
                       std::vector<MXTensor> *outputs, const OpResource &) {
    const float slope = slope_of(attrs);
    const float *dy = inputs->at(0).data<float>(), *x = inputs->at(1).data<float>();
    float *dx = outputs->at(0).data<float>();
    for (int64_t i = 0; i < inputs->at(1).size(); i++) {
        dx[i] = x[i] > 0 ? dy[i] : slope * dy[i];
    }
    return MX_SUCCESS;
}

MXReturnValue parseAttrs(const Attributes &, int *num_in, int *num_out) {
    *num_in = 1;
    *num_out = 1;
    return MX_SUCCESS;
}

MXReturnValue inferType(const Attributes &, std::vector<int> *in, std::vector<int> *out) {
    out->at(0) = in->at(0);
    return in->at(0) == kFloat32 ? MX_SUCCESS : MX_FAIL;
}

MXReturnValue inferShape(const Attributes &, std::vector<std::vector<unsigned int>> *in,
                         std::vector<std::vector<unsigned int>> *out) {
    out->at(0) = in->at(0);
    return MX_SUCCESS;
}

REGISTER_OP(my_leaky)
    .setForward(forward, "cpu")
    .setBackward(backward, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape);

MXReturnValue initialize(int version) {
    return version >= 10700 ? MX_SUCCESS : MX_FAIL;
}
