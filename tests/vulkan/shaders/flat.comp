// One number a workgroup, by its place in a grid of any form.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Count { uint total; uint places[]; };
void main() {
    uint place = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    atomicAdd(total, 1);
    places[place] = place;
}
