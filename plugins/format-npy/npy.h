/* One array in NumPy's own format. */
#ifndef FORMAT_NPY_NPY_H
#define FORMAT_NPY_NPY_H

#include <tenon/plugin.h>

#define NPY_MAGIC "\x93NUMPY"

enum { NPY_MAGIC_SIZE = sizeof NPY_MAGIC - 1 };

/* What the header says. */
struct npy_header {
    tn_dtype dtype;
    int32_t is_swapped; /* the elements are big-endian */
    int32_t is_fortran; /* the first axis varies fastest */
    uint64_t data_offset;
    uint64_t data_size;
    tn_shape shape;
};

/* Checks the header, and that exactly the elements follow it. */
tn_status npy_read_header(const tn_host *host, const uint8_t *data, uint64_t size,
                          struct npy_header *out_header);

tn_status npy_read(const tn_host *host, const uint8_t *data, uint64_t size, tn_tensor **out_tensor);

enum { NPY_HEADER_SIZE = 1024 };

/* Fills `out_header` (NPY_HEADER_SIZE bytes) with what goes before the elements. */
tn_status npy_make_header(const tn_host *host, const tn_view *view, char *out_header,
                          uint64_t *out_size);

/* The same for one text of `length` bytes, less than 100. */
void npy_make_text_header(size_t length, char *out_header, uint64_t *out_size);

/* A text of NumPy's, one byte or four a character, without its zeros; "" when it does not fit into
 * `size` bytes. */
tn_status npy_read_text(const tn_host *host, const uint8_t *data, uint64_t data_size,
                        char *out_text, size_t size);

/* The text of an element type, "<f4", and back; NULL and 0 when there is none. */
const char *npy_descr(tn_dtype dtype);
tn_dtype npy_dtype(const char *kind_and_size);

#endif
