// Places in tensors by a number that counts through up to MAX_AXES axes. AXES is how many there
// are, at least 1; extents and strides are push constants, from the outermost axis to the
// innermost.
#define MAX_AXES 8
layout(constant_id = 2) const uint AXES = 1;

// The index along `axis`, which is taken off `rest`; the outermost axis has all that is left.
uint take_index(inout uint rest, uint axis, uint extent) {
    if (axis == 0) {
        return rest;
    }
    uint quotient = rest / extent;
    uint index = rest - quotient * extent;
    rest = quotient;
    return index;
}
