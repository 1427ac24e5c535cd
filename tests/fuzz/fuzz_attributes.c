/*
 * Fuzz target: texts of attributes of every type. The input is lines "name=value"; what a line
 * lacks is an attribute without a name or a value.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "plugin/attributes.h"

typedef struct parsed {
    int32_t flag, maybe_flag, choice, none_choice;
    int64_t number, maybe_number, small;
    double real, maybe_real, positive;
    const char *text, *maybe_text;
    tn_dtype dtype, maybe_dtype;
    tn_ints integers, maybe_integers, extents;
    tn_floats reals, maybe_reals;
} parsed;

static const tn_attribute rows[] = {
    TN_FIELD(parsed, flag, BOOL, "False", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_flag, BOOL, "None", NULL, ""),
    TN_FIELD_CHOICE(parsed, choice, "max", "max|avg|sum", ""),
    TN_FIELD_CHOICE(parsed, none_choice, "None", "None|NCHW|NHWC", ""),
    TN_FIELD(parsed, number, INT, "-1", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_number, INT, "None", "[0,9]", ""),
    TN_FIELD(parsed, small, INT, "3", "(-10,10)", ""),
    TN_FIELD(parsed, real, FLOAT, "1e-3", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_real, FLOAT, "None", NULL, ""),
    TN_FIELD(parsed, positive, FLOAT, "1", "(0,inf)", ""),
    TN_FIELD(parsed, text, STRING, "", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_text, STRING, "None", NULL, ""),
    TN_FIELD(parsed, dtype, DTYPE, "float32", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_dtype, DTYPE, "None", NULL, ""),
    TN_FIELD(parsed, integers, INTS, "(1,1)", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_integers, INTS, "()", NULL, ""),
    TN_FIELD(parsed, extents, INTS, "(3,3)", "[1,inf)", ""),
    TN_FIELD(parsed, reals, FLOATS, "(1,)", NULL, ""),
    TN_FIELD_OR_NONE(parsed, maybe_reals, FLOATS, "None", "[0,1]", ""),
};
static const tni_attribute_table table = {rows, sizeof rows / sizeof rows[0], TN_ATTRIBUTE_STRIDE};

static void check_integers(const tn_ints *list, int64_t least) {
    FUZZ_EXPECT(list->count >= -1);
    for (int64_t i = 0; i < list->count; i++) {
        FUZZ_EXPECT(list->values[i] >= least);
    }
}

/* The promises of the table hold for whatever was accepted. */
static void check_values(const parsed *p) {
    FUZZ_EXPECT(p->flag == 0 || p->flag == 1);
    FUZZ_EXPECT(p->maybe_flag >= -1 && p->maybe_flag <= 1);
    FUZZ_EXPECT(p->choice >= 0 && p->choice < 3);
    FUZZ_EXPECT(p->none_choice >= 0 && p->none_choice < 3);
    FUZZ_EXPECT(p->maybe_number == TN_NONE || (p->maybe_number >= 0 && p->maybe_number <= 9));
    FUZZ_EXPECT(p->small > -10 && p->small < 10);
    FUZZ_EXPECT(p->positive > 0 && p->positive < (double)INFINITY);
    FUZZ_EXPECT(p->text != NULL);
    FUZZ_EXPECT(strcmp(tn_dtype_text(p->dtype), "unknown") != 0);
    check_integers(&p->integers, INT64_MIN);
    check_integers(&p->maybe_integers, INT64_MIN);
    check_integers(&p->extents, 1);
    FUZZ_EXPECT(p->integers.count >= 0 && p->extents.count >= 0 && p->reals.count >= 0);
    for (int64_t i = 0; i < p->maybe_reals.count; i++) {
        FUZZ_EXPECT(p->maybe_reals.values[i] >= 0 && p->maybe_reals.values[i] <= 1);
    }
}

/* Cuts the text into options in place. */
static uint32_t split(char *text, tn_option *options, uint32_t most) {
    uint32_t count = 0;
    while (text != NULL && count < most) {
        char *line = text, *end = strchr(line, '\n');
        text = end != NULL ? end + 1 : NULL;
        if (end != NULL) {
            *end = '\0';
        }
        char *equals = strchr(line, '=');
        if (equals != NULL) {
            *equals = '\0';
        }
        options[count++] = (tn_option){line, equals != NULL ? equals + 1 : ""};
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tn_option options[32];
    tni_arena arena = {0};
    parsed values;
    char *text = malloc(size + 1);
    FUZZ_EXPECT(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    memset(&values, 0, sizeof values);
    FUZZ_EXPECT(tni_attribute_table_check(&table, sizeof values) == TN_OK);
    const uint32_t count = size > 0 ? split(text, options, 32) : 0;
    if (tni_attributes_parse(&table, options, count, &arena, &values) == TN_OK) {
        check_values(&values);
    } else {
        FUZZ_EXPECT(count > 0 && tn_error_message()[0] != '\0');
    }
    tni_arena_finish(&arena);
    free(text);
    return 0;
}
