#include "random_attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of a range like "(0,1]" that is near 0. */
static void read_range(const char *text, double lowest, double highest, double *low, double *high) {
    *low = lowest;
    *high = highest;
    if (text != NULL) {
        char *end;
        const double from = strtod(text + 1, &end), to = strtod(end + 1, NULL);
        *low = from > lowest ? from : lowest;
        *high = to < highest ? to : highest;
        *high = *high < *low ? *low : *high;
    }
}

static int64_t draw_whole(random_numbers *numbers, const char *range) {
    double low, high;
    read_range(range, -3, 6, &low, &high);
    return (int64_t)low + draw(numbers, (uint32_t)(high - low) + 1);
}

static double draw_real(random_numbers *numbers, const char *range) {
    double low, high;
    read_range(range, -2, 2, &low, &high);
    return low + (high - low) * (1 + draw(numbers, 99)) / 100;
}

static void draw_choice(random_numbers *numbers, const char *choices, char *text) {
    uint32_t count = 1;
    for (const char *bar = choices; (bar = strchr(bar, '|')) != NULL; bar++) {
        count++;
    }
    for (uint32_t skip = draw(numbers, count); skip > 0; skip--) {
        choices = strchr(choices, '|') + 1;
    }
    snprintf(text, OPTION_SIZE, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* One number throughout, numbers, a permutation of the axes, or the shape itself. */
static void draw_wholes(random_numbers *numbers, const tn_attribute *row, const tn_shape *shape,
                        char *text) {
    int64_t values[TN_MAX_RANK];
    const uint32_t kind = draw(numbers, 5), rank = shape->rank < 1 ? 1u : (uint32_t)shape->rank;
    const uint32_t lengths[] = {1, 2, rank, rank, rank > 2 ? rank - 2 : 1};
    const uint32_t length = kind < 3 ? lengths[draw(numbers, 5)] : rank;
    const int64_t same = draw_whole(numbers, row->range);
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t place = draw(numbers, i + 1);
        values[i] = kind < 2 ? same : kind == 2 ? draw_whole(numbers, row->range) : (int64_t)i;
        if (kind == 3) {
            values[i] = values[place];
            values[place] = i;
        } else if (kind == 4 && shape->rank > 0) {
            values[i] = shape->extents[i];
        }
    }
    size_t used = (size_t)snprintf(text, OPTION_SIZE, "(");
    for (uint32_t i = 0; i < length; i++) {
        used += (size_t)snprintf(text + used, OPTION_SIZE - used, i > 0 ? ",%lld" : "%lld",
                                 (long long)values[i]);
    }
    snprintf(text + used, OPTION_SIZE - used, ")");
}

static void draw_reals(random_numbers *numbers, const tn_attribute *row, char *text) {
    size_t used = (size_t)snprintf(text, OPTION_SIZE, "(");
    for (uint32_t i = 0, count = 1 + draw(numbers, 4); i < count; i++) {
        used += (size_t)snprintf(text + used, OPTION_SIZE - used, i > 0 ? ",%.3g" : "%.3g",
                                 draw_real(numbers, row->range));
    }
    snprintf(text + used, OPTION_SIZE - used, ")");
}

/* Texts that only their operator knows: what types and ranges cannot tell. */
static const char *const known_texts[] = {"program", "relu(%0)", "multiply(%0,%0) exp(%1)"};

static int draw_text(random_numbers *numbers, const tn_attribute *row, char *text) {
    if (strcmp(row->name, known_texts[0]) != 0) {
        return 0;
    }
    snprintf(text, OPTION_SIZE, "%s", known_texts[1 + draw(numbers, 2)]);
    return 1;
}

/* Returns 0 for a text that could be anything. */
static int draw_value(random_numbers *numbers, const tn_attribute *row, const tn_shape *shape,
                      char *text) {
    static const char *const dtypes[] = {"float32", "float64", "float16", "int32", "int64"};
    switch (row->type) {
    case TN_ATTRIBUTE_BOOL: snprintf(text, OPTION_SIZE, draw(numbers, 2) ? "True" : "False"); break;
    case TN_ATTRIBUTE_INT:
        snprintf(text, OPTION_SIZE, "%lld", (long long)draw_whole(numbers, row->range));
        break;
    case TN_ATTRIBUTE_FLOAT:
        snprintf(text, OPTION_SIZE, "%.3g", draw_real(numbers, row->range));
        break;
    case TN_ATTRIBUTE_ENUM: draw_choice(numbers, row->choices, text); break;
    case TN_ATTRIBUTE_DTYPE: snprintf(text, OPTION_SIZE, "%s", dtypes[draw(numbers, 5)]); break;
    case TN_ATTRIBUTE_INTS: draw_wholes(numbers, row, shape, text); break;
    case TN_ATTRIBUTE_FLOATS: draw_reals(numbers, row, text); break;
    default: return draw_text(numbers, row, text);
    }
    return 1;
}

int draw_attributes(random_numbers *numbers, const tn_op *op, const tn_shape *shape,
                    random_attributes *out) {
    out->count = 0;
    for (uint32_t i = 0; i < op->attribute_count && out->count < MAX_OPTIONS; i++) {
        const tn_attribute *row =
            (const tn_attribute *)(const void *)((const char *)op->attributes +
                                                 (size_t)i * op->attribute_stride);
        if (row->default_value != NULL && draw(numbers, 4) > 0) {
            continue;
        }
        if (draw_value(numbers, row, shape, out->texts[out->count])) {
            out->options[out->count] = (tn_option){row->name, out->texts[out->count]};
            out->count++;
        } else if (row->default_value == NULL) {
            return 0;
        }
    }
    return 1;
}
