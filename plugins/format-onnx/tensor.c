#include "tensor.h"

#include "dtype.h"
#include "external.h"

/* How many elements; each extent and the product are checked. */
static tn_status count_elements(const tn_host *host, const Onnx__TensorProto *proto,
                                const char *path, uint64_t *out_count) {
    uint64_t count = 1;
    if (proto->n_dims > TN_MAX_RANK) {
        return tn_fail(host, TN_UNSUPPORTED, "%s.dims: rank %zu, expected at most %d", path,
                       proto->n_dims, TN_MAX_RANK);
    }
    for (size_t i = 0; i < proto->n_dims; i++) {
        if (proto->dims[i] < 0) {
            return tn_fail(host, TN_CORRUPT, "%s.dims[%zu]: extent %lld, expected at least 0", path,
                           i, (long long)proto->dims[i]);
        }
        if (__builtin_mul_overflow(count, (uint64_t)proto->dims[i], &count)) {
            return tn_fail(host, TN_CORRUPT, "%s.dims: the number of elements overflows", path);
        }
    }
    *out_count = count;
    return TN_OK;
}

static tn_status wrong_count(const tn_host *host, const char *path, const char *field,
                             uint64_t have, uint64_t want, const char *unit) {
    return tn_fail(host, TN_CORRUPT, "%s.%s: %llu %s, but the shape asks for %llu", path, field,
                   (unsigned long long)have, unit, (unsigned long long)want);
}

/* The typed field that holds elements of a type. */
struct elements {
    const char *field;
    const void *data;
    uint64_t count;
};

static struct elements typed_elements(const Onnx__TensorProto *proto, tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return (struct elements){"float_data", proto->float_data, proto->n_float_data};
    case TN_F64: return (struct elements){"double_data", proto->double_data, proto->n_double_data};
    case TN_I64: return (struct elements){"int64_data", proto->int64_data, proto->n_int64_data};
    case TN_STRING:
        return (struct elements){"string_data", proto->string_data, proto->n_string_data};
    case TN_U32:
    case TN_U64: return (struct elements){"uint64_data", proto->uint64_data, proto->n_uint64_data};
    default: return (struct elements){"int32_data", proto->int32_data, proto->n_int32_data};
    }
}

/* int32_data and uint64_data hold narrower elements too, each in one number: the low bytes. */
static void narrow(void *target, const void *source, uint64_t count, size_t target_size,
                   size_t source_size) {
    char *out = target;
    const char *in = source;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(out + i * target_size, in + i * source_size, target_size);
    }
}

static tn_status intern(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                        const char **target) {
    for (size_t i = 0; i < proto->n_string_data; i++) {
        const ProtobufCBinaryData *bytes = &proto->string_data[i];
        if (bytes->len > 0 && memchr(bytes->data, 0, bytes->len) != NULL) {
            return tn_fail(host, TN_UNSUPPORTED, "%s.string_data[%zu]: a string with a byte 0",
                           path, i);
        }
        TN_TRY(TN_SERVICE(host, string)->intern(host, bytes->data, bytes->len, &target[i]));
    }
    return TN_OK;
}

static void make_bools(unsigned char *elements, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        elements[i] = elements[i] != 0;
    }
}

static tn_status fill(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                      tn_dtype dtype, uint64_t count, void *target) {
    const size_t size = TN_DTYPE_SIZE(dtype);
    const struct elements given = typed_elements(proto, dtype);
    if (given.count != count) {
        return wrong_count(host, path, given.field, given.count, count, "elements");
    }
    if (dtype == TN_STRING) {
        return intern(host, proto, path, target);
    }
    const int is_wide = dtype == TN_F64 || dtype == TN_I64 || dtype == TN_U64 || dtype == TN_U32;
    narrow(target, given.data, count, size, is_wide ? 8 : 4);
    return TN_OK;
}

/* Whether the file holds as many elements as the shape says, before memory is taken for them. */
static tn_status check_size(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                            tn_dtype dtype, uint64_t count) {
    const uint64_t most = proto->has_raw_data ? proto->raw_data.len / TN_DTYPE_SIZE(dtype)
                                              : typed_elements(proto, dtype).count;
    if (count > most) {
        return wrong_count(host, path,
                           proto->has_raw_data ? "raw_data" : typed_elements(proto, dtype).field,
                           most, count, "elements");
    }
    return TN_OK;
}

