// Writes out what the specialisation constants make of it.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint tile = 4;
layout(constant_id = 3) const float scale = 1.0;
layout(constant_id = 4) const bool is_negative = false;
layout(set = 0, binding = 0) buffer Result { float result[]; };
shared float row[tile * tile + 3];
void main() {
    row[gl_LocalInvocationIndex % (tile * tile)] = float(tile) * scale;
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        result[0] = is_negative ? -row[0] : row[0];
        result[1] = float(gl_WorkGroupSize.x * 100 + gl_WorkGroupSize.y);
        result[2] = float(row.length());
    }
}
