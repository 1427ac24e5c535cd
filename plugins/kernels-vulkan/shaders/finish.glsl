// What follows a product in a fused operator: a sum and an activation. The push constants hold
// alpha and beta.
layout(constant_id = 8) const uint FUNCTION = 11;
layout(constant_id = 9) const bool HAS_ADDEND = false;
layout(binding = ADDEND_BINDING) readonly buffer Addend { ELEMENT addend[]; };

#include "activations.glsl"

// `x` is the result at `index`.
float finished(float x, uint index) {
    return activate(FUNCTION, HAS_ADDEND ? x + float(addend[index]) : x, alpha, beta);
}
