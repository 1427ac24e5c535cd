/* Signatures of functions, "f64(f64,f64)", taken apart. */
#ifndef TENON_PLUGIN_SIGNATURE_H
#define TENON_PLUGIN_SIGNATURE_H

#include <tenon/api.h>

enum { TNI_MAX_ARGUMENTS = 32 };

typedef enum tni_value_type {
    TNI_VALUE_VOID,
    TNI_VALUE_I8,
    TNI_VALUE_I16,
    TNI_VALUE_I32,
    TNI_VALUE_I64,
    TNI_VALUE_U8,
    TNI_VALUE_U16,
    TNI_VALUE_U32,
    TNI_VALUE_U64,
    TNI_VALUE_F32,
    TNI_VALUE_F64,
    TNI_VALUE_TEXT,
    TNI_VALUE_VIEW,
    TNI_VALUE_POINTER,
    TNI_VALUE_COUNT
} tni_value_type;

typedef struct tni_signature {
    tni_value_type result;
    uint32_t argument_count;
    tni_value_type arguments[TNI_MAX_ARGUMENTS];
} tni_signature;

/* INVALID_ARGUMENT with what is wrong and where. */
tn_status tni_signature_parse(const char *text, tni_signature *out_signature);

const char *tni_value_type_text(tni_value_type type);

#endif
