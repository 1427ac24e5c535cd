// The size of a subgroup, and a sum over it.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
void main() {
    uint sum = subgroupAdd(1);
    if (gl_LocalInvocationIndex == 0) {
        result[0] = gl_SubgroupSize;
        result[1] = sum;
    }
}
