/*
 * Reads the header of an .npy file: a Python dictionary in text, of which the three keys that
 * NumPy writes are understood, in any order and spacing.
 */
#include "npy.h"

enum { VERSION_SIZE = 2, DESCR_SIZE = 8, KEY_SIZE = 16 };

/* The text between `at` and `end`; `failed` once something was not as it must be. */
struct scanner {
    const char *at;
    const char *end;
    int failed;
};

static char peek(struct scanner *scanner) {
    while (scanner->at < scanner->end && (*scanner->at == ' ' || *scanner->at == '\n')) {
        scanner->at++;
    }
    return scanner->at < scanner->end ? *scanner->at : '\0';
}

/* Goes past `c` when it is next. */
static int accept(struct scanner *scanner, char c) {
    if (scanner->failed || peek(scanner) != c) {
        return 0;
    }
    scanner->at++;
    return 1;
}

static void expect(struct scanner *scanner, char c) {
    if (!accept(scanner, c)) {
        scanner->failed = 1;
    }
}

/* A text in quotes without escapes; one that is too long is cut, and so equals nothing known. */
static void scan_text(struct scanner *scanner, char *text, size_t size) {
    const char quote = peek(scanner);
    size_t length = 0;
    if (quote != '\'' && quote != '"') {
        scanner->failed = 1;
        return;
    }
    scanner->at++;
    for (; scanner->at < scanner->end && *scanner->at != quote; scanner->at++) {
        if (length + 1 < size) {
            text[length++] = *scanner->at;
        }
    }
    text[length] = '\0';
    expect(scanner, quote);
}

static int32_t scan_bool(struct scanner *scanner) {
    static const char *const words[] = {"False", "True"};
    peek(scanner);
    const size_t left = (size_t)(scanner->end - scanner->at);
    for (int32_t value = 0; value < 2; value++) {
        const size_t length = strlen(words[value]);
        if (left >= length && memcmp(scanner->at, words[value], length) == 0) {
            scanner->at += length;
            return value;
        }
    }
    scanner->failed = 1;
    return 0;
}

static int64_t scan_extent(struct scanner *scanner) {
    int64_t extent = 0;
    if (peek(scanner) < '0' || *scanner->at > '9') {
        scanner->failed = 1;
    }
    while (scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9') {
        const int64_t digit = *scanner->at++ - '0';
        if (extent > (INT64_MAX - digit) / 10) {
            scanner->failed = 1;
            return 0;
        }
        extent = extent * 10 + digit;
    }
    accept(scanner, 'L'); /* Python 2 wrote long integers so */
    return extent;
}

static void scan_shape(struct scanner *scanner, tn_shape *shape) {
    *shape = tn_shape_of_rank(0);
    expect(scanner, '(');
    while (!scanner->failed && !accept(scanner, ')')) {
        if (shape->rank == TN_MAX_RANK) {
            scanner->failed = 1;
            return;
        }
        shape->extents[shape->rank++] = scan_extent(scanner);
        if (!accept(scanner, ',') && peek(scanner) != ')') {
            scanner->failed = 1;
        }
    }
}

/* A structured type is a list; its text stays empty, which no type has. */
static void scan_descr(struct scanner *scanner, char *descr) {
    descr[0] = '\0';
    if (peek(scanner) != '[') {
        scan_text(scanner, descr, DESCR_SIZE);
    } else {
        scanner->at = scanner->end;
    }
}

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

/* Returns which keys were there. */
static int scan_dictionary(struct scanner *scanner, struct npy_header *header, char *descr) {
    int seen = 0;
    expect(scanner, '{');
    while (!scanner->failed && !accept(scanner, '}')) {
        char key[KEY_SIZE] = "";
        scan_text(scanner, key, sizeof key);
        expect(scanner, ':');
        if (strcmp(key, "descr") == 0) {
            scan_descr(scanner, descr);
            seen |= SEEN_DESCR;
            if (descr[0] == '\0') {
                return seen;
            }
        } else if (strcmp(key, "fortran_order") == 0) {
            header->is_fortran = scan_bool(scanner);
            seen |= SEEN_ORDER;
        } else if (strcmp(key, "shape") == 0) {
            scan_shape(scanner, &header->shape);
            seen |= SEEN_SHAPE;
        } else {
            scanner->failed = 1;
        }
        if (!accept(scanner, ',') && peek(scanner) != '}') {
            scanner->failed = 1;
        }
    }
    return seen;
}

