/* Bytes in order, from memory that holds them as they are or compressed by gzip. */
#ifndef DATA_IDX_BYTE_READER_H
#define DATA_IDX_BYTE_READER_H

#include <zlib.h>

#include <tenon/plugin.h>

struct byte_reader {
    const char *where; /* goes in front of messages: "", or "'labels.gz': " */
    const uint8_t *data;
    uint64_t size;
    uint64_t offset; /* of the next byte to take or to hand to zlib */
    int32_t is_gzip;
    int32_t is_finished; /* zlib has seen the end of the compressed stream */
    z_stream stream;
};

tn_status byte_reader_init(const tn_host *host, const char *where, const void *data, uint64_t size,
                           struct byte_reader *reader);
void byte_reader_finish(struct byte_reader *reader);

/* CORRUPT when fewer bytes are left, or when what is compressed is damaged. */
tn_status byte_reader_take(const tn_host *host, struct byte_reader *reader, void *target,
                           uint64_t count);

/* CORRUPT unless all has been taken, and nothing follows the compressed stream. */
tn_status byte_reader_expect_end(const tn_host *host, struct byte_reader *reader);

/* How many more bytes there can be at most. */
uint64_t byte_reader_most_left(const struct byte_reader *reader);

#endif
