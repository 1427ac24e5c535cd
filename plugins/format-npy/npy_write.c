/* What goes before the elements in an .npy file of version 1.0. */
#include "npy.h"

enum { ALIGNMENT = 64, PREAMBLE_SIZE = NPY_MAGIC_SIZE + 4 };

static void make_header(const char *descr, int32_t rank, const int64_t *shape, char *out_header,
                        uint64_t *out_size) {
    char *text = out_header + PREAMBLE_SIZE;
    const size_t room = NPY_HEADER_SIZE - PREAMBLE_SIZE;
    size_t used =
        (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int32_t axis = 0; axis < rank; axis++) {
        used += (size_t)snprintf(text + used, room - used, axis > 0 ? ", %lld" : "%lld",
                                 (long long)shape[axis]);
    }
    used += (size_t)snprintf(text + used, room - used, rank == 1 ? ",), }" : "), }");
    while ((PREAMBLE_SIZE + used + 1) % ALIGNMENT != 0) {
        text[used++] = ' ';
    }
    text[used++] = '\n';
    memcpy(out_header, NPY_MAGIC "\x01\x00", NPY_MAGIC_SIZE + 2);
    const uint16_t length = (uint16_t)used;
    memcpy(out_header + NPY_MAGIC_SIZE + 2, &length, sizeof length);
    *out_size = PREAMBLE_SIZE + used;
}

tn_status npy_make_header(const tn_host *host, const tn_view *view, char *out_header,
                          uint64_t *out_size) {
    const char *descr = npy_descr(view->dtype);
    if (descr == NULL) {
        return tn_fail(host, TN_UNSUPPORTED, "NumPy has no element type for %s",
                       tn_dtype_name(view->dtype));
    }
    make_header(descr, view->rank, view->shape, out_header, out_size);
    return TN_OK;
}

void npy_make_text_header(size_t length, char *out_header, uint64_t *out_size) {
    char descr[16];
    snprintf(descr, sizeof descr, "|S%u", (unsigned)length);
    make_header(descr, 0, NULL, out_header, out_size);
}
