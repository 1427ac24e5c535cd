/* The format "pnm": a grey (PGM) or coloured (PPM) picture as a tensor. It is read, not written. */
#include <tenon/plugin.h>

enum { MAX_EXTENT = 1000000, MAX_SAMPLE = 65535 };

/* What of the file is read already. */
struct reader {
    const tn_host *host;
    const unsigned char *data;
    uint64_t size, offset;
};

static int is_space(unsigned char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int has_more(const struct reader *reader) {
    return reader->offset < reader->size;
}

/* White space, and comments up to the end of their line. */
static void skip_space(struct reader *reader) {
    while (has_more(reader)) {
        const unsigned char c = reader->data[reader->offset];
        if (c == '#') {
            while (has_more(reader) && reader->data[reader->offset] != '\n') {
                reader->offset++;
            }
        } else if (is_space(c)) {
            reader->offset++;
        } else {
            return;
        }
    }
}

/* A number in digits, from `lowest` to `highest`. */
static tn_status read_number(struct reader *reader, const char *what, uint32_t lowest,
                             uint32_t highest, uint32_t *out_number) {
    uint32_t number = 0;
    skip_space(reader);
    const uint64_t first = reader->offset;
    while (has_more(reader) && reader->data[reader->offset] >= '0' &&
           reader->data[reader->offset] <= '9' && number <= highest) {
        number = 10 * number + (reader->data[reader->offset++] - '0');
    }
    if (reader->offset == first || number < lowest || number > highest) {
        return tn_fail(reader->host, TN_CORRUPT, "byte %llu: %s: expected a number from %u to %u",
                       (unsigned long long)first, what, (unsigned)lowest, (unsigned)highest);
    }
    *out_number = number;
    return TN_OK;
}

struct header {
    int is_text; /* samples are digits, otherwise bytes */
    uint32_t channels, width, height, highest;
};

static tn_status read_header(struct reader *reader, struct header *out_header) {
    const unsigned char kind = reader->size > 1 && reader->data[0] == 'P' ? reader->data[1] : 0;
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6') {
        return tn_fail(reader->host, TN_CORRUPT, "it does not begin with P2, P3, P5 or P6");
    }
    reader->offset = 2;
    out_header->is_text = kind < '5';
    out_header->channels = kind == '3' || kind == '6' ? 3 : 1;
    TN_TRY(read_number(reader, "width", 1, MAX_EXTENT, &out_header->width));
    TN_TRY(read_number(reader, "height", 1, MAX_EXTENT, &out_header->height));
    TN_TRY(read_number(reader, "the highest sample", 1, MAX_SAMPLE, &out_header->highest));
    if (!has_more(reader) || !is_space(reader->data[reader->offset])) {
        return tn_fail(reader->host, TN_CORRUPT, "byte %llu: no white space behind the header",
                       (unsigned long long)reader->offset);
    }
    reader->offset++;
    return TN_OK;
}

/* Whether the file is long enough, before memory is taken: a sample in digits has a space too. */
static tn_status check_size(const struct reader *reader, const struct header *header) {
    const uint64_t count = (uint64_t)header->width * header->height * header->channels;
    const uint64_t sample = header->highest > 255 ? 2 : 1;
    const uint64_t least = header->is_text ? 2 * count - 1 : sample * count;
    const uint64_t left = reader->size - reader->offset;
    if (left < least) {
        return tn_fail(reader->host, TN_CORRUPT,
                       "%u by %u pixels take at least %llu bytes, the file has %llu",
                       (unsigned)header->width, (unsigned)header->height, (unsigned long long)least,
                       (unsigned long long)left);
    }
    return TN_OK;
}

static tn_status read_samples(struct reader *reader, const struct header *header, uint64_t count,
                              uint8_t *pixels) {
    const uint64_t size = header->highest > 255 ? 2 : 1;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t sample = 0;
        if (header->is_text) {
            TN_TRY(read_number(reader, "a sample", 0, header->highest, &sample));
        } else {
            for (uint64_t k = 0; k < size; k++) {
                sample = sample << 8 | reader->data[reader->offset++];
            }
            sample = sample < header->highest ? sample : header->highest;
        }
        pixels[i] = (uint8_t)((sample * 255 + header->highest / 2) / header->highest);
    }
    return TN_OK;
}

static tn_status read_tensors(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    struct reader reader = {host, source->data, source->size, 0};
    struct header header;
    tn_tensor *tensor;
    TN_TRY(read_header(&reader, &header));
    TN_TRY(check_size(&reader, &header));
    const int64_t extents[] = {header.height, header.width, header.channels};
    TN_TRY(tensors->create(host, TN_U8, 3, extents, &tensor));
    tn_status status = read_samples(&reader, &header, (uint64_t)tn_extent_product(extents, 0, 3),
                                    tn_data(tensors->view(host, tensor)));
    if (status == TN_OK) {
        status = sink->add(sink->context, NULL, tensor);
    }
    tensors->release(host, tensor);
    return status;
}

static int has_ending(const char *path, const char *ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

static int32_t recognise(const tn_host *host, const tn_source *source) {
    const unsigned char *data = source->data;
    (void)host;
    if (source->size > 2 && data[0] == 'P' && data[1] != '\0' && strchr("2356", data[1]) != NULL &&
        (is_space(data[2]) || data[2] == '#')) {
        return 90;
    }
    return source->path != NULL &&
           (has_ending(source->path, ".pgm") || has_ending(source->path, ".ppm"));
}

static const tn_format pnm = {
    .struct_size = TN_FORMAT_SIZE,
    .doc = "A picture, in digits or bytes, as a uint8 tensor of shape (height, width, channels) "
           "with 1 or 3 channels; samples of another range are brought to 0 to 255. Read only.",
    .extensions = ".pgm .ppm",
    .recognise = recognise,
    .read_tensors = read_tensors,
};

static const tn_entry entries[] = {TN_ENTRY_FORMAT("pnm", &pnm)};

TN_PLUGIN_WITH("format-pnm", "0.1.0", "error/1,tensor/1", "", NULL, NULL, entries);
