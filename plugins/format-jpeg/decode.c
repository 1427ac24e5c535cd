/*
 * libjpeg reports an error by a call that must not return: it jumps back to the setjmp of the one
 * function that called libjpeg, with the message kept.
 */
#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

#include "picture.h"

enum {
    MOST_RATIO = 4096, /* bytes of pixels for one of the file: an empty picture has fewer */
    MOST_SCANS = 256,  /* a few bytes of each can cost the time of the whole picture */
    MAX_PICTURE_BYTES = 1 << 30,
    INKS = 4, /* cyan, magenta, yellow and black */
};

/* All that the work needs: a jump out of libjpeg leaves it as it is. */
struct decoder {
    struct jpeg_error_mgr errors; /* first: libjpeg hands it back */
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
    const tn_host *host;
    const tn_tensor_service *tensors;
    const uint8_t *data;
    uint64_t size;
    tn_status status; /* of the host's services */
    tn_tensor *tensor;
};

static struct decoder *decoder_of(j_common_ptr jpeg) {
    return (struct decoder *)(void *)jpeg->err;
}

static void fail(struct decoder *decoder, const char *message) {
    snprintf(decoder->message, sizeof decoder->message, "%s", message);
    longjmp(decoder->back, 1);
}

static void raise_error(j_common_ptr jpeg) {
    struct decoder *decoder = decoder_of(jpeg);
    jpeg->err->format_message(jpeg, decoder->message);
    longjmp(decoder->back, 1);
}

/* Of warnings one counts: pixels are missing. */
static void take_message(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) {
        fail(decoder_of(jpeg), "the file ends too early");
    }
}

static void watch_scans(j_common_ptr jpeg) {
    struct decoder *decoder = decoder_of(jpeg);
    if (decoder->jpeg.input_scan_number > MOST_SCANS) {
        fail(decoder, "the picture has too many scans");
    }
}

/* Refuses a header that promises more than the file's bytes can hold. */
static void check_promise(struct decoder *decoder) {
    const uint64_t bytes = (uint64_t)decoder->jpeg.image_width * decoder->jpeg.image_height *
                           (uint64_t)decoder->jpeg.num_components;
    if (bytes > MAX_PICTURE_BYTES) {
        fail(decoder, "the picture takes more than 1 GiB");
    }
    if (bytes / MOST_RATIO > decoder->size) {
        fail(decoder, "the header promises more pixels than the file can hold");
    }
}

static void choose_colours(struct jpeg_decompress_struct *jpeg) {
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE: jpeg->out_color_space = JCS_GRAYSCALE; break;
    case JCS_CMYK:
    case JCS_YCCK: jpeg->out_color_space = JCS_CMYK; break;
    default: jpeg->out_color_space = JCS_RGB; break;
    }
}

static void create_tensor(struct decoder *decoder) {
    const int64_t extents[] = {decoder->jpeg.output_height, decoder->jpeg.output_width,
                               decoder->jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3};
    decoder->status = decoder->tensors->create(decoder->host, TN_U8, 3, extents, &decoder->tensor);
    if (decoder->status != TN_OK) {
        fail(decoder, "no tensor");
    }
}

/* Adobe's files hold how much light is left, all others how much ink is on the paper. */
static void paint_row(const JSAMPLE *inks, int holds_light, uint32_t count, uint8_t *pixels) {
    for (uint32_t i = 0; i < count; i++) {
        const unsigned black = holds_light ? inks[i * INKS + 3] : 255u - inks[i * INKS + 3];
        for (uint32_t c = 0; c < 3; c++) {
            const unsigned light = holds_light ? inks[i * INKS + c] : 255u - inks[i * INKS + c];
            pixels[i * 3 + c] = (uint8_t)((light * black + 127) / 255);
        }
    }
}

static void read_rows(struct decoder *decoder) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    const tn_view *view = decoder->tensors->view(decoder->host, decoder->tensor);
    const int is_ink = jpeg->out_color_space == JCS_CMYK;
    const size_t row_bytes = (size_t)(view->shape[1] * view->shape[2]);
    JSAMPARRAY inks = is_ink ? jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE,
                                                       jpeg->output_width * INKS, 1)
                             : NULL;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = (uint8_t *)tn_data(view) + jpeg->output_scanline * row_bytes;
        jpeg_read_scanlines(jpeg, is_ink ? inks : &row, 1);
        if (is_ink) {
            paint_row(inks[0], jpeg->saw_Adobe_marker, jpeg->output_width, row);
        }
    }
}

/* The one function that libjpeg's errors come back to. */
static int run_libjpeg(struct decoder *decoder) {
    if (setjmp(decoder->back) != 0) {
        return 0;
    }
    jpeg_create_decompress(&decoder->jpeg);
    decoder->jpeg.progress = &decoder->progress;
    jpeg_mem_src(&decoder->jpeg, decoder->data, decoder->size);
    jpeg_read_header(&decoder->jpeg, TRUE);
    check_promise(decoder);
    choose_colours(&decoder->jpeg);
    jpeg_start_decompress(&decoder->jpeg);
    create_tensor(decoder);
    read_rows(decoder);
    jpeg_finish_decompress(&decoder->jpeg);
    return 1;
}

tn_status picture_decode(const tn_host *host, const void *data, uint64_t size,
                         tn_tensor **out_tensor) {
    struct decoder decoder = {
        .progress.progress_monitor = watch_scans,
        .host = host,
        .tensors = TN_SERVICE(host, tensor),
        .data = data,
        .size = size,
    };
    if (size == 0) {
        return tn_fail(host, TN_CORRUPT, "the file is empty");
    }
    decoder.jpeg.err = jpeg_std_error(&decoder.errors);
    decoder.errors.error_exit = raise_error;
    decoder.errors.emit_message = take_message;
    const int is_whole = run_libjpeg(&decoder);
    jpeg_destroy_decompress(&decoder.jpeg);
    if (!is_whole) {
        decoder.tensors->release(host, decoder.tensor);
        return decoder.status != TN_OK ? decoder.status
                                       : tn_fail(host, TN_CORRUPT, "%s", decoder.message);
    }
    *out_tensor = decoder.tensor;
    return TN_OK;
}
