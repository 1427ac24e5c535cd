/*
 * Lanes: streams of a stream's own on queues that copy alone, so that copies run beside its other
 * work. A device without such queues has none, and copies go with the stream.
 *
 * An upload goes ahead of work that does not use its buffer, and what is queued after it waits. A
 * download starts after all that is queued before it; what is queued after it goes on at once,
 * unless it writes what is still being read. A ticket of the stream is complete when the downloads
 * before it are, too.
 */
#ifndef TENON_BACKENDS_VULKAN_LANE_H
#define TENON_BACKENDS_VULKAN_LANE_H

#include "stream.h"

/* NULL: go with the stream. */
vulkan_stream *vulkan_lane_for_upload(vulkan_stream *stream, const vulkan_buffer *buffer,
                                      uint64_t size);
/* Submits what is queued, which the lane then waits for. NULL: go with the stream. */
tn_status vulkan_lane_for_download(vulkan_stream *stream, uint64_t size, vulkan_stream **out_lane);

/* The lane reads that range until `value` of its timeline. When it cannot be noted, it is over. */
tn_status vulkan_lane_note_download(vulkan_stream *stream, uint64_t value,
                                    const vulkan_buffer *buffer, uint64_t offset, uint64_t size);

/* Up to where on the download lane the ticket reaches; 0: it has nothing there. [any] */
uint64_t vulkan_lane_value(vulkan_stream *stream, uint64_t ticket);

/* What is queued next with these uses, or with any, waits for downloads of what it writes. */
tn_status vulkan_lane_guard(vulkan_stream *stream, const vulkan_use *uses, uint32_t count);
tn_status vulkan_lane_guard_all(vulkan_stream *stream);

#endif
