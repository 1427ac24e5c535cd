/*
 * Messages out of bytes, by protobuf-c, within limits: nesting, and memory in proportion to the
 * bytes. protobuf-c itself knows neither.
 */
#ifndef FORMAT_ONNX_UNPACK_H
#define FORMAT_ONNX_UNPACK_H

#include <tenon/plugin.h>

#include <protobuf-c/protobuf-c.h>

/* A message with the memory that it lives in. */
struct unpacked {
    ProtobufCMessage *message;
    ProtobufCAllocator allocator;
    const tn_host *host;
    uint64_t budget; /* bytes that may still be taken */
};

/* CORRUPT where the bytes are not such a message, or nested too deep. */
tn_status check_message(const tn_host *host, const ProtobufCMessageDescriptor *descriptor,
                        const void *data, uint64_t size);

/* Of bytes that were checked. `unpacked` must stay where it is until unpacked_release. On failure
 * nothing is held. */
tn_status unpack(const tn_host *host, const ProtobufCMessageDescriptor *descriptor,
                 const void *data, uint64_t size, struct unpacked *unpacked);
void unpacked_release(struct unpacked *unpacked);

/* Whether the bytes can be the start of such a message: tags and wire types fit its fields. */
int looks_like(const ProtobufCMessageDescriptor *descriptor, const void *data, uint64_t size);

#endif
