/* tenon call: a plugin's C function by name. */
#include "command.h"

static int run(const cli_arguments *arguments) {
    char text[65536];
    if (arguments->word_count == 0) {
        return cli_bad_usage("call: expected a function; see `tenon call --help`");
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    int result = CLI_OK;
    if (tn_function_call_text(runtime, arguments->words[0], arguments->words + 1,
                              (uint32_t)arguments->word_count - 1, text, sizeof text) == TN_OK) {
        cli_print("%s\n", text);
    } else {
        result = cli_fail();
    }
    tn_runtime_destroy(runtime);
    return result;
}

const cli_command cli_call = {
    "call",
    "FUNCTION [ARGUMENT…]",
    "Call a C function that a plugin offers",
    "Arguments are converted as the function's signature says; a wrong number or type is an\n"
    "error that shows the signature. Write `--` before arguments that begin with \"--\".\n\n"
    "Examples:\n"
    "  tenon call hypot 3 4",
    NULL,
    0,
    run,
};
