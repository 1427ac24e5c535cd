// Whole numbers from a tensor of float32, int32, uint32 or int64: indices and lengths. Their
// fractions are cut off, and those that no int is become its ends; NaN is the lowest.
layout(constant_id = 4) const uint NUMBER_DTYPE = 0; // as in dtypes.glsl
const uint NUMBER_F32 = 0, NUMBER_I32 = 7, NUMBER_I64 = 8;
const int LOWEST = -2147483647 - 1, HIGHEST = 2147483647;
layout(binding = 1) readonly buffer Numbers { uint numbers[]; };

int whole_number(uint i) {
    if (NUMBER_DTYPE == NUMBER_I64) {
        int low = int(numbers[2 * i]), high = int(numbers[2 * i + 1]);
        return high == low >> 31 ? low : high < 0 ? LOWEST : HIGHEST;
    }
    if (NUMBER_DTYPE == NUMBER_I32) {
        return int(numbers[i]);
    }
    float x = uintBitsToFloat(numbers[i]);
    return is_nan(x) || x < -2147483648.0 ? LOWEST : x >= 2147483648.0 ? HIGHEST : int(x);
}

uint clipped(int index, uint extent) {
    return uint(clamp(index, 0, int(extent) - 1));
}

uint wrapped(int index, uint extent) {
    uint magnitude = index < 0 ? uint(-(index + 1)) % extent : uint(index) % extent;
    return index < 0 ? extent - 1 - magnitude : magnitude;
}
