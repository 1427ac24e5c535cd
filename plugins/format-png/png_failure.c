#include <stdio.h>

#include "png_failure.h"

void png_failure_raise(png_structp png, png_const_charp message) {
    struct png_failure *failure = png_get_error_ptr(png);
    snprintf(failure->message, sizeof failure->message, "%s", message);
    longjmp(failure->back, 1);
}

void png_failure_ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}