/* Of these bytes, which are as many as the shape asks for. */
static tn_status make_of_bytes(const tn_host *host, const Onnx__TensorProto *proto, tn_dtype dtype,
                               uint64_t count, const void *bytes, tn_tensor **out_tensor) {
    const tn_tensor_service *tensors = TN_SERVICE(host, tensor);
    if (dtype != TN_BOOL) {
        return tensors->of_bytes(host, dtype, (int32_t)proto->n_dims, proto->dims, bytes,
                                 out_tensor);
    }
    TN_TRY(tensors->create(host, dtype, (int32_t)proto->n_dims, proto->dims, out_tensor));
    unsigned char *elements = tn_data(tensors->view(host, *out_tensor));
    for (uint64_t i = 0; i < count; i++) {
        elements[i] = ((const unsigned char *)bytes)[i] != 0;
    }
    return TN_OK;
}

static tn_status read_raw(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                          tn_dtype dtype, uint64_t count, tn_tensor **out_tensor) {
    const size_t size = TN_DTYPE_SIZE(dtype);
    if (dtype == TN_STRING) {
        return tn_fail(host, TN_CORRUPT, "%s.raw_data: strings are in string_data", path);
    }
    if (proto->raw_data.len / size != count || proto->raw_data.len % size != 0) {
        return wrong_count(host, path, "raw_data", proto->raw_data.len, count * size, "bytes");
    }
    return make_of_bytes(host, proto, dtype, count, proto->raw_data.data, out_tensor);
}

static tn_status read_external(const tn_host *host, const Onnx__TensorProto *proto,
                               const char *path, const char *model_path, tn_dtype dtype,
                               uint64_t count, tn_tensor **out_tensor) {
    uint64_t size;
    struct external_file file;
    if (dtype == TN_STRING || __builtin_mul_overflow(count, TN_DTYPE_SIZE(dtype), &size)) {
        return tn_fail(host, TN_CORRUPT, "%s.external_data: %s", path,
                       dtype == TN_STRING ? "strings are in string_data" : "its size overflows");
    }
    TN_TRY(external_open(host, proto, path, model_path, size, &file));
    const tn_status status = make_of_bytes(host, proto, dtype, count, file.bytes, out_tensor);
    external_close(host, &file);
    return status;
}

tn_status onnx_read_tensor(const tn_host *host, const Onnx__TensorProto *proto, const char *path,
                           const char *model_path, tn_tensor **out_tensor) {
    uint64_t count;
    tn_dtype dtype;
    char what[300];
    if (proto == NULL) {
        return tn_fail(host, TN_CORRUPT, "%s: there is no tensor", path);
    }
    snprintf(what, sizeof what, "%s.data_type", path);
    TN_TRY(require_dtype(host, what, proto->data_type, &dtype));
    TN_TRY(count_elements(host, proto, path, &count));
    if (proto->segment != NULL) {
        return tn_fail(host, TN_UNSUPPORTED, "%s.segment: a tensor in pieces", path);
    }
    if (proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        return read_external(host, proto, path, model_path, dtype, count, out_tensor);
    }
    TN_TRY(check_size(host, proto, path, dtype, count));
    if (proto->has_raw_data) {
        return read_raw(host, proto, path, dtype, count, out_tensor);
    }
    tn_tensor *tensor;
    TN_TRY(TN_SERVICE(host, tensor)
               ->create(host, dtype, (int32_t)proto->n_dims, proto->dims, &tensor));
    void *target = tn_data(TN_SERVICE(host, tensor)->view(host, tensor));
    const tn_status status = fill(host, proto, path, dtype, count, target);
    if (status != TN_OK) {
        TN_SERVICE(host, tensor)->release(host, tensor);
        return status;
    }
    if (dtype == TN_BOOL) {
        make_bools(target, count);
    }
    *out_tensor = tensor;
    return TN_OK;
}
