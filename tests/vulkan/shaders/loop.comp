// Counts what a loop does, and whether another one after it still runs.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Steps { uint first; uint second; };
layout(push_constant) uniform Push { uint steps; };
void main() {
    uint done = 0;
    for (uint i = 0; i < steps; i++) {
        done += 1 + (done >> 31);
    }
    first = done;
    done = 0;
    for (uint i = 0; i < 100; i++) {
        done += 1 + (done >> 31);
    }
    second = done;
}
