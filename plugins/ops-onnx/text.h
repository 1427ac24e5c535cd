/* Texts: elements of TN_STRING tensors. */
#ifndef OPS_ONNX_TEXT_H
#define OPS_ONNX_TEXT_H

#include <tenon/plugin.h>

/* Element number `index`; never NULL. */
TN_INLINE_ const char *text_at(const tn_view *view, int64_t index) {
    const char *text = ((const char *const *)tn_data(view))[index];
    return text == NULL ? "" : text;
}

/* Makes element `index` of a view these bytes. */
tn_status set_text(const tn_host *host, const tn_view *view, int64_t index, const char *bytes,
                   uint64_t size);

/* A text of a finite or infinite number: as few digits as give it back when they are read, 6 is
 * "6.0", and below 1e-4 or from 1e16 on it has an exponent. `size` is that of the buffer, at least
 * 40. */
void text_of_number(double value, int is_single, char *buffer, size_t size);

#endif