static tn_status resolve_descr(const tn_host *host, const char *descr, struct npy_header *header) {
    header->dtype = descr[0] != '\0' ? npy_dtype(descr + 1) : 0;
    if (header->dtype == 0 || strchr("<>|=", descr[0]) == NULL) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "arrays of type '%s' cannot be read: expected bool, integers, or floats of "
                       "16, 32 or 64 bits (no objects, texts, complex numbers or structures)",
                       descr[0] != '\0' ? descr : "[…]");
    }
    header->is_swapped = descr[0] == '>' && TN_DTYPE_SIZE(header->dtype) > 1;
    return TN_OK;
}

static tn_status check_size(const tn_host *host, uint64_t file_size, struct npy_header *header) {
    const uint64_t left = file_size - header->data_offset;
    uint64_t bytes = TN_DTYPE_SIZE(header->dtype);
    for (int32_t axis = 0; axis < header->shape.rank; axis++) {
        bytes = header->shape.extents[axis] == 0 ? 0 : bytes;
    }
    for (int32_t axis = 0; axis < header->shape.rank && bytes > 0; axis++) {
        const uint64_t extent = (uint64_t)header->shape.extents[axis];
        /* More than there is: the product may not fit, and need not be known. */
        bytes = bytes > left / extent ? UINT64_MAX : bytes * extent;
    }
    if (bytes != left) {
        char text[256];
        return tn_fail(host, TN_CORRUPT,
                       "the header says %s of shape %s, but %llu bytes follow it: expected %s",
                       tn_dtype_name(header->dtype),
                       tn_shape_text(&header->shape, text, sizeof text), (unsigned long long)left,
                       bytes > left ? "more" : "fewer");
    }
    header->data_size = bytes;
    return TN_OK;
}

/* Where the dictionary begins and how long it is. */
static tn_status find_dictionary(const tn_host *host, const uint8_t *data, uint64_t size,
                                 uint64_t *out_offset, uint64_t *out_length) {
    const uint64_t version_offset = NPY_MAGIC_SIZE, length_offset = NPY_MAGIC_SIZE + VERSION_SIZE;
    if (size < length_offset + sizeof(uint32_t) || memcmp(data, NPY_MAGIC, NPY_MAGIC_SIZE) != 0) {
        return tn_fail(host, TN_CORRUPT, "this is no .npy file: it must begin with \\x93NUMPY");
    }
    const unsigned version = data[version_offset];
    if (version < 1 || version > 3) {
        return tn_fail(host, TN_UNSUPPORTED, "version %u of .npy is not known: expected 1, 2 or 3",
                       version);
    }
    const size_t length_size = version == 1 ? sizeof(uint16_t) : sizeof(uint32_t);
    uint32_t length = 0;
    memcpy(&length, data + length_offset, length_size);
    *out_offset = length_offset + length_size;
    if (length > size - *out_offset) {
        return tn_fail(host, TN_CORRUPT, "the header takes %u bytes, but the file has %llu more",
                       (unsigned)length, (unsigned long long)(size - *out_offset));
    }
    *out_length = length;
    return TN_OK;
}

tn_status npy_read_header(const tn_host *host, const uint8_t *data, uint64_t size,
                          struct npy_header *out_header) {
    uint64_t offset = 0, length = 0;
    TN_TRY(find_dictionary(host, data, size, &offset, &length));
    const char *text = (const char *)data + offset;
    struct scanner scanner = {text, text + length, 0};
    struct npy_header header = {.data_offset = offset + length};
    char descr[DESCR_SIZE] = "";
    const int seen = scan_dictionary(&scanner, &header, descr);
    if (seen & SEEN_DESCR && !scanner.failed) {
        TN_TRY(resolve_descr(host, descr, &header));
    }
    if (scanner.failed || seen != SEEN_ALL || peek(&scanner) != '\0') {
        return tn_fail(host, TN_CORRUPT,
                       "byte %llu of the header: expected {'descr': '<f4', 'fortran_order': False, "
                       "'shape': (2, 3)}, with a rank of at most %d",
                       (unsigned long long)(scanner.at - text), TN_MAX_RANK);
    }
    TN_TRY(check_size(host, size, &header));
    *out_header = header;
    return TN_OK;
}

tn_status npy_read_text(const tn_host *host, const uint8_t *data, uint64_t data_size,
                        char *out_text, size_t size) {
    uint64_t offset = 0, length = 0;
    size_t used = 0;
    TN_TRY(find_dictionary(host, data, data_size, &offset, &length));
    for (uint64_t i = offset + length; i < data_size; i++) {
        if (data[i] != 0 && used < size) {
            out_text[used++] = (char)data[i];
        }
    }
    out_text[used < size ? used : 0] = '\0';
    return TN_OK;
}
