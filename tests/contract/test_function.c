/* Functions by name: signatures, ranges, texts; and the services that plugins call. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "plugin/signature.h"
#include "zoo.h"

static void begin(void) {
    zoo_begin();
    zoo_load("functions");
}

TestSuite(function, .init = begin, .fini = zoo_end);

static tn_status call(const char *name, const tn_argument *arguments, uint32_t count,
                      tn_argument *out) {
    return tn_function_call(zoo_runtime, name, arguments, count, out);
}

static void expect_text(const char *name, const char *const *arguments, uint32_t count,
                        const char *expected) {
    char text[64] = "untouched";
    cr_expect_eq(tn_function_call_text(zoo_runtime, name, arguments, count, text, sizeof text),
                 TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(text, expected);
}

static void expect_no_text(const char *name, const char *const *arguments, uint32_t count,
                           const char *message) {
    char text[64] = "untouched";
    cr_expect_eq(tn_function_call_text(zoo_runtime, name, arguments, count, text, sizeof text),
                 TN_INVALID_ARGUMENT);
    cr_expect_str_eq(tn_error_message(), message);
    cr_expect_str_eq(text, "untouched");
}

#define TEXTS(...)                                                                                 \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

Test(function, find) {
    const char *signature, *doc;
    cr_expect_eq(tn_function_find(zoo_runtime, "add", &signature, &doc), TN_OK);
    cr_expect_str_eq(signature, "f64(f64,f64)");
    cr_expect_str_eq(doc, "Adds two numbers.");
    cr_expect_eq(tn_function_find(zoo_runtime, "scale", NULL, &doc), TN_OK);
    cr_expect_str_eq(doc, "");
    cr_expect_eq(tn_function_find(zoo_runtime, "none", NULL, NULL), TN_NOT_FOUND);
    cr_expect_str_eq(tn_error_message(), "function 'none': no plugin offers it");
}

Test(function, values) {
    tn_argument result;
    cr_expect_eq(call("add", (tn_argument[]){{.f = 3}, {.f = 4.5}}, 2, &result), TN_OK);
    cr_expect_eq(result.f, 7.5);
    cr_expect_eq(call("scale", (tn_argument[]){{.f = 1.5}, {.i = -2}}, 2, &result), TN_OK);
    cr_expect_eq(result.f, -3.0);
    const tn_argument seven[] = {{.i = INT8_MIN}, {.i = INT16_MAX}, {.i = INT32_MIN}, {.i = 1},
                                 {.u = 255},      {.u = 65535},     {.u = UINT32_MAX}};
    cr_expect_eq(call("sum", seven, 7, &result), TN_OK);
    cr_expect_eq(result.i,
                 INT8_MIN + INT16_MAX + (int64_t)INT32_MIN + 1 + 255 + 65535 + (int64_t)UINT32_MAX);
    cr_expect_eq(call("same", (tn_argument[]){{.u = UINT64_MAX}}, 1, &result), TN_OK);
    cr_expect_eq(result.u, UINT64_MAX);
    cr_expect_eq(call("negate", (tn_argument[]){{.i = 5}}, 1, &result), TN_OK);
    cr_expect_eq(result.i, -5, "a narrow negative result is widened with its sign");
    cr_expect_eq(call("tail", (tn_argument[]){{.text = "text"}}, 1, &result), TN_OK);
    cr_expect_str_eq(result.text, "ext");
    const tn_view view = {.rank = 3};
    cr_expect_eq(call("rank", (tn_argument[]){{.view = &view}}, 1, &result), TN_OK);
    cr_expect_eq(result.i, 3);
    cr_expect_eq(call("pass", (tn_argument[]){{.pointer = &result}}, 1, &result), TN_OK);
    cr_expect_eq(result.pointer, &result);
    cr_expect_eq(call("pass", (tn_argument[]){{.pointer = NULL}}, 1, &result), TN_OK);
    cr_expect_null(result.pointer);
}

Test(function, nothing_in_and_out) {
    tn_argument result;
    cr_expect_eq(call("touch", NULL, 0, NULL), TN_OK);
    cr_expect_eq(call("touch", NULL, 0, &result), TN_OK);
    cr_expect_eq(call("touched", NULL, 0, &result), TN_OK);
    cr_expect_eq(result.i, 2);
}

Test(function, wrong_values) {
    tn_argument result = {.i = 77};
    cr_expect_eq(call("add", (tn_argument[]){{.f = 3}}, 1, &result), TN_INVALID_ARGUMENT);
    cr_expect_str_eq(tn_error_message(), "function 'add': 1 argument given, f64(f64,f64) takes 2");
    cr_expect_eq(call("negate", (tn_argument[]){{.i = 128}}, 1, &result), TN_INVALID_ARGUMENT);
    cr_expect_str_eq(tn_error_message(),
                     "function 'negate': argument 1: 128 is not -128 to 127 (i8)");
    cr_expect_eq(call("sum", (tn_argument[]){{0}, {0}, {0}, {0}, {.i = -1}, {0}, {0}}, 7, &result),
                 TN_INVALID_ARGUMENT);
    cr_expect_str_eq(tn_error_message(),
                     "function 'sum': argument 5: 18446744073709551615 is not 0 to 255 (u8)");
    cr_expect_eq(call("tail", (tn_argument[]){{.text = NULL}}, 1, &result), TN_INVALID_ARGUMENT);
    cr_expect_str_eq(tn_error_message(), "function 'tail': argument 1: a text must not be NULL");
    cr_expect_eq(call("none", NULL, 0, &result), TN_NOT_FOUND);
    cr_expect_eq(result.i, 77, "the result was written to");
}

Test(function, texts) {
    expect_text("add", TEXTS("3", "4"), "7");
    expect_text("add", TEXTS("0.1", "0.2"), "0.30000000000000004");
    expect_text("add", TEXTS("0.1", "0"), "0.1");
    expect_text("add", TEXTS("1e300", "1e300"), "2e+300");
    expect_text("add", TEXTS("inf", "1"), "inf");
    expect_text("scale", TEXTS("0.1", "3"), "0.3");
    expect_text("same", TEXTS("18446744073709551615"), "18446744073709551615");
    expect_text("negate", TEXTS("-12"), "12");
    expect_text("tail", TEXTS("text"), "ext");
    expect_text("touch", NULL, 0, "");
}

Test(function, wrong_texts) {
    expect_no_text("add", TEXTS("3"), "function 'add': 1 argument given, f64(f64,f64) takes 2");
    expect_no_text("add", TEXTS("3", "four"),
                   "function 'add': argument 2: 'four' is no value of type f64");
    expect_no_text("negate", TEXTS("1.5"),
                   "function 'negate': argument 1: '1.5' is no value of type i8");
    expect_no_text("negate", TEXTS("-129"),
                   "function 'negate': argument 1: -129 is not -128 to 127 (i8)");
    expect_no_text("same", TEXTS("18446744073709551616"),
                   "function 'same': argument 1: '18446744073709551616' is no value of type u64");
    expect_no_text("same", TEXTS("-1"),
                   "function 'same': argument 1: '-1' is no value of type u64");
    expect_no_text("rank", TEXTS("x"),
                   "function 'rank': argument 1: a view cannot be given as a text");
    expect_no_text("pass", TEXTS("x"),
                   "function 'pass': its result (pointer) cannot be given as a text");
}

Test(function, a_result_that_does_not_fit) {
    char text[4] = "abc";
    cr_expect_eq(tn_function_call_text(zoo_runtime, "tail", TEXTS("longer"), text, sizeof text),
                 TN_OUT_OF_RANGE);
    cr_expect_str_eq(tn_error_message(), "function 'tail': the result needs 6 bytes, there are 4");
    cr_expect_str_eq(text, "abc");
}

/* Numbers have a point whatever the user's language is. */
Test(function, locale) {
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        cr_skip_test("there is no locale with a decimal comma");
    }
    expect_text("add", TEXTS("0.5", "1"), "1.5");
}

