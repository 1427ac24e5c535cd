/* Calls of functions by name, through libffi: tenon/function.h. */
#include <tenon/function.h>

#include <ffi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/function.h>
#include <tenon/plugin/identity.h>

#include "base/error.h"
#include "base/number.h"
#include "plugin/registry.h"
#include "plugin/runtime.h"
#include "plugin/signature.h"

/* The place of one value in a call: as libffi wants it, in its own width. */
typedef union call_value {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    const void *pointer;
    ffi_arg word; /* a result narrower than a register comes back as one */
} call_value;

static ffi_type *ffi_type_of(tni_value_type type) {
    switch (type) {
    case TNI_VALUE_VOID: return &ffi_type_void;
    case TNI_VALUE_I8: return &ffi_type_sint8;
    case TNI_VALUE_I16: return &ffi_type_sint16;
    case TNI_VALUE_I32: return &ffi_type_sint32;
    case TNI_VALUE_I64: return &ffi_type_sint64;
    case TNI_VALUE_U8: return &ffi_type_uint8;
    case TNI_VALUE_U16: return &ffi_type_uint16;
    case TNI_VALUE_U32: return &ffi_type_uint32;
    case TNI_VALUE_U64: return &ffi_type_uint64;
    case TNI_VALUE_F32: return &ffi_type_float;
    case TNI_VALUE_F64: return &ffi_type_double;
    default: return &ffi_type_pointer;
    }
}

static bool is_signed(tni_value_type type) {
    return type >= TNI_VALUE_I8 && type <= TNI_VALUE_I64;
}

static bool is_unsigned(tni_value_type type) {
    return type >= TNI_VALUE_U8 && type <= TNI_VALUE_U64;
}

/* 8, 16, 32 or 64 */
static unsigned integer_bits(tni_value_type type) {
    const int first = is_signed(type) ? TNI_VALUE_I8 : TNI_VALUE_U8;
    return 8u << (unsigned)((int)type - first);
}

static tn_status check_integer(tni_value_type type, const tn_argument *argument) {
    const unsigned bits = integer_bits(type);
    if (is_unsigned(type)) {
        const uint64_t high = UINT64_MAX >> (64 - bits);
        return argument->u <= high ? TN_OK
                                   : tni_fail(TN_INVALID_ARGUMENT, "%llu is not 0 to %llu (%s)",
                                              (unsigned long long)argument->u,
                                              (unsigned long long)high, tni_value_type_text(type));
    }
    const int64_t high = INT64_MAX >> (64 - bits);
    if (argument->i < -high - 1 || argument->i > high) {
        return tni_fail(TN_INVALID_ARGUMENT, "%lld is not %lld to %lld (%s)",
                        (long long)argument->i, (long long)(-high - 1), (long long)high,
                        tni_value_type_text(type));
    }
    return TN_OK;
}

/* Little-endian: the low bytes of a wide integer are the narrow one. */
static tn_status put_argument(tni_value_type type, const tn_argument *argument, call_value *out) {
    if (is_signed(type) || is_unsigned(type)) {
        TNI_TRY(check_integer(type, argument));
        out->u64 = argument->u;
    } else if (type == TNI_VALUE_F32) {
        out->f32 = (float)argument->f;
    } else if (type == TNI_VALUE_F64) {
        out->f64 = argument->f;
    } else if (type == TNI_VALUE_POINTER) {
        out->pointer = argument->pointer;
    } else {
        out->pointer = type == TNI_VALUE_TEXT ? (const void *)argument->text : argument->view;
        if (out->pointer == NULL) {
            return tni_fail(TN_INVALID_ARGUMENT, "a %s must not be NULL",
                            tni_value_type_text(type));
        }
    }
    return TN_OK;
}

static void take_result(tni_value_type type, const call_value *value, tn_argument *out) {
    memset(out, 0, sizeof *out);
    switch (type) {
    case TNI_VALUE_VOID: break;
    case TNI_VALUE_I8: out->i = value->i8; break;
    case TNI_VALUE_I16: out->i = value->i16; break;
    case TNI_VALUE_I32: out->i = value->i32; break;
    case TNI_VALUE_I64: out->i = value->i64; break;
    case TNI_VALUE_U8: out->u = value->u8; break;
    case TNI_VALUE_U16: out->u = value->u16; break;
    case TNI_VALUE_U32: out->u = value->u32; break;
    case TNI_VALUE_U64: out->u = value->u64; break;
    case TNI_VALUE_F32: out->f = value->f32; break;
    case TNI_VALUE_F64: out->f = value->f64; break;
    default: memcpy(&out->pointer, &value->pointer, sizeof out->pointer); break;
    }
}

