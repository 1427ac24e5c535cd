/* The error text of each thread. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"

enum { MOST = 4095 }; /* bytes of a text */

static void set_up(void) {
    tni_error_clear();
}

TestSuite(error, .init = set_up);

Test(error, is_empty_before_any_failure) {
    cr_expect_str_eq(tn_error_message(), "");
}

Test(error, grows_outwards) {
    cr_expect_eq(tni_fail(TN_IO, "the disk is %d%% full", 100), TN_IO);
    cr_expect_eq(tni_in(TN_IO, "file '%s'", "a"), TN_IO);
    cr_expect_eq(tni_in(TN_IO, "run"), TN_IO);
    cr_expect_str_eq(tn_error_message(), "run: file 'a': the disk is 100% full");
}

Test(error, success_adds_nothing) {
    tni_error_set("kept");
    cr_expect_eq(tni_in(TN_OK, "not said"), TN_OK);
    cr_expect_eq(tni_error_complete(TN_OK), TN_OK);
    cr_expect_str_eq(tn_error_message(), "kept");
}

Test(error, the_present_text_may_be_an_argument) {
    tni_error_set("inner");
    tni_error_set("outer (%s)", tn_error_message());
    cr_expect_str_eq(tn_error_message(), "outer (inner)");
    tni_in(TN_IO, "again %s", tn_error_message());
    cr_expect_str_eq(tn_error_message(), "again outer (inner): outer (inner)");
}

Test(error, a_text_with_signs_of_formats_stays_as_it_is) {
    tni_error_set("%s", "100%s%n");
    tni_in(TN_IO, "%s", "%d");
    cr_expect_str_eq(tn_error_message(), "%d: 100%s%n");
}

Test(error, long_texts_are_cut) {
    static char text[3 * MOST];
    memset(text, 'x', sizeof text - 1);
    tni_error_set("%s", text);
    cr_expect_eq(strlen(tn_error_message()), MOST);
}

/* Whatever the lengths, a context never runs over the end. */
Test(error, contexts_of_every_length_fit) {
    static char text[2 * MOST];
    for (int inner = 0; inner < 8; inner++) {
        for (int outer = MOST - 16; outer < MOST + 8; outer++) {
            memset(text, 'o', sizeof text - 1);
            tni_error_set("%.*s", inner, "iiiiiiii");
            tni_in(TN_IO, "%.*s", outer, text);
            const size_t wanted = (size_t)(outer + 2 + inner);
            cr_expect_leq(strlen(tn_error_message()), MOST);
            cr_expect(wanted > MOST || strlen(tn_error_message()) == wanted, "%d and %d", outer,
                      inner);
        }
    }
}

Test(error, is_cut_from_within_when_contexts_pile_up) {
    tni_error_set("inner");
    for (int i = 0; i < 3000; i++) {
        tni_in(TN_IO, "context %d", i);
    }
    cr_expect_eq(strncmp(tn_error_message(), "context 2999: context 2998: ", 28), 0);
    cr_expect_leq(strlen(tn_error_message()), MOST);
}

Test(error, a_failure_without_a_text_gets_its_sentence) {
    cr_expect_eq(tni_error_complete(TN_OUT_OF_MEMORY), TN_OUT_OF_MEMORY);
    cr_expect_str_eq(tn_error_message(), tn_status_sentence(TN_OUT_OF_MEMORY));
    tni_error_set("its own");
    tni_error_complete(TN_IO);
    cr_expect_str_eq(tn_error_message(), "its own");
}

Test(error, lack_of_memory_names_the_size) {
    cr_expect_eq(tni_fail_memory(UINT64_MAX), TN_OUT_OF_MEMORY);
    cr_expect_not_null(strstr(tn_error_message(), "18446744073709551615 bytes"));
}

static void *fail_elsewhere(void *out) {
    *(int *)out = tn_error_message()[0] == '\0';
    tni_error_set("of another thread");
    return NULL;
}

Test(error, threads_do_not_see_each_others) {
    pthread_t thread;
    int was_empty = 0;
    tni_error_set("mine");
    cr_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, &was_empty), 0);
    pthread_join(thread, NULL);
    cr_expect(was_empty);
    cr_expect_str_eq(tn_error_message(), "mine");
}
