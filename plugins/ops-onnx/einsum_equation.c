#include "einsum_equation.h"

static int32_t label_of(char letter) {
    if (letter >= 'a' && letter <= 'z') {
        return letter - 'a';
    }
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 26 : -1;
}

static tn_status refuse(const tn_host *host, const char *text, const char *where) {
    return tn_fail(host, TN_INVALID_ARGUMENT, "equation '%s': '%s' is not understood", text, where);
}

static tn_status append_label(const tn_host *host, einsum_labels *term, int32_t label) {
    if (term->count == TN_MAX_RANK) {
        return tn_fail(host, TN_OUT_OF_RANGE, "a term of the equation has too many axes");
    }
    term->labels[term->count++] = label;
    return TN_OK;
}

/* One term, up to a comma, an arrow or the end. The ellipsis stands for `ellipsis` axes. */
static tn_status parse_term(const tn_host *host, const char *text, const char **at,
                            int32_t ellipsis, einsum_labels *out_term) {
    out_term->count = 0;
    int has_ellipsis = 0;
    for (; **at != '\0' && **at != ',' && **at != '-'; (*at)++) {
        if (**at == ' ') {
            continue;
        }
        if (strncmp(*at, "...", 3) == 0 && !has_ellipsis) {
            has_ellipsis = 1;
            *at += 2;
            for (int32_t i = ellipsis; i > 0; i--) {
                TN_TRY(append_label(host, out_term, EINSUM_ELLIPSIS + i - 1));
            }
            continue;
        }
        if (label_of(**at) < 0) {
            return refuse(host, text, *at);
        }
        TN_TRY(append_label(host, out_term, label_of(**at)));
    }
    return TN_OK;
}

/* How many letters stand before the next comma, arrow or end. */
static int32_t count_letters(const char *at) {
    int32_t count = 0;
    for (; *at != '\0' && *at != ',' && *at != '-'; at++) {
        count += label_of(*at) >= 0;
    }
    return count;
}

static tn_status take_extents(const tn_host *host, const einsum_labels *term, const tn_shape *shape,
                              einsum_equation *equation) {
    if (term->count != shape->rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "a term of the equation has %d axes, but its operand has %d",
                       (int)term->count, (int)shape->rank);
    }
    for (int32_t i = 0; i < term->count; i++) {
        int64_t *known = &equation->extents[term->labels[i]];
        const int64_t extent = shape->extents[i];
        if (*known < 0 || *known == 1) {
            *known = extent >= 0 || *known < 0 ? extent : *known;
        } else if (extent >= 0 && extent != 1 && extent != *known) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "an axis of the equation has extents %lld and %lld", (long long)*known,
                           (long long)extent);
        }
    }
    return TN_OK;
}

/* Without an arrow: the ellipsis, then the letters that are there once, in order. */
static void imply_output(einsum_equation *equation, int32_t ellipsis) {
    int32_t seen[EINSUM_LABELS] = {0};
    for (int32_t k = 0; k < equation->operand_count; k++) {
        for (int32_t i = 0; i < equation->operands[k].count; i++) {
            seen[equation->operands[k].labels[i]]++;
        }
    }
    einsum_labels *output = &equation->output;
    output->count = 0;
    for (int32_t i = ellipsis; i > 0; i--) {
        output->labels[output->count++] = EINSUM_ELLIPSIS + i - 1;
    }
    for (int upper = 1; upper >= 0; upper--) { /* capitals come first, as in ASCII */
        for (int32_t label = upper * 26; label < upper * 26 + 26; label++) {
            if (seen[label] == 1 && output->count < TN_MAX_RANK) {
                output->labels[output->count++] = label;
            }
        }
    }
}

/* Each axis of the output is one of an operand's, and stands there once. */
static tn_status check_output(const tn_host *host, const einsum_equation *equation) {
    uint8_t seen[EINSUM_LABELS] = {0};
    for (int32_t k = 0; k < equation->operand_count; k++) {
        for (int32_t i = 0; i < equation->operands[k].count; i++) {
            seen[equation->operands[k].labels[i]] = 1;
        }
    }
    for (int32_t i = 0; i < equation->output.count; i++) {
        if (seen[equation->output.labels[i]]-- != 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "axis %d of the equation's output is in no operand, or is there twice",
                           (int)i);
        }
    }
    return TN_OK;
}

tn_status einsum_parse(const tn_host *host, const char *text, const tn_shape *const *shapes,
                       uint32_t count, einsum_equation *out_equation) {
    const char *at = text;
    int32_t ellipsis = 0;
    if (count > EINSUM_MAX_OPERANDS) {
        return tn_fail(host, TN_UNSUPPORTED, "more than %d operands", EINSUM_MAX_OPERANDS);
    }
    out_equation->operand_count = (int32_t)count;
    for (int32_t i = 0; i < EINSUM_LABELS; i++) {
        out_equation->extents[i] = TN_UNKNOWN;
    }
    for (uint32_t k = 0; k < count; k++) {
        const int32_t own = shapes[k]->rank - count_letters(at);
        if (own < 0) {
            return refuse(host, text, at);
        }
        TN_TRY(parse_term(host, text, &at, own, &out_equation->operands[k]));
        TN_TRY(take_extents(host, &out_equation->operands[k], shapes[k], out_equation));
        ellipsis = own > ellipsis ? own : ellipsis;
        if (k + 1 < count && *at++ != ',') {
            return refuse(host, text, at - 1);
        }
    }
    if (*at == '\0') {
        imply_output(out_equation, ellipsis);
        return TN_OK;
    }
    if (strncmp(at, "->", 2) != 0) {
        return refuse(host, text, at);
    }
    at += 2;
    TN_TRY(parse_term(host, text, &at, ellipsis, &out_equation->output));
    return *at == '\0' ? check_output(host, out_equation) : refuse(host, text, at);
}
