/* An operator whose kernel makes sparse tensors, for the tests of the host. */
#ifndef TENON_TESTS_PROBE_SPARSE_H
#define TENON_TESTS_PROBE_SPARSE_H

#include <tenon/plugin.h>

extern const tn_op probe_rows_op;
extern const tn_kernel probe_rows_kernel;

#endif
