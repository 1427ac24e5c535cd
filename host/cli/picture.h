/* Pictures as inputs of a model: brought to its size, its order of channels and its numbers. */
#ifndef TENON_CLI_PICTURE_H
#define TENON_CLI_PICTURE_H

#include "command.h"

/* Rows for a command that takes pictures. */
#define CLI_PICTURE_OPTIONS                                                                        \
    {"--picture", "[NAME=]FILE",                                                                   \
     "an input from a picture, prepared as MODEL.picture.json says (NAME= may be left out where "  \
     "there is one input); repeatable"},                                                           \
    {                                                                                              \
        "--picture-option", "KEY=VALUE",                                                           \
            "how pictures are prepared, in place of what the file says: size, resize, "            \
            "short_side, place, fill, channels, layout, scale, mean, std; repeatable"              \
    }

typedef enum picture_resize {
    PICTURE_STRETCH, /* to the size, whatever the proportions */
    PICTURE_COVER,   /* until the size is covered; what stands out is cut off */
    PICTURE_FIT      /* until it fits into the size; the rest is filled */
} picture_resize;

typedef enum picture_channels { PICTURE_RGB, PICTURE_BGR, PICTURE_GREY } picture_channels;

enum { PICTURE_CHANNELS = 3 };

/* An element is (value * scale - mean) / std, of values from 0 to 255. */
typedef struct cli_picture_options {
    int64_t height, width; /* 0: as the model has it, else the picture's own */
    int64_t short_side;    /* 0: none; of COVER: the shorter side before it is cut */
    picture_resize resize;
    picture_channels channels;
    bool is_channels_last;
    bool is_in_corner; /* of COVER and FIT: at the left top, otherwise in the middle */
    double fill;       /* from 0 to 255 */
    double scale;
    double mean[PICTURE_CHANNELS], std[PICTURE_CHANNELS];
} cli_picture_options;

/* What MODEL.picture.json says, if it is there, and then the command line. */
int cli_picture_options_read(const cli_arguments *arguments, const char *model,
                             cli_picture_options *out_options);

/* (1, channels, height, width), or with the channels last, in float32. `wanted` is what the model
 * declares of the input. NULL after a complaint. */
tn_tensor *cli_read_picture(tn_runtime *runtime, const char *path,
                            const cli_picture_options *options, const tn_tensor_type *wanted);

#endif
