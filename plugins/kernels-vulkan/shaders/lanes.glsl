// Workgroups of 256 invocations in which LANES of them, a power of two, work on one row together:
// one row a workgroup for long rows, 256 rows for short ones.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint LANES = 256;

shared float lane_values[256];

uint lane() {
    return gl_LocalInvocationIndex % LANES;
}

// The number of the row; it may be beyond the end.
uint lane_row() {
    return flat_group() * (256 / LANES) + gl_LocalInvocationIndex / LANES;
}

// The sum of all lanes' values. To be called by all invocations of the workgroup.
float lanes_sum(float value) {
    if (LANES == 1) {
        return value;
    }
    barrier();
    lane_values[gl_LocalInvocationIndex] = value;
    barrier();
    for (uint distance = LANES / 2; distance > 0; distance /= 2) {
        if (lane() < distance) {
            lane_values[gl_LocalInvocationIndex] +=
                lane_values[gl_LocalInvocationIndex + distance];
        }
        barrier();
    }
    return lane_values[gl_LocalInvocationIndex - lane()];
}

float lanes_max(float value) {
    if (LANES == 1) {
        return value;
    }
    barrier();
    lane_values[gl_LocalInvocationIndex] = value;
    barrier();
    for (uint distance = LANES / 2; distance > 0; distance /= 2) {
        if (lane() < distance) {
            float other = lane_values[gl_LocalInvocationIndex + distance];
            if (other > lane_values[gl_LocalInvocationIndex]) {
                lane_values[gl_LocalInvocationIndex] = other;
            }
        }
        barrier();
    }
    return lane_values[gl_LocalInvocationIndex - lane()];
}
