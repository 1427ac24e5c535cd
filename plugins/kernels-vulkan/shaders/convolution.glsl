// A convolution with up to three spatial axes, or, with DECONVOLUTION, one run backwards, as a
// product: rows are the filters of a group, columns the places of all samples, terms the channels
// times the elements of the kernel.
layout(constant_id = 2) const uint KERNEL_0 = 1;
layout(constant_id = 3) const uint KERNEL_1 = 1;
layout(constant_id = 4) const uint KERNEL_2 = 1;

layout(push_constant) uniform Push {
    int source[3]; // extents of data
    uint target[3];
    int stride[3];
    int dilate[3];
    int pad[3];
    uint channels; // of a group
    uint filters;  // of a group
    uint groups;
    uint columns; // samples times places
    uint places;  // of one sample
    uint terms;
    uint has_bias;
#ifdef FINISHES
    float alpha;
    float beta;
#endif
};

layout(binding = 0) readonly buffer Data { ELEMENT data[]; };
#ifdef PACKED_WEIGHT // see convolution_weight.comp
layout(binding = 1) readonly buffer Weight { uvec4 packed_weight[]; }; // eight elements each
#else
layout(binding = 1) readonly buffer Weight { ELEMENT weight[]; };
#endif
layout(binding = 2) readonly buffer Bias { ELEMENT bias[]; };
layout(binding = 3) writeonly buffer Result { ELEMENT result[]; };
#ifdef FINISHES
#define ADDEND_BINDING 4
#include "finish.glsl"
#endif

#define KERNEL_COUNT (KERNEL_0 * KERNEL_1 * KERNEL_2)

// Where a column's window begins, and its sample's first element in the group.
struct Place {
    ivec3 origin;
    int first;
};

Place place_of(uint column, uint group) {
    uint place = column % places;
    ivec3 at = ivec3(place / target[2] / target[1], place / target[2] % target[1],
                     place % target[2]);
    Place found;
#ifdef DECONVOLUTION
    found.origin = at + ivec3(pad[0], pad[1], pad[2]);
#else
    found.origin = at * ivec3(stride[0], stride[1], stride[2]) - ivec3(pad[0], pad[1], pad[2]);
#endif
    found.first = int((column / places * groups + group) * channels) * source[0] * source[1] *
                  source[2];
    return found;
}

// Where the element of data under one element of the kernel is; negative: in the padding.
int data_index(Place place, uint channel, ivec3 at) {
    ivec3 shift = at * ivec3(dilate[0], dilate[1], dilate[2]);
    ivec3 extents = ivec3(source[0], source[1], source[2]);
#ifdef DECONVOLUTION
    ivec3 steps = ivec3(stride[0], stride[1], stride[2]);
    ivec3 scaled = place.origin - shift;
    ivec3 from = scaled / steps;
    if (any(lessThan(scaled, ivec3(0))) || from * steps != scaled ||
        any(greaterThanEqual(from, extents))) {
        return -1;
    }
#else
    ivec3 from = place.origin + shift;
    if (any(lessThan(from, ivec3(0))) || any(greaterThanEqual(from, extents))) {
        return -1;
    }
#endif
    int row = (int(channel) * extents.x + from.x) * extents.y + from.y;
    return place.first + row * extents.z + from.z;
}

float data_at(Place place, uint channel, ivec3 at) {
    int index = data_index(place, channel, at);
    return index < 0 ? 0.0 : float(data[index]);
}

ivec3 kernel_place(uint element) {
    return ivec3(element / KERNEL_2 / KERNEL_1, element / KERNEL_2 % KERNEL_1, element % KERNEL_2);
}

#ifndef PACKED_WEIGHT
float weight_at(uint group, uint filter_, uint channel, uint element) {
#ifdef DECONVOLUTION
    uint row = (group * channels + channel) * filters + filter_;
#else
    uint row = (group * filters + filter_) * channels + channel;
#endif
    return float(weight[row * KERNEL_COUNT + element]);
}
#endif

void store_result(uint group, uint filter_, uint column, float sum) {
    uint channel = group * filters + filter_;
    if (has_bias != 0) {
        sum += float(bias[channel]);
    }
    uint index = (column / places * groups * filters + channel) * places + column % places;
#ifdef FINISHES
    sum = finished(sum, index);
#endif
    result[index] = ELEMENT(sum);
}
