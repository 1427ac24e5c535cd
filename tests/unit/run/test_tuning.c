/* Kernels are chosen by what was measured, kept in a file that nobody needs to trust. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../graph/graph_fixture.h"

static tn_device *device;
static tn_tensor *input;
static char path[] = "/tmp/tenon-tuning-XXXXXX";

static void set_up(void) {
    static const float values[] = {3, 1, 4, 1};
    fixture_set_up();
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    input = floats_of(4, values);
    close(mkstemp(path));
    unlink(path);
    output(unary("probe_speeds", "node", variable("x")));
}

static void tear_down(void) {
    unlink(path);
    tn_tensor_release(input);
    tn_device_close(device);
    fixture_tear_down();
}

TestSuite(tuning, .init = set_up, .fini = tear_down);

static tn_tuning *new_tuning(void) {
    tn_tuning *tuning;
    cr_assert_eq(tn_tuning_create(runtime, &tuning), TN_OK);
    return tuning;
}

static tn_tuning *measured_tuning(void) {
    tn_tuning *tuning = new_tuning();
    cr_assert_eq(tn_tuning_measure(tuning, graph, device, &input), TN_OK, "%s", tn_error_message());
    return tuning;
}

/* Which kernel a session takes, and what it says of it. */
static void expect_kernel(const tn_tuning *tuning, const char *kernel, const char *measured) {
    const tn_session_options options = {.struct_size = TN_SESSION_OPTIONS_SIZE, .tuning = tuning};
    tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
    tn_session *session;
    tn_tensor *result = NULL;
    cr_assert_eq(tn_session_create(graph, device, &options, &session), TN_OK);
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    cr_expect_eq(((const float *)tn_tensor_data(result))[2], 4);
    cr_assert_eq(tn_session_step(session, 0, &step), TN_OK);
    cr_expect_str_eq(step.kernel, kernel);
    cr_expect_not_null(strstr(step.measured, measured), "%s", step.measured);
    cr_expect_eq(step.measured[0] == '\0', measured[0] == '\0');
    tn_tensor_release(result);
    tn_session_destroy(session);
}

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* The file's text, to be freed. */
static char *read_file(void) {
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_assert_gt(fread(text, 1, 65535, file), 0);
    fclose(file);
    return text;
}

Test(tuning, without_it_the_rank_decides) {
    tn_tuning *tuning = new_tuning();
    expect_kernel(NULL, "probe_speeds.slow", "");
    expect_kernel(tuning, "probe_speeds.slow", "");
    tn_tuning_destroy(tuning);
}

Test(tuning, the_fastest_is_taken) {
    tn_tuning *tuning = measured_tuning();
    cr_expect_eq(tn_tuning_count(tuning), 1);
    expect_kernel(tuning, "probe_speeds.quick", "probe_speeds.slow 3");
    tn_tuning_destroy(tuning);
}

Test(tuning, nodes_of_one_form_are_one) {
    const tn_value first = unary("probe_speeds", "first", variable("y"));
    output(unary("probe_speeds", "second", first));
    tn_tuning *tuning = measured_tuning();
    cr_expect_eq(tn_tuning_count(tuning), 1);
    tn_tuning_destroy(tuning);
}

Test(tuning, a_file_keeps_it) {
    tn_tuning *tuning = measured_tuning(), *read = new_tuning();
    cr_assert_eq(tn_tuning_write(tuning, path), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tuning_read(read, path), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_tuning_count(read), 1);
    expect_kernel(read, "probe_speeds.quick", "probe_speeds.slow 3");
    tn_tuning_destroy(read);
    tn_tuning_destroy(tuning);
}

Test(tuning, no_file_is_no_tuning) {
    tn_tuning *tuning = new_tuning();
    cr_expect_eq(tn_tuning_read(tuning, path), TN_NOT_FOUND);
    tn_tuning_destroy(tuning);
}

/* What is written there is changed in one word, and then of no use. */
static void expect_unused(const char *word, const char *other) {
    tn_tuning *tuning = measured_tuning(), *read = new_tuning();
    cr_assert_eq(tn_tuning_write(tuning, path), TN_OK);
    char *text = read_file();
    char *at = strstr(text, word);
    cr_assert_not_null(at, "%s", text);
    cr_assert_eq(strlen(word), strlen(other));
    memcpy(at, other, strlen(other));
    write_file(text, strlen(text));
    cr_assert_eq(tn_tuning_read(read, path), TN_OK, "%s", tn_error_message());
    expect_kernel(read, "probe_speeds.slow", "");
    free(text);
    tn_tuning_destroy(read);
    tn_tuning_destroy(tuning);
}

Test(tuning, another_build_s_is_ignored) {
    expect_unused("of probe-ops 1.0 ", "of probe-ops 1.1 ");
}

Test(tuning, another_machine_s_is_ignored) {
    expect_unused(" threads;", " thready;");
}

Test(tuning, another_shape_s_is_ignored) {
    expect_unused("float32 (4)", "float32 (5)");
}

Test(tuning, a_kernel_that_is_not_there_is_ignored) {
    expect_unused("\nprobe_speeds.quick\n", "\nprobe_speeds.quirk\n");
}

static void expect_corrupt(const char *text, size_t size, const char *message) {
    tn_tuning *tuning = new_tuning();
    write_file(text, size);
    cr_expect_eq(tn_tuning_read(tuning, path), TN_CORRUPT, "%s", text);
    expect_message(message);
    cr_expect_eq(tn_tuning_count(tuning), 0);
    tn_tuning_destroy(tuning);
}

#define EXPECT_CORRUPT(TEXT, MESSAGE) expect_corrupt(TEXT, sizeof(TEXT) - 1, MESSAGE)

Test(tuning, files_are_not_trusted) {
    EXPECT_CORRUPT("", "line 1");
    EXPECT_CORRUPT("tenon tuning 2\n", "line 1: expected \"tenon tuning 1\"");
    EXPECT_CORRUPT("tenon tuning 1", "line 1");
    EXPECT_CORRUPT("tenon tuning 1\nform\n", "line 3");
    EXPECT_CORRUPT("tenon tuning 1\nform\nkernel\n", "line 4");
    EXPECT_CORRUPT("tenon tuning 1\nform\nkernel\nmeasured", "line 4");
    EXPECT_CORRUPT("tenon tuning 1\na\nb\nc\nform\n\nmeasured\n", "line 6");
    EXPECT_CORRUPT("tenon tuning 1\nform\nker\0nel\nmeasured\n", "line 3: a control character");
    EXPECT_CORRUPT("tenon tuning 1\nform\nkernel\n\x1b[2J\n", "line 4: a control character");
}
