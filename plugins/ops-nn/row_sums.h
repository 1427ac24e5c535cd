/*
 * Sums over blocks. They run in several lanes, since a compiler may not reorder a sum by itself
 * and a vector unit needs it reordered; the lanes' totals are added in double.
 */
#ifndef OPS_NN_ROW_SUMS_H
#define OPS_NN_ROW_SUMS_H

#include <stdint.h>

#define SUM_LANES 16

#include "real_float.h"

#include "row_sums_template.h"

#include "real_double.h"

#include "row_sums_template.h"

#endif
