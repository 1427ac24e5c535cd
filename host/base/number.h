/* Numbers from texts, the same in every locale. */
#ifndef TENON_BASE_NUMBER_H
#define TENON_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Each reads one number at *cursor and moves it behind; false when there is none or it does not
 * fit. Decimal integers with an optional sign; decimal or exponent floats, "inf", "nan". */
bool tni_read_integer(const char **cursor, int64_t *out);
bool tni_read_float(const char **cursor, double *out);

#endif
