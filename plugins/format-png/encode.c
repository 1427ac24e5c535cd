#include "picture.h"
#include "png_failure.h"

/* All that the work needs: a jump out of libpng leaves it as it is. */
struct encoder {
    const tn_host *host;
    const tn_byte_sink *sink;
    const uint8_t *pixels;
    png_uint_32 height, width;
    uint32_t channels;
    struct png_failure failure;
    tn_status status; /* of the sink */
    png_structp png;
    png_infop info;
};

static void write_bytes(png_structp png, png_bytep data, size_t count) {
    struct encoder *encoder = png_get_io_ptr(png);
    encoder->status = encoder->sink->write(encoder->sink->context, data, count);
    if (encoder->status != TN_OK) {
        png_error(png, "the bytes cannot be written");
    }
}

static void flush_nothing(png_structp png) {
    (void)png;
}

static int color_type(uint32_t channels) {
    return channels == 1   ? PNG_COLOR_TYPE_GRAY
           : channels == 3 ? PNG_COLOR_TYPE_RGB
                           : PNG_COLOR_TYPE_RGB_ALPHA;
}

/* The one function that libpng's errors come back to. */
static int run_libpng(struct encoder *encoder) {
    if (setjmp(encoder->failure.back) != 0) {
        return 0;
    }
    png_set_write_fn(encoder->png, encoder, write_bytes, flush_nothing);
    png_set_IHDR(encoder->png, encoder->info, encoder->width, encoder->height, 8,
                 color_type(encoder->channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(encoder->png, encoder->info);
    const size_t row_bytes = (size_t)encoder->width * encoder->channels;
    for (png_uint_32 row = 0; row < encoder->height; row++) {
        png_write_row(encoder->png, encoder->pixels + row * row_bytes);
    }
    png_write_end(encoder->png, encoder->info);
    return 1;
}

static tn_status encode(struct encoder *encoder) {
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder->failure,
                                           png_failure_raise, png_failure_ignore);
    encoder->info = encoder->png != NULL ? png_create_info_struct(encoder->png) : NULL;
    if (encoder->info == NULL) {
        return tn_fail(encoder->host, TN_OUT_OF_MEMORY, "libpng has no memory");
    }
    if (run_libpng(encoder)) {
        return TN_OK;
    }
    if (encoder->status != TN_OK) {
        return encoder->status;
    }
    return tn_fail(encoder->host, TN_INVALID_ARGUMENT, "the picture cannot be written: %s",
                   encoder->failure.message);
}

static tn_status check_picture(const tn_host *host, const tn_view *view) {
    const int64_t channels = view->rank == 3 ? view->shape[2] : 1;
    if (view->dtype != TN_U8 || view->rank < 2 || view->rank > 3 ||
        (channels != 1 && channels != 3 && channels != 4)) {
        char text[256];
        const tn_shape shape = tn_shape_of(view->rank, view->shape);
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "%s of shape %s is no picture: expected uint8 of shape (height,width) or "
                       "(height,width,channels) with 1, 3 or 4 channels",
                       tn_dtype_name(view->dtype), tn_shape_text(&shape, text, sizeof text));
    }
    if (view->shape[0] < 1 || view->shape[0] > PICTURE_MAX_EXTENT || view->shape[1] < 1 ||
        view->shape[1] > PICTURE_MAX_EXTENT) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "a picture of %lld rows and %lld columns cannot be a PNG: expected 1 to %d",
                       (long long)view->shape[0], (long long)view->shape[1], PICTURE_MAX_EXTENT);
    }
    return TN_OK;
}

tn_status picture_encode(const tn_host *host, const tn_view *view, const tn_byte_sink *sink) {
    TN_TRY(check_picture(host, view));
    struct encoder encoder = {
        .host = host,
        .sink = sink,
        .pixels = tn_data(view),
        .height = (png_uint_32)view->shape[0],
        .width = (png_uint_32)view->shape[1],
        .channels = view->rank == 3 ? (uint32_t)view->shape[2] : 1,
    };
    const tn_status status = encode(&encoder);
    png_destroy_write_struct(&encoder.png, &encoder.info);
    return status;
}
