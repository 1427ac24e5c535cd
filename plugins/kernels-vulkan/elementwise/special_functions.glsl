// The gamma function and the inverse of the error function, by polynomials fitted to them.

// Between 1 and 2.
float gamma_near_one(float x) {
    float t = x - 1.5;
    float series = -2.30480303e-2;
    series = fma(series, t, 3.45672981e-2);
    series = fma(series, t, -3.66511838e-2);
    series = fma(series, t, 5.65861262e-2);
    series = fma(series, t, -7.76468314e-2);
    series = fma(series, t, 1.44830852e-1);
    series = fma(series, t, -1.07290891e-1);
    series = fma(series, t, 4.14807589e-1);
    series = fma(series, t, 3.23383778e-2);
    return fma(series, t, 8.86226955e-1);
}

// gamma(x + 1) = x * gamma(x), up or down to the polynomial's range.
float gamma_function(float x) {
    if (x == 0.0) {
        return 1.0 / x;
    }
    if (x > 35.1) {
        return INFINITE;
    }
    if (x < 0.0 && (is_infinite(x) || floor(x) == x)) {
        return NOT_A_NUMBER;
    }
    if (x < -43.0) {
        return 0.0;
    }
    float factor = 1.0, divisor = 1.0;
    for (int step = 0; step < 45 && x > 2.0; step++) {
        x -= 1.0;
        factor *= x;
    }
    for (int step = 0; step < 45 && x < 1.0; step++) {
        divisor *= x;
        x += 1.0;
    }
    return factor * gamma_near_one(x) / divisor;
}

// log(|gamma(x)|) for x above 0. From 8 on by Stirling's series.
float logarithm_of_positive_gamma(float x) {
    if (x < 8.0) {
        return natural_logarithm(gamma_function(x));
    }
    if (is_infinite(x)) {
        return x;
    }
    float inverse = 1.0 / x;
    float series = inverse * (1.0 / 12.0 - inverse * inverse * (1.0 / 360.0));
    float logarithm = natural_logarithm(x) - 1.0;
    return x * logarithm - 0.5 * (logarithm + 1.0) + (0.91893853320467274 + series);
}

// Below 0 by reflection: gamma(x) * gamma(1 - x) = pi / sin(pi * x).
float logarithm_of_gamma(float x) {
    if (x > 0.0) {
        return logarithm_of_positive_gamma(x);
    }
    float distance = abs(x - floor(x + 0.5)); // from the nearest integer, exactly
    if (distance == 0.0 || is_infinite(x)) {
        return INFINITE;
    }
    float wave = sine(3.14159265358979324 * distance);
    return natural_logarithm(3.14159265358979324 / wave) - logarithm_of_positive_gamma(1.0 - x);
}

// x times a polynomial in w = -log(1 - x * x), or far out in its square root.
float inverse_error_function(float x) {
    float rest = (1.0 - x) * (1.0 + x);
    if (rest <= 0.0) {
        return rest < 0.0 || is_infinite(x) ? NOT_A_NUMBER : x * INFINITE;
    }
    float w = -natural_logarithm(rest);
    float t = w - 2.5;
    float series = 2.26059778e-8;
    if (w < 5.0) {
        series = fma(series, t, 3.42224709e-7);
        series = fma(series, t, -3.45477951e-6);
        series = fma(series, t, -4.38034671e-6);
        series = fma(series, t, 2.18312880e-4);
        series = fma(series, t, -1.25375888e-3);
        series = fma(series, t, -4.17734652e-3);
        series = fma(series, t, 2.46640766e-1);
        return x * fma(series, t, 1.50140935);
    }
    t = sqrt(w) - 3.218033988749895;
    series = 9.44833566e-4;
    series = fma(series, t, -2.29842732e-3);
    series = fma(series, t, 2.83134665e-3);
    series = fma(series, t, -3.91272867e-3);
    series = fma(series, t, 5.73936737e-3);
    series = fma(series, t, 1.00488378);
    return x * fma(series, t, 3.05175710);
}
