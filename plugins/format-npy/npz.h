/* Several arrays with names: .npy files in a zip container. */
#ifndef FORMAT_NPY_NPZ_H
#define FORMAT_NPY_NPZ_H

#include <tenon/plugin.h>

tn_status npz_read(const tn_host *host, const uint8_t *data, uint64_t size,
                   const tn_tensor_sink *sink);

/* Entries are stored as they are; arrays without names are called arr_0, arr_1, … */
tn_status npz_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                    const tn_byte_sink *sink);

#endif
