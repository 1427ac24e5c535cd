#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "tensors.h"

/* A rectangle of numbers from 0 to 255, three channels to a place: red, green, blue. */
typedef struct raster {
    int64_t height, width;
    float *values;
} raster;

static bool raster_create(raster *made, int64_t height, int64_t width) {
    *made = (raster){height, width, NULL};
    made->values = calloc((size_t)(height * width), PICTURE_CHANNELS * sizeof(float));
    return made->values != NULL;
}

/* Grey becomes three equal channels; how much shows through is left out. */
static bool take_pixels(const tn_view *view, raster *out_raster) {
    const int64_t channels = view->rank == 3 ? view->shape[2] : 1;
    const uint8_t *bytes = tn_data(view);
    if (!raster_create(out_raster, view->shape[0], view->shape[1])) {
        return false;
    }
    for (int64_t i = 0; i < view->shape[0] * view->shape[1]; i++) {
        for (int64_t c = 0; c < PICTURE_CHANNELS; c++) {
            out_raster->values[i * PICTURE_CHANNELS + c] =
                bytes[i * channels + (channels >= PICTURE_CHANNELS ? c : 0)];
        }
    }
    return true;
}

/* One axis to another extent by a linear filter, which grows where the picture shrinks, so that
 * every pixel counts: slices of `inner` numbers. */
static void resample(const float *source, int64_t from, float *target, int64_t to, int64_t outer,
                     int64_t inner) {
    const double step = (double)from / (double)to, reach = step > 1 ? step : 1;
    for (int64_t i = 0; i < to; i++) {
        const double middle = ((double)i + 0.5) * step - 0.5;
        int64_t first = (int64_t)ceil(middle - reach), last = (int64_t)floor(middle + reach);
        double total = 0;
        first = first < 0 ? 0 : first;
        last = last >= from ? from - 1 : last;
        for (int64_t k = first; k <= last; k++) {
            total += fmax(0, 1 - fabs((double)k - middle) / reach);
        }
        for (int64_t k = first; k <= last; k++) {
            const float weight = (float)(fmax(0, 1 - fabs((double)k - middle) / reach) / total);
            for (int64_t o = 0; o < outer; o++) {
                const float *row = source + (o * from + k) * inner;
                float *sum = target + (o * to + i) * inner;
                for (int64_t j = 0; j < inner; j++) {
                    sum[j] += weight * row[j];
                }
            }
        }
    }
}

static bool resize(raster *picture, int64_t height, int64_t width) {
    raster wide, made;
    if (height == picture->height && width == picture->width) {
        return true;
    }
    if (!raster_create(&wide, picture->height, width)) {
        return false;
    }
    if (!raster_create(&made, height, width)) {
        free(wide.values);
        return false;
    }
    resample(picture->values, picture->width, wide.values, width, picture->height,
             PICTURE_CHANNELS);
    resample(wide.values, picture->height, made.values, height, 1, width * PICTURE_CHANNELS);
    free(wide.values);
    free(picture->values);
    *picture = made;
    return true;
}

/* Cuts off, or fills up, to the extents. */
static bool frame(raster *picture, const cli_picture_options *options, int64_t height,
                  int64_t width) {
    raster made;
    const int64_t down = options->is_in_corner ? 0 : (height - picture->height) / 2;
    const int64_t right = options->is_in_corner ? 0 : (width - picture->width) / 2;
    if (height == picture->height && width == picture->width) {
        return true;
    }
    if (!raster_create(&made, height, width)) {
        return false;
    }
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            const int64_t from_y = y - down, from_x = x - right;
            const bool is_there =
                from_y >= 0 && from_y < picture->height && from_x >= 0 && from_x < picture->width;
            for (int64_t c = 0; c < PICTURE_CHANNELS; c++) {
                made.values[(y * width + x) * PICTURE_CHANNELS + c] =
                    is_there
                        ? picture->values[(from_y * picture->width + from_x) * PICTURE_CHANNELS + c]
                        : (float)options->fill;
            }
        }
    }
    free(picture->values);
    *picture = made;
    return true;
}

static int64_t scaled(int64_t side, double factor) {
    const int64_t rounded = (int64_t)floor((double)side * factor + 0.5);
    return rounded < 1 ? 1 : rounded;
}

