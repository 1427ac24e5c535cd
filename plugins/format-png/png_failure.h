/*
 * libpng reports an error by a call that must not return: it jumps back to the setjmp of the one
 * function that called libpng, with the message kept here. Warnings are dropped.
 */
#ifndef FORMAT_PNG_PNG_FAILURE_H
#define FORMAT_PNG_PNG_FAILURE_H

#include <setjmp.h>

#include <png.h>

struct png_failure {
    jmp_buf back;
    char message[256];
};

/* For png_create_read_struct and png_create_write_struct, with a struct png_failure as context. */
void png_failure_raise(png_structp png, png_const_charp message);
void png_failure_ignore(png_structp png, png_const_charp message);

#endif
