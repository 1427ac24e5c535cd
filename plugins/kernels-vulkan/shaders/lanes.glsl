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

// A long sum in two steps, each of which adds few numbers to a few times larger ones: digits are
// lost where small numbers are added to a large one again and again.
struct Sum {
    float whole;
    float part;
    uint count; // of numbers in the part
};

void add_to(inout Sum sum, float value) {
    sum.part += value;
    sum.count++;
    if (sum.count == 64) {
        sum.whole += sum.part;
        sum.part = 0.0;
        sum.count = 0;
    }
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
