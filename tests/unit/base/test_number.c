/* Numbers from hostile texts, in every locale. */
#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

TestSuite(number);

static void expect_integer(const char *text, int64_t value, size_t size) {
    const char *cursor = text;
    int64_t out = 0;
    cr_expect(tni_read_integer(&cursor, &out), "'%s'", text);
    cr_expect_eq(out, value, "'%s' gives %lld", text, (long long)out);
    cr_expect_eq(cursor, text + size, "'%s' is read up to '%s'", text, cursor);
}

static void expect_no_integer(const char *text) {
    const char *cursor = text;
    int64_t out = 77;
    cr_expect_not(tni_read_integer(&cursor, &out), "'%s' gives %lld", text, (long long)out);
    cr_expect_eq(out, 77, "'%s'", text);
    cr_expect_eq(cursor, text, "'%s'", text);
}

Test(number, integers) {
    expect_integer("0", 0, 1);
    expect_integer("-0", 0, 2);
    expect_integer("+12", 12, 3);
    expect_integer("-7,8", -7, 2);
    expect_integer("007", 7, 3);
    expect_integer("12L", 12, 2);
    expect_integer("0x10", 0, 1);
    expect_integer("9223372036854775807", INT64_MAX, 19);
    expect_integer("-9223372036854775808", INT64_MIN, 20);
    expect_integer("00000000000000000000000000000001", 1, 32);
}

Test(number, no_integers) {
    static const char *const texts[] = {"",
                                        " 1",
                                        "-",
                                        "+",
                                        "--1",
                                        "+-1",
                                        "-+1",
                                        "x",
                                        "L",
                                        ".5",
                                        "- 1",
                                        "e5",
                                        "\n",
                                        "inf",
                                        "nan",
                                        "\xb2",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551616",
                                        "99999999999999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_no_integer(texts[i]);
    }
}

static void expect_float(const char *text, double value, size_t size) {
    const char *cursor = text;
    double out = 77;
    cr_expect(tni_read_float(&cursor, &out), "'%s'", text);
    cr_expect(isnan(value) ? isnan(out) : out == value && signbit(out) == signbit(value),
              "'%s' gives %.17g", text, out);
    cr_expect_eq(cursor, text + size, "'%s' is read up to '%s'", text, cursor);
}

static void expect_no_float(const char *text) {
    const char *cursor = text;
    double out = 77;
    cr_expect_not(tni_read_float(&cursor, &out), "'%s' gives %.17g", text, out);
    cr_expect(out == 77, "'%s'", text);
    cr_expect_eq(cursor, text, "'%s'", text);
}

Test(number, floats) {
    expect_float("0", 0, 1);
    expect_float("-0", -0.0, 2);
    expect_float("+1.5", 1.5, 4);
    expect_float(".5", 0.5, 2);
    expect_float("5.", 5, 2);
    expect_float("-1e-3,", -1e-3, 5);
    expect_float("1E+2", 100, 4);
    expect_float("1e", 1, 1);
    expect_float("1e+", 1, 1);
    expect_float("1ex", 1, 1);
    expect_float("0x1p3", 0, 1);
    expect_float("1,5", 1, 1);
    expect_float("0.1", 0.1, 3);
    expect_float("1.7976931348623157e308", DBL_MAX, 22);
    expect_float("4.9406564584124654e-324", 4.9406564584124654e-324, 23);
    expect_float("1e-400", 0, 6);
}

Test(number, words_for_what_is_not_finite) {
    expect_float("inf", (double)INFINITY, 3);
    expect_float("-inf)", -(double)INFINITY, 4);
    expect_float("+Infinity", (double)INFINITY, 9);
    expect_float("-INFINITY,", -(double)INFINITY, 9);
    expect_float("infinit", (double)INFINITY, 3);
    expect_float("nan", (double)NAN, 3);
    expect_float("NaN]", (double)NAN, 3);
    expect_float("-nan", (double)NAN, 4);
}

Test(number, no_floats) {
    static const char *const texts[] = {"",   " 1",  "-",   "+",     ".",  "-.",
                                        "e5", "+-1", "--1", "1..2",  "x",  "1.2.3",
                                        "in", "na",  "-e",  "+-inf", ".e1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_no_float(texts[i]);
    }
}

Test(number, endless_floats_are_refused) {
    static char text[4096];
    memset(text, '9', sizeof text - 1);
    expect_no_float(text);
    text[0] = '.';
    expect_no_float(text);
    memset(text, '0', sizeof text - 1);
    text[1] = 'e';
    expect_no_float(text);
}

/* A number that no double holds does not become infinity behind one's back. */
Test(number, floats_that_do_not_fit_are_refused) {
    expect_no_float("1e309");
    expect_no_float("-1e99999");
}

static bool use_comma_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8", "de_DE",
                                        "nl_NL.UTF-8", "ru_RU.UTF-8", "pt_BR.UTF-8", "it_IT.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0) {
            return true;
        }
    }
    return false;
}

Test(number, a_locale_with_a_decimal_comma_changes_nothing) {
    if (!use_comma_locale()) {
        cr_skip_test("no locale with a decimal comma is installed");
    }
    expect_float("1.5", 1.5, 3);
    expect_float("1,5", 1, 1);
    expect_float("-.25e1", -2.5, 6);
    expect_integer("1,234", 1, 1);
    expect_integer("1.234", 1, 1);
}
