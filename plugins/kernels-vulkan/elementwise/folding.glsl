// What reduce.comp and find_extreme.comp share. A workgroup has some outputs, each with `lanes`
// invocations that go through the elements it is folded from; a tree in shared memory takes theirs
// together. A long fold is cut into segments, whose results a second launch takes together.
#define MAX_FOLD_AXES 5
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FOLD = 0;
layout(constant_id = 1) const uint DTYPE = 0;
layout(constant_id = 2) const uint KEPT_AXES = 1;
layout(constant_id = 3) const uint FOLDED_AXES = 1;
layout(constant_id = 4) const uint LANES_SHIFT = 0; // lanes = 1 << LANES_SHIFT
// Whether neighbours are lanes of one output, or the same lane of neighbouring outputs.
layout(constant_id = 5) const bool LANES_ARE_NEIGHBOURS = false;
layout(constant_id = 6) const uint STAGE = 0;
const uint ONLY = 0, FIRST = 1, SECOND = 2; // elements to outputs, to segments; these to outputs
layout(push_constant) uniform Push {
    uint outputs;
    uint folded; // elements, or segments, that an output is folded from
    uint segments;
    uint segment_length;
    uint divisor;
    uint kept_extents[MAX_FOLD_AXES];
    uint kept_strides[MAX_FOLD_AXES];
    uint folded_extents[MAX_FOLD_AXES];
    uint folded_strides[MAX_FOLD_AXES];
};

const uint GROUP = 256;

// What this invocation works on.
uint fold_lane() {
    uint i = gl_LocalInvocationIndex;
    return LANES_ARE_NEIGHBOURS ? i & ((1u << LANES_SHIFT) - 1u) : i / (GROUP >> LANES_SHIFT);
}

uint fold_item() { // an output's segment
    uint i = gl_LocalInvocationIndex, width = GROUP >> LANES_SHIFT;
    uint slot = LANES_ARE_NEIGHBOURS ? i >> LANES_SHIFT : i & (width - 1u);
    return flat_group() * width + slot;
}

// How far it is in shared memory from a lane to the lane `width` further.
uint lane_distance(uint width) {
    return LANES_ARE_NEIGHBOURS ? width : width * (GROUP >> LANES_SHIFT);
}

uint place_of_output(uint number) {
    uint place = 0;
    [[unroll]] for (uint k = 0; k < KEPT_AXES; k++) {
        uint axis = KEPT_AXES - 1 - k;
        uint quotient = axis == 0 ? 0 : number / kept_extents[axis];
        place += (number - quotient * kept_extents[axis]) * kept_strides[axis];
        number = quotient;
    }
    return place;
}

uint place_of_folded(uint number) {
    uint place = 0;
    [[unroll]] for (uint k = 0; k < FOLDED_AXES; k++) {
        uint axis = FOLDED_AXES - 1 - k;
        uint quotient = axis == 0 ? 0 : number / folded_extents[axis];
        place += (number - quotient * folded_extents[axis]) * folded_strides[axis];
        number = quotient;
    }
    return place;
}
