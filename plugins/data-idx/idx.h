/*
 * One IDX file, the format of the MNIST data: two zero bytes, a type, a rank, big-endian extents,
 * big-endian elements. It may be compressed by gzip.
 */
#ifndef DATA_IDX_IDX_H
#define DATA_IDX_IDX_H

#include <tenon/plugin.h>

/* `where` goes in front of messages, or is "". */
tn_status idx_read(const tn_host *host, const char *where, const void *data, uint64_t size,
                   tn_tensor **out_tensor);

/* The same for a file of the system; failures name it. */
tn_status idx_read_file(const tn_host *host, const char *path, tn_tensor **out_tensor);

/* 0 when there is no such type. */
tn_dtype idx_dtype(uint8_t code);

#endif
