// Every way to go round, choose and leave that the language has.
#version 450
layout(local_size_x = 8, local_size_y = 2) in;
layout(set = 0, binding = 0) readonly buffer Values { float values[]; };
layout(set = 0, binding = 1) buffer Results { float results[]; };
layout(push_constant) uniform Push { uint count; uint kind; mat3x4 weights; vec2 pairs[3]; };
shared vec4 rows[16];

float power(float x, uint n, inout uint steps) {
    float result = 1.0;
    for (uint i = 0; i < n; i++) {
        if (i == 7) {
            continue;
        }
        if (result > 1e6) {
            break;
        }
        result *= x;
        steps++;
    }
    return result;
}

void main() {
    uint at = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * gl_NumWorkGroups.x;
    uint steps = 0;
    if (at >= count) {
        return;
    }
    float value = values[at];
    switch (kind) {
    case 0:
        value = exp(value);
        break;
    case 1:
        value = -value;
    case 2:
        value = max(value, 0.0);
        break;
    case 9:
        do {
            value *= 2.0;
            for (int i = 0; i < 4; i++) {
                if (value > 64.0) {
                    break;
                }
                value += weights[i % 3][i];
            }
        } while (value < 3.0);
        break;
    default:
        value = power(value, kind, steps);
    }
    rows[gl_LocalInvocationIndex] = vec4(value, pairs[at % 3], 1.0);
    barrier();
    vec4 row = rows[(gl_LocalInvocationIndex + 1) % 16];
    row.zyx = row.xxy;
    ivec2 whole = ivec2(row.xy);
    bool is_one = any(equal(whole, ivec2(1))) || steps > 3;
    results[at] = is_one ? float(whole.x) : dot(row, row) + unpackHalf2x16(steps).x;
}
