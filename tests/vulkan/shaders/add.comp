// sum = first + scale * second
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer First { float first[]; };
layout(set = 0, binding = 1) readonly buffer Second { float second[]; };
layout(set = 0, binding = 2) writeonly buffer Sum { float sum[]; };
layout(push_constant) uniform Push { uint count; float scale; };
void main() {
    uint at = gl_GlobalInvocationID.x;
    if (at < count) {
        sum[at] = first[at] + scale * second[at];
    }
}
