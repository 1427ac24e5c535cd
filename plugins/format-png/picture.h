/* Pictures as u8 tensors of shape (height, width, channels). */
#ifndef FORMAT_PNG_PICTURE_H
#define FORMAT_PNG_PICTURE_H

#include <tenon/plugin.h>

/* Of either side; libpng's own limit. */
enum { PICTURE_MAX_EXTENT = 1000000 };

/* 1 (grey), 3 (RGB) or 4 (RGB and alpha) channels; other kinds of PNG are turned into these. */
tn_status picture_decode(const tn_host *host, const void *data, uint64_t size,
                         tn_tensor **out_tensor);

/* `view` is u8 of shape (height, width) or (height, width, 1, 3 or 4). */
tn_status picture_encode(const tn_host *host, const tn_view *view, const tn_byte_sink *sink);

#endif
