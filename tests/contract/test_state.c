/* The state of the process around a plugin's code, and the code that wants to load plugins itself.
 */
#include <criterion/criterion.h>
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/process_state.h"
#include "zoo.h"

TestSuite(state, .init = zoo_begin, .fini = zoo_end);

/* The plugin is loaded, what it changed is put back, and ledger and log name both. */
static void expect_culprit(const char *file, const char *name, const char *what) {
    zoo_load(file);
    cr_expect_str_eq(zoo_last_record().reason,
                     zoo_text("loaded; it changed %s, which was put back", what));
    cr_expect_eq(zoo_last_record().verdict, TN_OK);
    const char *line = zoo_text("2 tenon: plugin '%s' (%s) changed %s while it was loaded; it was "
                                "put back\n",
                                name, zoo_path(zoo_text("%s.so", file)), what);
    cr_expect_not_null(strstr(zoo_log, line), "log: %s\nexpected: %s", zoo_log, line);
}

static volatile float smallest = FLT_MIN;

Test(state, fast_math) {
    expect_culprit("fast_math", "fast_math", "the floating-point mode");
    cr_expect_gt(smallest / 2, 0.0f, "denormal numbers are zero");
}

Test(state, changes_signal) {
    struct sigaction now;
    expect_culprit("changes_signal", "changes_state",
                   zoo_text("the handling of signal %d (SIGUSR1)", SIGUSR1));
    cr_assert_eq(sigaction(SIGUSR1, NULL, &now), 0);
    cr_expect(now.sa_handler == SIG_DFL);
}

Test(state, changes_locale) {
    if (setlocale(LC_ALL, "C.UTF-8") == NULL) {
        cr_skip_test("there is no second locale");
    }
    expect_culprit("changes_locale", "changes_state", "the locale");
    cr_expect_str_eq(setlocale(LC_ALL, NULL), "C.UTF-8");
}

Test(state, changes_directory) {
    char now[ZOO_PATH];
    cr_assert_eq(chdir(zoo_directory), 0);
    expect_culprit("changes_directory", "changes_state", "the working directory");
    cr_expect_str_eq(getcwd(now, sizeof now), zoo_directory);
}

Test(state, changes_umask) {
    expect_culprit("changes_umask", "changes_state", "the umask");
    cr_expect_eq(umask(0), 022u);
}

Test(state, fini_changes_directory) {
    char now[ZOO_PATH];
    cr_assert_eq(chdir(zoo_directory), 0);
    zoo_load("fini_changes_state");
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "fini_changes_state", 0, NULL), TN_OK);
    cr_expect_str_eq(getcwd(now, sizeof now), zoo_directory);
    cr_expect_not_null(strstr(zoo_log, "2 tenon: plugin 'fini_changes_state' changed the working "
                                       "directory while it was ended; it was put back\n"),
                       "%s", zoo_log);
}

Test(state, a_good_plugin_is_not_accused) {
    feraiseexcept(FE_ALL_EXCEPT);
    zoo_load("good");
    cr_expect_str_eq(zoo_last_record().reason, "loaded");
    cr_expect_null(strstr(zoo_log, "changed"), "%s", zoo_log);
}

Test(state, several_changes_are_all_named) {
    static tni_process_state before;
    char changed[256];
    cr_assert_eq(tni_process_state_save(&before), TN_OK);
    cr_assert_eq(chdir("/"), 0);
    fesetround(FE_UPWARD);
    umask(077);
    cr_expect(tni_process_state_restore(&before, changed, sizeof changed));
    cr_expect_str_eq(changed, "the floating-point mode, the working directory, the umask");
    cr_expect_eq(fegetround(), FE_TONEAREST);
    cr_expect(!tni_process_state_restore(&before, changed, sizeof changed));
    cr_expect_str_eq(changed, "");
    tni_process_state_finish(&before);
}

/* Loading from inside a load. */

static tn_runtime *nested;
static tn_status nested_status;
static char nested_message[256];

static void load_from_log(void *context, uint32_t level, const char *source, const char *message) {
    (void)level;
    (void)message;
    if (strcmp(source, "logs_in_init") == 0) {
        nested_status = tn_plugin_load(nested, context, 0, NULL);
        strncpy(nested_message, tn_error_message(), sizeof nested_message - 1);
    }
}

Test(state, loading_does_not_nest) {
    char *good = (char *)(uintptr_t)zoo_copy("good");
    const tn_runtime_options options = {
        .struct_size = TN_RUNTIME_OPTIONS_SIZE, .log = load_from_log, .log_context = good};
    cr_assert_eq(tn_runtime_create(&options, &nested), TN_OK);
    cr_expect_eq(tn_plugin_load(nested, zoo_copy("logs_in_init"), 0, NULL), TN_OK);
    cr_expect_eq(nested_status, TN_FAILED_PRECONDITION);
    cr_expect_str_eq(nested_message,
                     zoo_text("plugin '%s': plugins cannot be loaded or unloaded from inside a "
                              "plugin's init or fini, or from a log callback meanwhile",
                              good));
    cr_expect_eq(tn_plugin_load(nested, good, 0, NULL), TN_OK, "%s", tn_error_message());
    tn_runtime_destroy(nested);
}
