/*
 * The program of the operator fused_elementwise: functions of single elements, one after the other,
 * as a text that passes write, people read, and kernels run:
 *
 *     add(%0,%1) relu(%2) multiply(%3,$0)
 *
 * %N is a value: the node's inputs come first, then the result of each step; with two inputs %2 is
 * what the first step made. $N is a number: the node's attribute `numbers` holds them. A step has
 * one to three operands, and the result of the last step is the node's output. What functions there
 * are is the operator's doc.
 *
 * plugin.h does not include this header: it is for the few who write or run such programs.
 */
#ifndef TENON_PLUGIN_ELEMENTWISE_H
#define TENON_PLUGIN_ELEMENTWISE_H

#include <stdint.h>
#include <string.h>

/* What a kernel can count on, so that all of it fits into a few registers of any device. */
#define TN_ELEMENTWISE_MAX_INPUTS 7u
#define TN_ELEMENTWISE_MAX_STEPS 12u
#define TN_ELEMENTWISE_MAX_NUMBERS 16u
#define TN_ELEMENTWISE_MAX_OPERANDS 3u
#define TN_ELEMENTWISE_NAME_SIZE 16u

typedef struct tn_elementwise_operand {
    uint32_t is_number;
    uint32_t index; /* of a value or of a number */
} tn_elementwise_operand;

typedef struct tn_elementwise_step {
    char function[TN_ELEMENTWISE_NAME_SIZE];
    uint32_t operand_count;
    tn_elementwise_operand operands[TN_ELEMENTWISE_MAX_OPERANDS];
} tn_elementwise_step;

typedef struct tn_elementwise_program {
    uint32_t step_count; /* at least 1 */
    tn_elementwise_step steps[TN_ELEMENTWISE_MAX_STEPS];
} tn_elementwise_program;

/* Reads "%12" or "$3"; NULL when it is neither, or its index is not below the limit. */
static inline const char *tn_elementwise_read_operand(const char *text, uint32_t value_count,
                                                      uint32_t number_count,
                                                      tn_elementwise_operand *out) {
    uint32_t index = 0, digits = 0;
    out->is_number = *text == '$';
    if (*text != '$' && *text != '%') {
        return NULL;
    }
    for (text++; *text >= '0' && *text <= '9' && digits < 4; text++, digits++) {
        index = index * 10 + (uint32_t)(*text - '0');
    }
    out->index = index;
    return digits > 0 && index < (out->is_number ? number_count : value_count) ? text : NULL;
}

/* Reads "add(%0,$1)"; returns what follows, or NULL. */
static inline const char *tn_elementwise_read_step(const char *text, uint32_t value_count,
                                                   uint32_t number_count,
                                                   tn_elementwise_step *out) {
    const size_t length = strcspn(text, "( ");
    if (length == 0 || length >= sizeof out->function || text[length] != '(') {
        return NULL;
    }
    memset(out, 0, sizeof *out);
    memcpy(out->function, text, length);
    text += length;
    do { /* at '(' or ',' */
        if (out->operand_count == TN_ELEMENTWISE_MAX_OPERANDS) {
            return NULL;
        }
        text = tn_elementwise_read_operand(text + 1, value_count, number_count,
                                           &out->operands[out->operand_count++]);
    } while (text != NULL && *text == ',');
    return text != NULL && *text == ')' ? text + 1 : NULL;
}

/* Reads a whole program for a node with so many inputs and numbers. Returns NULL when it is sound,
 * so that each operand is there, else the place in the text from where on it is not. Which
 * functions there are, and how many operands each takes, is for the caller to check. */
static inline const char *tn_elementwise_read(const char *text, uint32_t input_count,
                                              uint32_t number_count, tn_elementwise_program *out) {
    out->step_count = 0;
    for (;;) {
        text += strspn(text, " ");
        if (*text == '\0' && out->step_count > 0) {
            return NULL;
        }
        if (out->step_count == TN_ELEMENTWISE_MAX_STEPS ||
            input_count > TN_ELEMENTWISE_MAX_INPUTS || number_count > TN_ELEMENTWISE_MAX_NUMBERS) {
            return text;
        }
        const char *end = tn_elementwise_read_step(text, input_count + out->step_count,
                                                   number_count, &out->steps[out->step_count]);
        if (end == NULL) {
            return text;
        }
        out->step_count++;
        text = end;
    }
}

#endif
