/* MXNet's numbers for element types, as they stand in its files. */
#ifndef FORMAT_MXNET_DTYPE_H
#define FORMAT_MXNET_DTYPE_H

#include <tenon/plugin.h>

/* 0 when MXNet has no such number. */
tn_dtype dtype_from_mxnet(int64_t number);

/* -1 when MXNet has no such type. */
int32_t dtype_to_mxnet(tn_dtype dtype);

#endif
