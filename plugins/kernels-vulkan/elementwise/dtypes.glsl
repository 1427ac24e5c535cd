// The dtypes, in the order of elements.h, and their elements in 32-bit words.
const uint F32 = 0, F16 = 1, BF16 = 2, I8 = 3, U8 = 4, I16 = 5, U16 = 6, I32 = 7, I64 = 8,
           BOOL = 9;

#define INFINITE uintBitsToFloat(0x7f800000u)
#define NOT_A_NUMBER uintBitsToFloat(0x7fc00000u)

bool is_infinite(float x) {
    return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u;
}

bool is_floating(uint dtype) {
    return dtype <= BF16;
}

float real_from_word(uint word, uint dtype) {
    switch (dtype) {
    case F16: return unpackHalf2x16(word & 0xffffu).x;
    case BF16: return uintBitsToFloat(word << 16);
    default: return uintBitsToFloat(word);
    }
}

int whole_from_word(uint word, uint dtype) {
    switch (dtype) {
    case I8: return int(word << 24) >> 24;
    case U8: return int(word & 0xffu);
    case I16: return int(word << 16) >> 16;
    case U16: return int(word & 0xffffu);
    case BOOL: return (word & 0xffu) != 0 ? 1 : 0;
    default: return int(word);
    }
}

// To the nearest float16, of two equally near ones the even one. What is built in may truncate.
uint half_from_real(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = (bits >> 16) & 0x8000u;
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return sign | 0x7e00u;
    }
    if (magnitude >= 0x477ff000u) { // rounds to 2^16, or beyond
        return sign | 0x7c00u;
    }
    if (magnitude < 0x38800000u) { // subnormal: a multiple of 2^-24
        return sign | uint(roundEven(uintBitsToFloat(magnitude) * 16777216.0));
    }
    magnitude += 0xfffu + ((magnitude >> 13) & 1u);
    return sign | ((magnitude - 0x38000000u) >> 13);
}

uint brain_from_real(float x) {
    uint bits = floatBitsToUint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return (bits >> 16) | 0x40u;
    }
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

uint word_from_real(float x, uint dtype) {
    switch (dtype) {
    case F16: return half_from_real(x);
    case BF16: return brain_from_real(x);
    default: return floatBitsToUint(x);
    }
}

// Storing keeps the low bits.
uint word_from_whole(int x, uint dtype) {
    return dtype == BOOL ? uint(x != 0) : uint(x);
}

// Without the fraction; NaN and what no int is give the lowest int.
int truncated(float x) {
    return x >= -2147483648.0 && x < 2147483648.0 ? int(x) : -2147483647 - 1;
}
