/* Libraries and operators that do what they must not: an error that names both, and nothing worse.
 */
#include "extension_fixture.h"

TestSuite(faulty_extension, .init = extension_set_up, .fini = extension_tear_down);

static void expect_refused(const char *name, tn_status status, const char *text) {
    cr_expect_eq(tn_plugin_load(runtime, extension_path(name), TN_LOAD_ALLOW_WRITABLE, NULL),
                 status, "%s: %s", name, tn_error_message());
    expect_message(text);
    expect_message(name);
}

Test(faulty_extension, libraries_are_refused) {
    expect_refused("version_3", TN_INCOMPATIBLE, "library API version");
    expect_refused("version_8", TN_INCOMPATIBLE,
                   "it is of library API version 8; versions 7 "
                   "(MXNet 1.7), 10 (1.8) and 11 (1.9 and 2.0)");
    expect_refused("version_42", TN_INCOMPATIBLE, "library API version 42");
    expect_refused("refuses", TN_INCOMPATIBLE, "initialize(10700): it reports a failure");
    expect_refused("registers_nothing", TN_CORRUPT, "registers no operator");
    expect_refused("nameless", TN_INTERNAL, "operator number 0: it has no name");
    expect_refused("no_parse", TN_INTERNAL,
                   "operator plain: it lacks parseAttrs, inferType or inferShape");
    expect_refused("no_forward", TN_INTERNAL, "operator plain: it has no function that computes");
    expect_refused("lacks_a_function", TN_CORRUPT,
                   "a library of version 11 exports _opCallMutateInputs, and this one does not");
    expect_refused("release_16", TN_INCOMPATIBLE,
                   "MXNet extension of release 1.6: it exports initialize and no _opVersion");
}

/* The operators, what they are made to do wrong, and what is said about it; in the two ways in
 * which libraries tell of their errors. */
static const struct {
    const char *op, *text;
    int has_words; /* the library has them, in the versions with messages */
} faults[] = {
    {"bad_parse_fails", "parseAttrs: it reports a failure", 1},
    {"bad_parse_throws", "parseAttrs: it threw an exception: ", 0},
    {"bad_counts", "parseAttrs: it gave -3 inputs and 70000 outputs", 0},
    {"bad_no_counts", "parseAttrs: it gave -1 inputs and -1 outputs", 0},
    {"bad_type_fails", "inferType: it reports a failure", 1},
    {"bad_type_throws", "inferType: it threw an exception", 0},
    {"bad_type", "inferType: it gave the type 42 for output 0", 0},
    {"bad_other_type", "input 0 is float32, but int32 is expected", 0},
    {"bad_shape_fails", "inferShape: it reports a failure", 0},
    {"bad_no_shape", "inferShape: it gave no shapes", 0},
    {"bad_deep_shape", "inferShape: it gave a shape of rank 99 for output 0", 0},
    {"bad_other_shape", "input 0 has shape (1), but (9,9,9) is expected", 0},
    {"bad_huge_shape", "", 0},
    {"bad_forward_fails", "forward: it reports a failure", 1},
    {"bad_forward_throws", "forward: it threw an exception: the seventh of three", 0},
    {"bad_forward_throws_oddly", "forward: it threw an exception", 0},
    {"bad_mutates", "mutateInputs: it gave input 5 of 1", 0},
    {"bad_no_state", "createOpState: it gave no state", 0},
    {"bad_state_throws", "createOpState: it threw an exception: no state today", 0},
    {"ext_elsewhere", "ext_elsewhere computes on other devices than the CPU alone", 0},
};

static void expect_faults(int version) {
    load_version(version);
    const int64_t one = 1;
    const float value = 0;
    for (int round = 0; round < 2; round++) { /* a failure leaves nothing in the way */
        for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
            tn_tensor *input = floats(1, &one, &value), *output = NULL;
            cr_expect_neq(tn_invoke(runtime, faults[i].op, NULL, 0, &input, 1, &output, 1), TN_OK,
                          "%s", faults[i].op);
            expect_message(faults[i].text);
            expect_message(faults[i].op);
            if (faults[i].text[0] != '\0' && strstr(faults[i].text, "expected") == NULL) {
                expect_message(library);
            }
            if (faults[i].has_words && version >= 8) {
                expect_message("does not like it");
            }
            cr_expect_null(output);
            tn_tensor_release(input);
        }
    }
    cr_expect_eq(ask("test_live_blocks"), 0);
}

Test(faulty_extension, operators_of_version_7) {
    expect_faults(7);
}

Test(faulty_extension, operators_of_version_10) {
    expect_faults(10);
}

Test(faulty_extension, operators_of_version_11) {
    expect_faults(11);
}

/* Each failure tells what is its own, not what the library had said before. */
Test(faulty_extension, old_messages_are_not_repeated) {
    load_version(11);
    const int64_t one = 1;
    const float value = 0;
    tn_tensor *input = floats(1, &one, &value), *output = NULL;
    cr_expect_neq(tn_invoke(runtime, "bad_forward_fails", NULL, 0, &input, 1, &output, 1), TN_OK);
    expect_message("extension.cpp[1]: forward does not like it");
    cr_expect_neq(tn_invoke(runtime, "bad_type_fails", NULL, 0, &input, 1, &output, 1), TN_OK);
    expect_message("inferType does not like it");
    cr_expect_null(strstr(tn_error_message(), "forward does not like it"));
    tn_tensor_release(input);
}

Test(faulty_extension, element_types_that_libraries_do_not_know) {
    load_version(7);
    const int64_t one = 1;
    const tn_option factor = {"factor", "1"};
    tn_tensor *input, *output = NULL;
    cr_assert_eq(tn_tensor_create(runtime, TN_BF16, 1, &one, &input), TN_OK);
    cr_expect_eq(tn_invoke(runtime, "ext_scale", &factor, 1, &input, 1, &output, 1),
                 TN_UNSUPPORTED);
    expect_message("input 0 is bfloat16, which no MXNet extension library knows");
    tn_tensor_release(input);
}