static tn_status check_count(const tni_signature *signature, const char *text, uint32_t count) {
    if (count == signature->argument_count) {
        return TN_OK;
    }
    return tni_fail(TN_INVALID_ARGUMENT, "%u argument%s given, %s takes %u", count,
                    count == 1 ? "" : "s", text, signature->argument_count);
}

/* The function is known, checked and held by a lease. */
static tn_status call(const tn_function *function, const tni_signature *signature,
                      const tn_argument *arguments, tn_argument *out_result) {
    ffi_cif interface;
    ffi_type *types[TNI_MAX_ARGUMENTS];
    call_value values[TNI_MAX_ARGUMENTS];
    void *places[TNI_MAX_ARGUMENTS];
    for (uint32_t i = 0; i < signature->argument_count; i++) {
        types[i] = ffi_type_of(signature->arguments[i]);
        places[i] = &values[i];
        memset(&values[i], 0, sizeof values[i]);
        TNI_TRY(tni_in(put_argument(signature->arguments[i], &arguments[i], &values[i]),
                       "argument %u", i + 1));
    }
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, signature->argument_count,
                     ffi_type_of(signature->result), types) != FFI_OK) {
        return tni_fail(TN_INTERNAL, "libffi cannot make this call");
    }
    call_value result = {0};
    ffi_call(&interface, function->address, &result, places);
    if (out_result != NULL) {
        take_result(signature->result, &result, out_result);
    }
    return TN_OK;
}

/* Finds the function and takes a lease for the call; the caller gives it back. */
static tn_status acquire(tn_runtime *runtime, const char *name, const tni_entry **out_entry) {
    if (runtime == NULL || name == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "a runtime and a name are needed");
    }
    const tni_entry *entry = tni_registry_find(runtime, TN_KIND_FUNCTION, name);
    if (entry == NULL) {
        char refusal[TNI_REFUSAL_SIZE];
        return tni_fail(TN_NOT_FOUND, "no plugin offers it%s",
                        tni_registry_refusal(runtime, TN_KIND_FUNCTION, name, refusal));
    }
    TNI_TRY(tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL));
    *out_entry = entry;
    return TN_OK;
}

tn_status tn_function_find(tn_runtime *runtime, const char *name, const char **out_signature,
                           const char **out_doc) {
    const tni_entry *entry = NULL;
    TNI_TRY(tni_in(acquire(runtime, name, &entry), "function '%s'", name != NULL ? name : ""));
    const tn_function *function = entry->own.impl;
    if (out_signature != NULL) {
        *out_signature = function->signature;
    }
    if (out_doc != NULL) {
        *out_doc = function->doc != NULL ? function->doc : "";
    }
    tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    return TN_OK;
}

static tn_status call_values(const tn_function *function, const tn_argument *arguments,
                             uint32_t argument_count, tn_argument *out_result) {
    tni_signature signature;
    TNI_TRY(tni_signature_parse(function->signature, &signature));
    TNI_TRY(check_count(&signature, function->signature, argument_count));
    if (arguments == NULL && argument_count > 0) {
        return tni_fail(TN_INVALID_ARGUMENT, "the arguments are NULL");
    }
    return call(function, &signature, arguments, out_result);
}

tn_status tn_function_call(tn_runtime *runtime, const char *name, const tn_argument *arguments,
                           uint32_t argument_count, tn_argument *out_result) {
    const tni_entry *entry = NULL;
    tn_status status = acquire(runtime, name, &entry);
    if (status == TN_OK) {
        status = call_values(entry->own.impl, arguments, argument_count, out_result);
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
    return tni_in(status, "function '%s'", name != NULL ? name : "");
}

/* Texts. */

static bool read_unsigned(const char *text, uint64_t *out) {
    uint64_t value = 0;
    if (*text == '+') {
        text++;
    }
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value)) {
            return false;
        }
    }
    *out = value;
    return true;
}

