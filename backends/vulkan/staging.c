/* Staging rings. */
#include "staging.h"

#include "stream.h"

/* A ring grows with what is asked of it: most streams copy little. */
static const uint64_t least_capacity = 256u << 10;
static const uint64_t most_capacity = 64u << 20;
enum { PIECES = 4, RING_ALIGNMENT = 64 };

uint64_t vulkan_ring_piece(uint64_t size) {
    const uint64_t most = most_capacity / PIECES;
    /* A middling copy is cut too, so that the host's part and the device's overlap. */
    const uint64_t quarter = (size / PIECES + 0xfffff) & ~(uint64_t)0xfffff;
    const uint64_t piece = size <= 1u << 20 ? size : quarter;
    return piece < most ? piece : most;
}

void vulkan_ring_finish(vulkan_ring *ring) {
    if (ring->buffer != NULL) {
        vulkan_buffer *buffer = ring->buffer;
        ring->buffer = NULL;
        vulkan_free(buffer->device, buffer);
    }
}

void vulkan_ring_give(vulkan_ring *ring, const vulkan_ring_mark *mark) {
    if (mark->buffer != NULL && mark->buffer == ring->buffer) {
        atomic_store(&ring->tail, mark->end);
    }
}

/* A larger ring, empty; batches that use the old one keep it. */
static tn_status grow(vulkan_stream *stream, vulkan_ring *ring, uint32_t memory, uint64_t size) {
    uint64_t capacity = ring->capacity > 0 ? ring->capacity * 2 : least_capacity;
    while (capacity < size * PIECES && capacity < most_capacity) {
        capacity *= 2;
    }
    void *buffer;
    TN_TRY(vulkan_allocate(stream->device, capacity, RING_ALIGNMENT, memory, &buffer));
    /* The marks of running batches name the old buffer: they are looked at under this lock. */
    pthread_mutex_lock(&stream->retire_lock);
    vulkan_buffer *old = ring->buffer;
    ring->buffer = buffer;
    ring->capacity = capacity;
    ring->head = 0;
    atomic_store(&ring->tail, 0);
    pthread_mutex_unlock(&stream->retire_lock);
    vulkan_free(stream->device, old);
    return TN_OK;
}

/* The position at which `size` bytes lie in one piece. */
static uint64_t place_for(const vulkan_ring *ring, uint64_t size) {
    const uint64_t at = ring->head % ring->capacity;
    return at + size <= ring->capacity ? ring->head : ring->head + (ring->capacity - at);
}

static int has_room(const vulkan_ring *ring, uint64_t size) {
    return ring->buffer != NULL && size <= ring->capacity / PIECES &&
           place_for(ring, size) + size - atomic_load(&ring->tail) <= ring->capacity;
}

static uint64_t oldest_value(vulkan_stream *stream) {
    pthread_mutex_lock(&stream->retire_lock);
    const uint64_t value = stream->running != NULL ? stream->running->value : 0;
    pthread_mutex_unlock(&stream->retire_lock);
    return value;
}

static tn_status make_room(vulkan_stream *stream, vulkan_ring *ring, uint32_t memory,
                           uint64_t size) {
    if (has_room(ring, size)) {
        return TN_OK;
    }
    vulkan_stream_retire(stream);
    while (!has_room(ring, size)) {
        if (ring->capacity < most_capacity) {
            TN_TRY(grow(stream, ring, memory, size));
            continue;
        }
        TN_TRY(vulkan_stream_flush(stream));
        const uint64_t value = oldest_value(stream);
        if (value == 0) { /* nothing holds the ring any more, whatever the marks say */
            ring->head = 0;
            atomic_store(&ring->tail, 0);
            continue;
        }
        TN_TRY(vulkan_stream_wait_value(stream, value, UINT64_MAX));
    }
    return TN_OK;
}

tn_status vulkan_ring_take(vulkan_stream *stream, uint32_t memory, uint64_t size,
                           vulkan_buffer **out_buffer, uint64_t *out_offset) {
    vulkan_ring *ring = memory == TN_MEMORY_UPLOAD ? &stream->upload : &stream->readback;
    const uint64_t rounded = (size + RING_ALIGNMENT - 1) & ~(uint64_t)(RING_ALIGNMENT - 1);
    vulkan_batch *batch;
    TN_TRY(make_room(stream, ring, memory, rounded));
    TN_TRY(vulkan_stream_batch(stream, &batch));
    TN_TRY(vulkan_batch_retain(stream->device, batch, ring->buffer));
    const uint64_t place = place_for(ring, rounded);
    ring->head = place + rounded;
    const vulkan_ring_mark mark = {ring->buffer, ring->head};
    if (memory == TN_MEMORY_UPLOAD) {
        batch->upload = mark;
    } else {
        batch->readback = mark;
    }
    *out_buffer = ring->buffer;
    *out_offset = place % ring->capacity;
    return TN_OK;
}
