// Writes WORDS words of push constants out.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Words { uint words[]; };
#if WORDS > 0
layout(push_constant) uniform Push { uint pushed[WORDS]; };
#endif
void main() {
#if WORDS > 0
    for (uint i = 0; i < WORDS; i++) {
        words[i] = pushed[i];
    }
#else
    words[0] = 7;
#endif
}
