/* Files with sequences of tensors, or with optional values, as the conformance suite has them. */
#ifndef FORMAT_ONNX_SEQUENCE_H
#define FORMAT_ONNX_SEQUENCE_H

#include <tenon/plugin.h>

#include <sequence.pb-c.h>

#include "unpack.h"

/* Whether the bytes are such a file: a tensor's has fields that this has not. On success the
 * message is there, to be released. */
int unpack_sequence(const tn_host *host, const void *data, uint64_t size,
                    struct unpacked *unpacked);

/* One TN_SEQUENCE tensor. An optional value is a sequence of at most one. */
tn_status read_sequence(const tn_host *host, const OnnxSequence__Values *values, const char *path,
                        tn_tensor **out_tensor);

#endif
