/* StringNormalizer: without stop words, in upper or lower case. */
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "families.h"
#include "given_output.h"
#include "integers.h"
#include "operator.h"
#include "subgraph.h"
#include "text.h"

enum { CASE_NONE, CASE_LOWER, CASE_UPPER };

typedef struct normalizer_attributes {
    int32_t case_change_action;
    int32_t is_case_sensitive;
} normalizer_attributes;

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(normalizer_attributes, case_change_action, "NONE", "NONE|LOWER|UPPER",
                    "What becomes of the letters."),
    TN_FIELD(normalizer_attributes, is_case_sensitive, BOOL, "False", NULL,
             "Whether a stop word must have the case of the text."),
};

static const char *const input_names[] = {"X", "stopwords"};
static const char *const output_names[] = {"Y"};

static tn_status infer(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "X", &call->inputs[0].dtype, TN_STRING));
    TN_TRY(tn_infer_dtype(call->host, "stopwords", &call->inputs[1].dtype, TN_STRING));
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_STRING));
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    const tn_shape shape = tn_shape_of_rank(call->inputs[0].shape.rank);
    return tn_infer_shape(call->host, "Y", &call->outputs[0].shape, &shape);
}

const tn_op string_normalizer_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc =
        "The texts of one row that are no stop words, in upper or lower case if asked for. Where "
        "none is left there is an empty one.",
    OP_ATTRIBUTES(table, normalizer_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

/* The text in another case, as an element: letters are those of UTF-8. Bytes that are none stay. */
static tn_status change_case(const tn_run_call *call, const char *text, int32_t action,
                             locale_t characters, const char **out_text) {
    const tn_string_service *strings = TN_SERVICE(call->host, string);
    const size_t size = strlen(text);
    char *changed = TN_SERVICE(call->host, memory)->allocate(call->host, (size + 1) * MB_LEN_MAX);
    if (changed == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a text");
    }
    mbstate_t reading = {0}, writing = {0};
    size_t at = 0, used = 0;
    while (at < size) {
        wchar_t letter;
        const size_t read = mbrtowc(&letter, text + at, size - at, &reading);
        if (read == 0 || read > size) {
            changed[used++] = text[at++];
            reading = (mbstate_t){0};
            continue;
        }
        letter = action == CASE_LOWER   ? (wchar_t)towlower_l((wint_t)letter, characters)
                 : action == CASE_UPPER ? (wchar_t)towupper_l((wint_t)letter, characters)
                                        : letter;
        const size_t written = wcrtomb(changed + used, letter, &writing);
        used += written <= MB_LEN_MAX ? written : 0;
        at += read;
    }
    const tn_status status = strings->intern(call->host, changed, used, out_text);
    TN_SERVICE(call->host, memory)->free(call->host, changed);
    return status;
}

/* Whether a text is one of the stop words; equal texts are one pointer. */
static tn_status find_stop_word(const tn_run_call *call, const char *text, locale_t characters,
                                int *out_found) {
    const normalizer_attributes *own = call->attributes;
    const tn_view *words = call->inputs[1];
    const int32_t action = own->is_case_sensitive ? CASE_NONE : CASE_LOWER;
    const char *wanted, *word;
    TN_TRY(change_case(call, text, action, characters, &wanted));
    *out_found = 0;
    for (int64_t i = 0; !*out_found && i < tn_element_count(words); i++) {
        TN_TRY(change_case(call, text_at(words, i), action, characters, &word));
        *out_found = word == wanted;
    }
    return TN_OK;
}

static tn_status normalize(const tn_run_call *call, locale_t characters, const char **kept) {
    const normalizer_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *output;
    int64_t count = 0;
    for (int64_t i = 0; i < tn_element_count(data); i++) {
        int is_stop_word;
        TN_TRY(find_stop_word(call, text_at(data, i), characters, &is_stop_word));
        if (!is_stop_word) {
            TN_TRY(change_case(call, text_at(data, i), own->case_change_action, characters,
                               &kept[count++]));
        }
    }
    if (count == 0) {
        kept[count++] = NULL;
    }
    const int64_t extents[] = {data->rank == 2 ? 1 : count, count};
    const tn_shape shape = tn_shape_of(data->rank, extents);
    TN_TRY(open_output(call, 0, TN_STRING, &shape, &output));
    memcpy(tn_data(output), (const void *)kept, (size_t)count * sizeof *kept);
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    if (data->rank < 1 || data->rank > 2 || (data->rank == 2 && data->shape[0] != 1)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "X is no row of texts");
    }
    const char **kept =
        TN_SERVICE(call->host, memory)
            ->allocate(call->host, ((uint64_t)tn_element_count(data) + 1) * sizeof *kept);
    if (kept == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a list of texts");
    }
    const locale_t characters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (characters == (locale_t)0) {
        TN_SERVICE(call->host, memory)->free(call->host, (void *)kept);
        return tn_fail(call->host, TN_UNSUPPORTED, "the system has no locale C.UTF-8");
    }
    const locale_t before = uselocale(characters);
    const tn_status status = normalize(call, characters, kept);
    uselocale(before);
    freelocale(characters);
    TN_SERVICE(call->host, memory)->free(call->host, (void *)kept);
    return status;
}

const tn_kernel string_normalizer_kernel = {CPU_KERNEL("onnx.StringNormalizer"),
                                            .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run};
