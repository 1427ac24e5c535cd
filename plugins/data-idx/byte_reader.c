#include "byte_reader.h"

enum {
    DEFLATE_MAX_RATIO = 1032, /* deflate makes at most so many bytes of one */
    GZIP_HEADER_ONLY = 16,    /* added to zlib's window bits: no other container */
};

static int begins_with_gzip_mark(const uint8_t *data, uint64_t size) {
    return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

tn_status byte_reader_init(const tn_host *host, const char *where, const void *data, uint64_t size,
                           struct byte_reader *reader) {
    memset(reader, 0, sizeof *reader);
    reader->where = where;
    reader->data = data;
    reader->size = size;
    if (!begins_with_gzip_mark(data, size)) {
        return TN_OK;
    }
    if (inflateInit2(&reader->stream, MAX_WBITS + GZIP_HEADER_ONLY) != Z_OK) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "%szlib has no memory", where);
    }
    reader->is_gzip = 1;
    return TN_OK;
}

void byte_reader_finish(struct byte_reader *reader) {
    if (reader->is_gzip) {
        inflateEnd(&reader->stream);
    }
}

static uInt at_most_uint(uint64_t count) {
    return count > UINT32_MAX ? UINT32_MAX : (uInt)count;
}

/* One call of zlib: advances the input, and returns how many bytes came out. */
static tn_status inflate_some(const tn_host *host, struct byte_reader *reader, uint8_t *target,
                              uint64_t count, uint64_t *out_count) {
    z_stream *stream = &reader->stream;
    const uInt in = at_most_uint(reader->size - reader->offset), out = at_most_uint(count);
    stream->next_in = (Bytef *)(uintptr_t)(reader->data + reader->offset);
    stream->avail_in = in;
    stream->next_out = target;
    stream->avail_out = out;
    const int result = inflate(stream, Z_NO_FLUSH);
    reader->offset += in - stream->avail_in;
    *out_count = out - stream->avail_out;
    if (result == Z_STREAM_END) {
        reader->is_finished = 1;
        return TN_OK;
    }
    if (result != Z_OK) {
        return tn_fail(host, TN_CORRUPT, "%sbyte %llu of the compressed data: %s", reader->where,
                       (unsigned long long)reader->offset,
                       stream->msg != NULL ? stream->msg : "the data ends too early");
    }
    return TN_OK;
}

static tn_status fail_short(const tn_host *host, const struct byte_reader *reader,
                            uint64_t missing) {
    return tn_fail(host, TN_CORRUPT, "%sthe data ends %llu bytes too early", reader->where,
                   (unsigned long long)missing);
}

tn_status byte_reader_take(const tn_host *host, struct byte_reader *reader, void *target,
                           uint64_t count) {
    if (!reader->is_gzip) {
        if (count > reader->size - reader->offset) {
            return fail_short(host, reader, count - (reader->size - reader->offset));
        }
        memcpy(target, reader->data + reader->offset, count);
        reader->offset += count;
        return TN_OK;
    }
    uint8_t *next = target;
    while (count > 0) {
        uint64_t taken = 0;
        if (reader->is_finished) {
            return fail_short(host, reader, count);
        }
        TN_TRY(inflate_some(host, reader, next, count, &taken));
        next += taken;
        count -= taken;
    }
    return TN_OK;
}

tn_status byte_reader_expect_end(const tn_host *host, struct byte_reader *reader) {
    uint64_t beyond = 0;
    while (reader->is_gzip && !reader->is_finished && beyond == 0) {
        uint8_t byte;
        TN_TRY(inflate_some(host, reader, &byte, sizeof byte, &beyond));
    }
    if (beyond > 0 || reader->offset != reader->size) {
        return tn_fail(host, TN_CORRUPT, "%smore bytes follow than the header promises",
                       reader->where);
    }
    return TN_OK;
}

uint64_t byte_reader_most_left(const struct byte_reader *reader) {
    const uint64_t left = reader->size - reader->offset;
    if (!reader->is_gzip) {
        return left;
    }
    /* What zlib holds back from the bytes it has seen is covered by counting them again. */
    return reader->size > UINT64_MAX / DEFLATE_MAX_RATIO ? UINT64_MAX
                                                         : reader->size * DEFLATE_MAX_RATIO;
}
