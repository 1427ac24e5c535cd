// Knows axis x alone.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Count { uint total; };
void main() {
    atomicAdd(total, gl_WorkGroupID.x + 1);
}