static tn_status from_text(tni_value_type type, const char *text, tn_argument *out) {
    const char *cursor = text;
    bool fits = false;
    if (text == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the text is NULL");
    }
    if (is_signed(type)) {
        fits = tni_read_integer(&cursor, &out->i) && *cursor == '\0';
    } else if (is_unsigned(type)) {
        fits = read_unsigned(text, &out->u);
    } else if (type == TNI_VALUE_F32 || type == TNI_VALUE_F64) {
        fits = tni_read_float(&cursor, &out->f) && *cursor == '\0';
    } else if (type == TNI_VALUE_TEXT) {
        out->text = text;
        fits = true;
    } else {
        return tni_fail(TN_INVALID_ARGUMENT, "a %s cannot be given as a text",
                        tni_value_type_text(type));
    }
    return fits ? TN_OK
                : tni_fail(TN_INVALID_ARGUMENT, "'%.80s' is no value of type %s", text,
                           tni_value_type_text(type));
}

/* The shortest digits that read back as the same number, with a '.' in every locale. */
static void write_float(tni_value_type type, double value, char *text, size_t size) {
    const int longest = type == TNI_VALUE_F32 ? 9 : 17;
    char digits[64];
    for (int precision = type == TNI_VALUE_F32 ? 6 : 15; precision <= longest; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        const bool same = type == TNI_VALUE_F32 ? strtof(digits, NULL) == (float)value
                                                : strtod(digits, NULL) == value;
        if (same) {
            break;
        }
    }
    const size_t odd = strspn(digits, "+-0123456789");
    if (digits[odd] != '\0' && strchr("ein", digits[odd]) == NULL) {
        digits[odd] = '.';
    }
    snprintf(text, size, "%s", digits);
}

static tn_status to_text(tni_value_type type, const tn_argument *value, char *text, size_t size) {
    char number[64] = "";
    const char *whole = number;
    if (is_signed(type)) {
        snprintf(number, sizeof number, "%lld", (long long)value->i);
    } else if (is_unsigned(type)) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)value->u);
    } else if (type == TNI_VALUE_F32 || type == TNI_VALUE_F64) {
        write_float(type, value->f, number, sizeof number);
    } else if (type == TNI_VALUE_TEXT) {
        whole = value->text != NULL ? value->text : "";
    }
    const size_t needed = strlen(whole) + 1;
    if (needed > size) {
        return tni_fail(TN_OUT_OF_RANGE, "the result needs %zu bytes, there are %zu", needed, size);
    }
    memcpy(text, whole, needed);
    return TN_OK;
}

static tn_status call_texts(const tn_function *function, const char *const *texts, uint32_t count,
                            char *out_text, size_t out_size) {
    tni_signature signature;
    tn_argument arguments[TNI_MAX_ARGUMENTS];
    tn_argument result;
    TNI_TRY(tni_signature_parse(function->signature, &signature));
    if (signature.result == TNI_VALUE_VIEW || signature.result == TNI_VALUE_POINTER) {
        return tni_fail(TN_INVALID_ARGUMENT, "its result (%s) cannot be given as a text",
                        tni_value_type_text(signature.result));
    }
    TNI_TRY(check_count(&signature, function->signature, count));
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(tni_in(from_text(signature.arguments[i], texts[i], &arguments[i]), "argument %u",
                       i + 1));
    }
    TNI_TRY(call(function, &signature, arguments, &result));
    return to_text(signature.result, &result, out_text, out_size);
}

tn_status tn_function_call_text(tn_runtime *runtime, const char *name, const char *const *arguments,
                                uint32_t argument_count, char *out_text, size_t out_size) {
    const tni_entry *entry = NULL;
    tn_status status = acquire(runtime, name, &entry);
    if (status == TN_OK) {
        status = (arguments == NULL && argument_count > 0) || out_text == NULL
                     ? tni_fail(TN_INVALID_ARGUMENT, "arguments and a place for the result are "
                                                     "needed")
                     : call_texts(entry->own.impl, arguments, argument_count, out_text, out_size);
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
    return tni_in(status, "function '%s'", name != NULL ? name : "");
}
