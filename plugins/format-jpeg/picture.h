/* JPEG pictures as u8 tensors of shape (height, width, channels). */
#ifndef FORMAT_JPEG_PICTURE_H
#define FORMAT_JPEG_PICTURE_H

#include <tenon/plugin.h>

/* 1 channel (grey) or 3 (RGB); colours for print are turned into RGB. */
tn_status picture_decode(const tn_host *host, const void *data, uint64_t size,
                         tn_tensor **out_tensor);

#endif
