/* Texts that grow. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"

TestSuite(text);

Test(text, an_empty_one_is_a_text) {
    tni_text text = {0};
    cr_expect_str_eq(tni_text_get(&text), "");
    cr_expect_eq(tni_text_status(&text), TN_OK);
    tni_text_add(&text, "%s", "");
    cr_expect_str_eq(tni_text_get(&text), "");
    tni_text_add_bytes(&text, "", 0);
    cr_expect_str_eq(tni_text_get(&text), "");
    tni_text_finish(&text);
    tni_text_finish(&text);
}

Test(text, grows) {
    tni_text text = {0};
    for (int i = 0; i < 10000; i++) {
        tni_text_add(&text, "%d,", i % 10);
        cr_assert_eq(text.size, (size_t)(2 * i + 2));
        cr_assert_eq(text.data[text.size], '\0');
    }
    cr_expect_eq(strncmp(tni_text_get(&text), "0,1,2,3,4,5,6,7,8,9,0,", 22), 0);
    cr_expect_eq(tni_text_status(&text), TN_OK);
    tni_text_finish(&text);
}

Test(text, long_additions_fit) {
    static char long_text[100000];
    tni_text text = {0};
    memset(long_text, 'x', sizeof long_text - 1);
    tni_text_add(&text, "<%s>", long_text);
    cr_expect_eq(text.size, sizeof long_text - 1 + 2);
    cr_expect_eq(text.data[text.size - 1], '>');
    tni_text_finish(&text);
}

/* An addition of every size to a text of every size: the ends of the room among them. */
Test(text, ends_are_kept_at_every_size) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
    for (size_t first = 0; first < 40; first++) {
        for (size_t second = 0; second < 40; second++) {
            tni_text text = {0};
            tni_text_add_bytes(&text, letters, first);
            tni_text_add(&text, "%.*s", (int)second, letters);
            tni_text_add_bytes(&text, "!", 1);
            cr_assert_eq(text.size, first + second + 1);
            cr_assert_eq(strlen(tni_text_get(&text)), text.size);
            cr_assert_eq(text.data[text.size - 1], '!');
            tni_text_finish(&text);
        }
    }
}

Test(text, bytes_may_be_zero) {
    tni_text text = {0};
    tni_text_add_bytes(&text, "a\0b", 3);
    cr_expect_eq(text.size, 3);
    cr_expect_eq(memcmp(text.data, "a\0b", 4), 0);
    tni_text_finish(&text);
}

Test(text, what_could_not_be_added_is_told) {
    tni_text text = {.failed = true};
    tni_text_add(&text, "more");
    tni_text_add_bytes(&text, "more", 4);
    cr_expect_str_eq(tni_text_get(&text), "");
    cr_expect_eq(tni_text_status(&text), TN_OUT_OF_MEMORY);
    tni_text_finish(&text);
    cr_expect_eq(tni_text_status(&text), TN_OK);
}

Test(text, utf8_is_told_from_other_bytes) {
    static const char *const good[] = {"",
                                       "plain",
                                       "\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\xed\x9f\xbf\xee\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "a\xc3z",
                                      "\xc0\x80",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xff",
                                      "\xe2\x82",
                                      "\xf0\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_expect(tni_is_utf8(good[i]), "number %zu", i);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_not(tni_is_utf8(bad[i]), "number %zu", i);
    }
}
