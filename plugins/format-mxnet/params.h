/* Lists of arrays: .params and .nd files. */
#ifndef FORMAT_MXNET_PARAMS_H
#define FORMAT_MXNET_PARAMS_H

#include <tenon/plugin.h>

#define PARAMS_MAGIC UINT64_C(0x112)

/* `where` goes in front of messages, or is "". */
tn_status params_read(const tn_host *host, const char *where, const void *data, uint64_t size,
                      const tn_tensor_sink *sink);

tn_status params_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                       const tn_byte_sink *sink);

#endif