static bool bring_to_size(raster *picture, const cli_picture_options *options, int64_t height,
                          int64_t width) {
    const double down = (double)height / (double)picture->height;
    const double across = (double)width / (double)picture->width;
    const int64_t shorter = picture->height < picture->width ? picture->height : picture->width;
    double factor = options->resize == PICTURE_COVER ? fmax(down, across) : fmin(down, across);
    if (options->resize == PICTURE_STRETCH) {
        return resize(picture, height, width);
    }
    if (options->resize == PICTURE_COVER && options->short_side > 0) {
        factor = (double)options->short_side / (double)shorter;
    }
    return resize(picture, scaled(picture->height, factor), scaled(picture->width, factor)) &&
           frame(picture, options, height, width);
}

static float element_of(const raster *picture, const cli_picture_options *options, int64_t place,
                        int64_t channel) {
    const float *values = picture->values + place * PICTURE_CHANNELS;
    double value;
    switch (options->channels) {
    case PICTURE_GREY:
        value = 0.299 * (double)values[0] + 0.587 * (double)values[1] + 0.114 * (double)values[2];
        break;
    case PICTURE_BGR: value = (double)values[PICTURE_CHANNELS - 1 - channel]; break;
    default: value = (double)values[channel]; break;
    }
    return (float)((value * options->scale - options->mean[channel]) / options->std[channel]);
}

static tn_tensor *make_tensor(tn_runtime *runtime, const raster *picture,
                              const cli_picture_options *options) {
    const int64_t channels = options->channels == PICTURE_GREY ? 1 : PICTURE_CHANNELS;
    const int64_t plane = picture->height * picture->width;
    const int64_t first[] = {1, channels, picture->height, picture->width};
    const int64_t last[] = {1, picture->height, picture->width, channels};
    tn_tensor *tensor = NULL;
    if (tn_tensor_create(runtime, TN_F32, 4, options->is_channels_last ? last : first, &tensor) !=
        TN_OK) {
        cli_fail();
        return NULL;
    }
    float *elements = tn_tensor_data(tensor);
    for (int64_t place = 0; place < plane; place++) {
        for (int64_t c = 0; c < channels; c++) {
            elements[options->is_channels_last ? place * channels + c : c * plane + place] =
                element_of(picture, options, place, c);
        }
    }
    return tensor;
}

/* The extents that the picture is brought to: as asked for, as declared, or its own. */
static int find_size(const cli_picture_options *options, const tn_tensor_type *wanted,
                     const raster *picture, const char *path, int64_t *out_height,
                     int64_t *out_width) {
    const tn_shape *shape = &wanted->shape;
    if (shape->rank >= 0 && shape->rank != 4) {
        return cli_fail_with("%s: the input has %d axes, but a picture makes 4: a batch of one, "
                             "channels, height and width",
                             path, (int)shape->rank);
    }
    const int first = options->is_channels_last ? 1 : 2;
    const int64_t height = shape->rank == 4 ? shape->extents[first] : -1;
    const int64_t width = shape->rank == 4 ? shape->extents[first + 1] : -1;
    *out_height = options->height > 0 ? options->height : height > 0 ? height : picture->height;
    *out_width = options->width > 0 ? options->width : width > 0 ? width : picture->width;
    return CLI_OK;
}

tn_tensor *cli_read_picture(tn_runtime *runtime, const char *path,
                            const cli_picture_options *options, const tn_tensor_type *wanted) {
    tn_tensor *pixels = cli_read_tensor(runtime, path), *tensor = NULL;
    raster picture = {0};
    int64_t height = 0, width = 0;
    if (pixels == NULL) {
        return NULL;
    }
    const tn_view *view = tn_tensor_view(pixels);
    if (view->dtype != TN_U8 || view->rank < 2 || view->rank > 3 || view->shape[0] < 1 ||
        view->shape[1] < 1) {
        char text[256];
        const tn_shape shape = tn_shape_of(view->rank, view->shape);
        cli_fail_with("%s is no picture: it holds %s %s, expected uint8 (height,width,channels)",
                      path, tn_dtype_text(view->dtype), cli_shape_text(&shape, text, sizeof text));
    } else if (!take_pixels(view, &picture)) {
        cli_fail_with("out of memory");
    } else if (find_size(options, wanted, &picture, path, &height, &width) == CLI_OK) {
        if (bring_to_size(&picture, options, height, width)) {
            tensor = make_tensor(runtime, &picture, options);
        } else {
            cli_fail_with("out of memory");
        }
    }
    free(picture.values);
    tn_tensor_release(pixels);
    return tensor;
}
