/*
 * Attributes and options: the host parses texts into a plain C struct of the plugin's, once, by
 * a table that says for each field its name, type, place, default, range and meaning. Operators,
 * formats and datasets declare theirs the same way.
 */
#ifndef TENON_PLUGIN_ATTRIBUTE_H
#define TENON_PLUGIN_ATTRIBUTE_H

#include <tenon/plugin/types.h>

/*      type                      field in the struct    texts accepted                          */
#define TN_ATTRIBUTE_BOOL 1u   /* int32_t 0 or 1         True False true false 1 0                */
#define TN_ATTRIBUTE_INT 2u    /* int64_t                12, -3, 12L                              */
#define TN_ATTRIBUTE_FLOAT 3u  /* double                 0.5, 1e-3, inf, nan, 3  */
#define TN_ATTRIBUTE_STRING 4u /* const char *           anything */
#define TN_ATTRIBUTE_ENUM 5u   /* int32_t, the index     one of `choices`                         */
#define TN_ATTRIBUTE_DTYPE 6u /* tn_dtype               float32, f32, int64, bool, bfloat16, …  */
#define TN_ATTRIBUTE_INTS 7u  /* tn_ints                (2, 3) [2,3] (2,) 2 () (None, 1)         */
#define TN_ATTRIBUTE_FLOATS 8u /* tn_floats              (0.5, 1) [1] 2 */
/* Every option that no other row names, as a text. At most one row; its own name is not looked at,
 * and its default is "". */
#define TN_ATTRIBUTE_REST 9u /* tn_options */

/* "None" is accepted (always so where the default is "None"). It is stored as TN_NONE, NaN, NULL,
 * -1, 0 or count -1, by type. An element of a TN_ATTRIBUTE_INTS may be None only with this. */
#define TN_ATTRIBUTE_NULLABLE 1u

typedef struct tn_attribute {
    const char *name;
    uint32_t type;             /* TN_ATTRIBUTE_… */
    uint32_t flags;            /* TN_ATTRIBUTE_NULLABLE */
    uint64_t offset;           /* of the field in the plugin's struct */
    const char *default_value; /* as a text; NULL: must be given */
    const char *choices;       /* ENUM: the words separated by '|', in the order of their indices */
    const char *range; /* NULL or an interval for numbers and for list elements: "[1,inf)" */
    const char *doc;   /* one sentence */
} tn_attribute;

/* A row of the table: TN_FIELD(pad_attributes, axis, INT, "1", "[0,31]", "The axis to pad.") */
#define TN_FIELD(STRUCT, FIELD, TYPE, DEFAULT, RANGE, DOC)                                         \
    { #FIELD, TN_ATTRIBUTE_##TYPE, 0, offsetof(STRUCT, FIELD), DEFAULT, NULL, RANGE, DOC }
/* The same, where None is a value too. */
#define TN_FIELD_OR_NONE(STRUCT, FIELD, TYPE, DEFAULT, RANGE, DOC)                                 \
    {                                                                                              \
#FIELD, TN_ATTRIBUTE_##TYPE, TN_ATTRIBUTE_NULLABLE, offsetof(STRUCT, FIELD), DEFAULT,      \
            NULL, RANGE, DOC                                                                       \
    }
/* One of a few words: TN_FIELD_CHOICE(pool_attributes, pool_type, "max", "max|avg|sum", "…") */
#define TN_FIELD_CHOICE(STRUCT, FIELD, DEFAULT, CHOICES, DOC)                                      \
    { #FIELD, TN_ATTRIBUTE_ENUM, 0, offsetof(STRUCT, FIELD), DEFAULT, CHOICES, NULL, DOC }

#define TN_ATTRIBUTE_STRIDE ((uint32_t)sizeof(tn_attribute))

#endif
