#include "picture.h"
#include "png_failure.h"

enum {
    DEFLATE_MAX_RATIO = 1032,  /* deflate makes at most so many bytes of one */
    MAX_CHUNK_BYTES = 1 << 22, /* of text, profiles and the like */
    MAX_PICTURE_BYTES = 1 << 30,
};

/* All that the work needs: a jump out of libpng leaves it as it is. */
struct decoder {
    const tn_host *host;
    const tn_tensor_service *tensors;
    const uint8_t *data;
    uint64_t size;
    uint64_t offset;
    struct png_failure failure;
    tn_status status; /* of the host's services */
    png_structp png;
    png_infop info;
    tn_tensor *tensor;
};

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    struct decoder *decoder = png_get_io_ptr(png);
    if (count > decoder->size - decoder->offset) {
        png_error(png, "the file ends too early");
    }
    memcpy(target, decoder->data + decoder->offset, count);
    decoder->offset += count;
}

/* Asks libpng for 8 bits and for 1, 3 or 4 channels. */
static void set_conversions(struct decoder *decoder) {
    const int color = png_get_color_type(decoder->png, decoder->info);
    png_set_scale_16(decoder->png);
    png_set_expand(decoder->png); /* palettes, grey of fewer than 8 bits, transparent colours */
    const int has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0 ||
                          png_get_valid(decoder->png, decoder->info, PNG_INFO_tRNS) != 0;
    if (has_alpha && (color & PNG_COLOR_MASK_COLOR) == 0) {
        png_set_gray_to_rgb(decoder->png);
    }
}

/* Refuses a header that promises more than the file's bytes can unpack to. */
static void check_promise(struct decoder *decoder) {
    const uint64_t row_bytes = png_get_rowbytes(decoder->png, decoder->info);
    const uint64_t bytes = row_bytes * png_get_image_height(decoder->png, decoder->info);
    if (bytes / DEFLATE_MAX_RATIO > decoder->size) {
        png_error(decoder->png, "the header promises more pixels than the file can hold");
    }
}

static void create_tensor(struct decoder *decoder) {
    const uint64_t row_bytes = png_get_rowbytes(decoder->png, decoder->info);
    if (row_bytes * png_get_image_height(decoder->png, decoder->info) > MAX_PICTURE_BYTES) {
        png_error(decoder->png, "the picture takes more than 1 GiB");
    }
    const int64_t extents[] = {png_get_image_height(decoder->png, decoder->info),
                               png_get_image_width(decoder->png, decoder->info),
                               png_get_channels(decoder->png, decoder->info)};
    decoder->status = decoder->tensors->create(decoder->host, TN_U8, 3, extents, &decoder->tensor);
    if (decoder->status != TN_OK) {
        png_error(decoder->png, "no tensor");
    }
}

static void read_rows(struct decoder *decoder, int passes) {
    uint8_t *pixels = tn_data(decoder->tensors->view(decoder->host, decoder->tensor));
    const size_t row_bytes = png_get_rowbytes(decoder->png, decoder->info);
    const png_uint_32 height = png_get_image_height(decoder->png, decoder->info);
    for (int pass = 0; pass < passes; pass++) {
        for (png_uint_32 row = 0; row < height; row++) {
            png_read_row(decoder->png, pixels + row * row_bytes, NULL);
        }
    }
}

/* The one function that libpng's errors come back to. */
static int run_libpng(struct decoder *decoder) {
    if (setjmp(decoder->failure.back) != 0) {
        return 0;
    }
    png_set_user_limits(decoder->png, PICTURE_MAX_EXTENT, PICTURE_MAX_EXTENT);
    png_set_chunk_malloc_max(decoder->png, MAX_CHUNK_BYTES);
    png_set_read_fn(decoder->png, decoder, read_bytes);
    png_read_info(decoder->png, decoder->info);
    check_promise(decoder);
    set_conversions(decoder);
    const int passes = png_set_interlace_handling(decoder->png);
    png_read_update_info(decoder->png, decoder->info);
    create_tensor(decoder);
    read_rows(decoder, passes);
    png_read_end(decoder->png, NULL);
    return 1;
}

static tn_status decode(struct decoder *decoder) {
    decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder->failure,
                                          png_failure_raise, png_failure_ignore);
    decoder->info = decoder->png != NULL ? png_create_info_struct(decoder->png) : NULL;
    if (decoder->info == NULL) {
        return tn_fail(decoder->host, TN_OUT_OF_MEMORY, "libpng has no memory");
    }
    if (run_libpng(decoder)) {
        return TN_OK;
    }
    if (decoder->status != TN_OK) {
        return decoder->status;
    }
    return tn_fail(decoder->host, TN_CORRUPT, "byte %llu: %s", (unsigned long long)decoder->offset,
                   decoder->failure.message);
}

tn_status picture_decode(const tn_host *host, const void *data, uint64_t size,
                         tn_tensor **out_tensor) {
    struct decoder decoder = {
        .host = host,
        .tensors = TN_SERVICE(host, tensor),
        .data = data,
        .size = size,
    };
    const tn_status status = decode(&decoder);
    png_destroy_read_struct(&decoder.png, &decoder.info, NULL);
    if (status != TN_OK) {
        decoder.tensors->release(host, decoder.tensor);
        return status;
    }
    *out_tensor = decoder.tensor;
    return TN_OK;
}
