/* RegexFullMatch: which texts a regular expression matches as a whole. */
#include <locale.h>
#include <regex.h>
#include <stdio.h>

#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "subgraph.h"
#include "text.h"

typedef struct match_attributes {
    const char *pattern;
} match_attributes;

static const tn_attribute table[] = {
    TN_FIELD(match_attributes, pattern, STRING, "", NULL,
             "An extended regular expression, with \\d, \\w, \\s and their opposites besides."),
};

static const char *const input_names[] = {"X"};
static const char *const output_names[] = {"Y"};

static tn_status infer(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "X", &call->inputs[0].dtype, TN_STRING));
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_BOOL));
    return tn_infer_same_shape(call->host, "Y", &call->outputs[0].shape, &call->inputs[0].shape);
}

const tn_op regex_full_match_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Whether the pattern matches each text from its beginning to its end.",
    OP_ATTRIBUTES(table, match_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

/* What POSIX writes otherwise; NULL: nothing. Inside brackets without brackets. */
static const char *posix_of(char letter, int is_inside) {
    switch (letter) {
    case 'd': return is_inside ? "0-9" : "[0-9]";
    case 'D': return is_inside ? NULL : "[^0-9]";
    case 'w': return is_inside ? "A-Za-z0-9_" : "[A-Za-z0-9_]";
    case 'W': return is_inside ? NULL : "[^A-Za-z0-9_]";
    case 's': return is_inside ? " \t\n\r\f\v" : "[ \t\n\r\f\v]";
    case 'S': return is_inside ? NULL : "[^ \t\n\r\f\v]";
    case 't': return "\t";
    case 'n': return "\n";
    default: return NULL;
    }
}

static int is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Room for `size` bytes; 0 when the pattern uses what POSIX does not have. */
static int translate(const char *pattern, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "^(");
    int is_inside = 0;
    for (const char *c = pattern; *c != '\0'; c++) {
        char one[3] = {*c, '\0', '\0'};
        const char *text = one;
        if (*c == '\\') {
            const char next = *++c;
            text = posix_of(next, is_inside);
            if (text == NULL && (next == '\0' || is_letter_or_digit(next))) {
                return 0;
            }
            if (text == NULL) {
                one[0] = is_inside ? next : '\\';
                one[1] = is_inside ? '\0' : next;
                text = one;
            }
        } else if (!is_inside && ((*c == '(' && c[1] == '?') ||
                                  (strchr("*+?}", *c) != NULL && (c[1] == '?' || c[1] == '+')))) {
            return 0; /* groups with options, and repetitions that are lazy or possessive */
        } else if (!is_inside && *c == '[') {
            is_inside = 1;
        } else if (is_inside && *c == ']') {
            is_inside = 0;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", text);
    }
    snprintf(out + used, size - used, ")$");
    return 1;
}

static tn_status compile(const tn_run_call *call, regex_t *expression) {
    const match_attributes *own = call->attributes;
    const size_t size = strlen(own->pattern) * 16 + 8;
    char *text = TN_SERVICE(call->host, memory)->allocate(call->host, size);
    if (text == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the pattern");
    }
    tn_status status = TN_OK;
    if (!translate(own->pattern, text, size)) {
        status = tn_fail(call->host, TN_UNSUPPORTED,
                         "the pattern '%.200s' uses what extended regular expressions lack",
                         own->pattern);
    } else if (regcomp(expression, text, REG_EXTENDED | REG_NOSUB) != 0) {
        status = tn_fail(call->host, TN_INVALID_ARGUMENT, "'%.200s' is no regular expression",
                         own->pattern);
    }
    TN_SERVICE(call->host, memory)->free(call->host, text);
    return status;
}

/* Characters are those of UTF-8, whatever the process's locale is. */
static tn_status run(const tn_run_call *call) {
    const locale_t characters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = uselocale(characters);
    regex_t expression;
    const tn_status status = compile(call, &expression);
    uint8_t *output = tn_data(call->outputs[0]);
    for (int64_t i = 0; status == TN_OK && i < tn_element_count(call->inputs[0]); i++) {
        output[i] = regexec(&expression, text_at(call->inputs[0], i), 0, NULL, 0) == 0;
    }
    if (status == TN_OK) {
        regfree(&expression);
    }
    uselocale(before);
    if (characters != (locale_t)0) {
        freelocale(characters);
    }
    return status;
}

const tn_kernel regex_full_match_kernel = {CPU_KERNEL("onnx.RegexFullMatch"),
                                           .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run};
