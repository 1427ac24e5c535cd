#ifndef OPS_NN_BILINEAR_RESIZE_H
#define OPS_NN_BILINEAR_RESIZE_H

#include <tenon/plugin.h>

enum {
    RESIZE_SIZE,
    RESIZE_ODD_SCALE,
    RESIZE_LIKE,
    RESIZE_TO_EVEN_DOWN,
    RESIZE_TO_EVEN_UP,
    RESIZE_TO_ODD_DOWN,
    RESIZE_TO_ODD_UP
};
#define RESIZE_MODES "size|odd_scale|like|to_even_down|to_even_up|to_odd_down|to_odd_up"

typedef struct resize_attributes {
    int64_t height;
    int64_t width;
    double scale_height; /* NaN: not given */
    double scale_width;
    int32_t mode;
    int32_t align_corners;
} resize_attributes;

#endif
