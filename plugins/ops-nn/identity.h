/* Kernels that copy input 0 to output 0. */
#ifndef OPS_NN_IDENTITY_H
#define OPS_NN_IDENTITY_H

#include <tenon/plugin.h>

tn_status run_identity(const tn_run_call *call);

/* For any dtype. */
#define IDENTITY_KERNEL(NAME)                                                                      \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .flags = TN_KERNEL_COPIES_INPUT, .op = NAME,                \
        .target = "cpu", .in_place = (const tn_in_place[]){{0, 0}}, .in_place_count = 1,           \
        .run = run_identity                                                                        \
    }

#endif