Test(function, signatures) {
    tni_signature signature;
    cr_expect_eq(tni_signature_parse("void()", &signature), TN_OK);
    cr_expect_eq(signature.argument_count, 0u);
    cr_expect_eq(tni_signature_parse("pointer(view,text,u16)", &signature), TN_OK);
    cr_expect_eq(signature.argument_count, 3u);
    cr_expect_eq(signature.arguments[2], TNI_VALUE_U16);
    static const char *const bad[] = {"",
                                      "f64",
                                      "f64(",
                                      "f64()x",
                                      "f64(f64",
                                      "f64(f64,)",
                                      "f64(,f64)",
                                      "f64 ()",
                                      "F64()",
                                      "f64(void)",
                                      "f64(f64;f64)",
                                      "(f64)",
                                      "f64(f64,f64))",
                                      "f6(f64)",
                                      "f64(f64,,f64)"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(tni_signature_parse(bad[i], &signature), TN_INVALID_ARGUMENT, "%s", bad[i]);
    }
    cr_expect_eq(tni_signature_parse(NULL, &signature), TN_INVALID_ARGUMENT);
}

Test(function, at_most_32_arguments) {
    tni_signature signature;
    char text[256] = "void(i8";
    for (int i = 1; i < 32; i++) {
        strcat(text, ",i8");
    }
    strcat(text, ")");
    cr_expect_eq(tni_signature_parse(text, &signature), TN_OK);
    cr_expect_eq(signature.argument_count, 32u);
    strcpy(strrchr(text, ')'), ",i8)");
    cr_expect_eq(tni_signature_parse(text, &signature), TN_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(tn_error_message(), "more than 32 arguments"));
}

/* A plugin finds another's function and calls it; it checks the answers in its init. */
Test(function, service_function) {
    zoo_load("uses_function");
}

/* The plugin checks values, ownership and untouched outputs itself, then reports the failure. */
Test(function, service_attrs) {
    zoo_expect_bad("parses_options", TN_INVALID_ARGUMENT,
                   "init failed: zoo: attribute count=0: expected an integer in [1,inf)",
                   "cure what its init reports");
}
