/* The one list of status codes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <tenon/api.h>

TestSuite(status);

static const struct {
    tn_status status;
    const char *name;
} codes[] = {
#define ROW(code, name, sentence) {code, #name},
    TN_STATUS_LIST(ROW)
#undef ROW
};
enum { CODE_COUNT = sizeof codes / sizeof codes[0] };

Test(status, success_is_zero) {
    cr_expect_eq(TN_OK, 0);
    cr_expect_str_eq(tn_status_name(0), "OK");
}

Test(status, each_has_a_name_and_a_sentence) {
    for (size_t i = 0; i < CODE_COUNT; i++) {
        cr_expect_str_eq(tn_status_name(codes[i].status), codes[i].name);
        cr_expect_gt(strlen(tn_status_sentence(codes[i].status)), 3, "%s", codes[i].name);
    }
}

Test(status, codes_names_and_sentences_differ) {
    for (size_t i = 0; i < CODE_COUNT; i++) {
        for (size_t j = 0; j < i; j++) {
            cr_expect_neq(codes[i].status, codes[j].status);
            cr_expect_str_neq(codes[i].name, codes[j].name);
            cr_expect_str_neq(tn_status_sentence(codes[i].status),
                              tn_status_sentence(codes[j].status));
        }
    }
}

Test(status, unknown_codes_are_said_to_be_unknown) {
    static const tn_status none[] = {-1, 9999, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        cr_expect_str_eq(tn_status_name(none[i]), "UNKNOWN");
        cr_expect_str_eq(tn_status_sentence(none[i]), "a status that this library does not know");
    }
}

Test(status, the_version_is_three_numbers) {
    unsigned major, minor, patch;
    char rest;
    cr_expect_eq(sscanf(tn_version(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3);
}
