// Copies 16 bytes an invocation and step: what large copies within a device are made of.
#version 450

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) writeonly restrict buffer Target {
    uvec4 target[];
};
layout(set = 0, binding = 1) readonly restrict buffer Source {
    uvec4 source[];
};
layout(push_constant) uniform Range {
    uint target_begin; // elements of 16 bytes
    uint source_begin;
    uint count;
};

const uint steps = 4;

void main() {
    uint at = gl_WorkGroupID.x * (gl_WorkGroupSize.x * steps) + gl_LocalInvocationID.x;
    for (uint i = 0; i < steps; i++, at += gl_WorkGroupSize.x) {
        if (at < count) {
            target[target_begin + at] = source[source_begin + at];
        }
    }
}
