/* Plugins with one fault each: what is said about them, and that nothing of them stays. */
#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "zoo.h"

TestSuite(bad_plugins, .init = zoo_begin, .fini = zoo_end);

#define REBUILD "rebuild it with the headers of contract 0.1"
#define MACRO "let the macro TN_PLUGIN write note and table"
#define CORRECT "correct the entry in the plugin's source"
#define OFFERED                                                                                    \
    "this library offers "                                                                         \
    "error/1,log/1,memory/1,random/1,attrs/1,string/1,function/1,tensor/1,sparse/1,"               \
    "parallel/1,dispatch/1,graph/1"

/* A test whose plugin is refused as it stands. */
#define BAD(NAME, STATUS, REASON, REMEDY)                                                          \
    Test(bad_plugins, NAME) {                                                                      \
        zoo_expect_bad(#NAME, STATUS, REASON, REMEDY);                                             \
    }

BAD(wrong_major, TN_INCOMPATIBLE,
    "contract: the plugin was built for major 7, this library speaks 0.1",
    REBUILD ", or use a library that speaks contract 7")
BAD(wrong_minor, TN_INCOMPATIBLE,
    "contract: the plugin was built with 0.99, this library speaks 0.1, and while the major is 0 "
    "the minors must be equal",
    REBUILD)
BAD(needs_newer, TN_INCOMPATIBLE, "needs: the plugin needs contract minor 99, this library has 1",
    "use a library that speaks contract 0.99 or later, or build it with TN_NEEDS_MINOR at most 1")
BAD(missing_service, TN_INCOMPATIBLE, "services: the plugin requires warp/1,log/9, " OFFERED,
    "use a library that offers warp/1,log/9")
BAD(other_sanitizer, TN_INCOMPATIBLE,
    "sanitizer: the plugin was built with 'memory', this library with '" TN_SANITIZER "'",
    "build the plugin without -fsanitize=memory, or the library with it")
BAD(several_mismatches, TN_INCOMPATIBLE,
    "contract: the plugin was built for major 7, this library speaks 0.1; services: the plugin "
    "requires warp/1, " OFFERED "; sanitizer: the plugin was built with 'memory', this library "
    "with '" TN_SANITIZER "'",
    REBUILD ", or use a library that speaks contract 7; use a library that offers warp/1; build "
            "the plugin without -fsanitize=memory, or the library with it")

BAD(no_note, TN_CORRUPT, "not a plugin: a shared library without a Tenon note",
    "give a library that was built with TN_PLUGIN of tenon/plugin.h")
BAD(two_notes, TN_CORRUPT, "damaged: 2 Tenon notes in one file", "give a library")
BAD(no_symbol, TN_CORRUPT, "the library exports no symbol 'tenon_plugin'", MACRO)
BAD(function_symbol, TN_CORRUPT, "the symbol 'tenon_plugin' is not a table of a plugin", MACRO)
BAD(short_table, TN_CORRUPT, "the table's struct_size is 72, expected 48 to 64", MACRO)
BAD(disagree_name, TN_CORRUPT, "note and table disagree: name 'one_name' and 'another_name'", MACRO)
BAD(disagree_contract, TN_CORRUPT,
    "note and table disagree: contract 0.1 needing 1 and 0.1 needing 42", MACRO)
BAD(null_version, TN_CORRUPT, "the table's name or version is missing or not printable", MACRO)

BAD(no_entries, TN_CORRUPT, "the plugin offers nothing: its table has no entries", CORRECT)
BAD(null_entries, TN_CORRUPT, "the pointer to the entries is null or not aligned", CORRECT)
BAD(wrong_stride, TN_CORRUPT,
    "the stride of the entries is 16 bytes, at least 32 and a multiple of 8 is required", CORRECT)
BAD(bad_name, TN_CORRUPT, "entry 1: kind or name is not made of letters, digits, '-', '_', '.'",
    CORRECT)
BAD(zero_version, TN_CORRUPT, "entry 0 (op 'zero'): version is 0, versions begin at 1", CORRECT)
BAD(null_impl, TN_CORRUPT, "entry 1 (op 'null'): impl is null or not aligned", CORRECT)
BAD(small_struct, TN_CORRUPT, "entry 1 (op 'small'): struct_size is 8, expected 112 to 65536",
    CORRECT)
BAD(huge_struct, TN_CORRUPT,
    "entry 1 (op 'huge'): struct_size is 4294967295, expected 112 to 65536", CORRECT)
BAD(twice_inside, TN_CORRUPT, "entry 1 (op 'again'): the plugin offers it twice in version 1",
    CORRECT)

BAD(missing_infer, TN_CORRUPT, "entry 1 (op 'missing'): infer is required and missing", CORRECT)
BAD(missing_pass, TN_CORRUPT, "entry 1 (pass 'idle'): run is required and missing", CORRECT)
BAD(missing_unload, TN_CORRUPT, "entry 1 (loader 'idle'): unload is required and missing", CORRECT)
BAD(missing_strategy, TN_CORRUPT, "entry 1 (partitioner 'bad'): it has no strategy", CORRECT)
BAD(idle_strategy, TN_CORRUPT,
    "entry 1 (partitioner 'bad'): strategy 0: it has neither find_supported nor a selector, "
    "expected one of the two",
    CORRECT)
BAD(two_ways, TN_CORRUPT,
    "entry 1 (partitioner 'bad'): strategy 0: it has find_supported and a selector, expected one "
    "of the two",
    CORRECT)
BAD(half_selector, TN_CORRUPT,
    "entry 1 (partitioner 'bad'): strategy 0: select is required and missing", CORRECT)
BAD(host_option, TN_CORRUPT,
    "entry 1 (partitioner 'bad'): option min_nodes is the host's, of every partitioner", CORRECT)
BAD(closed_subgraph, TN_CORRUPT,
    "entry 1 (op 'bad'): TN_OP_SUBGRAPH goes with TN_OP_VARIADIC, one subgraph and one output name",
    CORRECT)
BAD(missing_run, TN_CORRUPT, "entry 2 (kernel 'missing.cpu'): run is required and missing", CORRECT)
BAD(sparse_without_supports, TN_CORRUPT,
    "entry 2 (kernel 'sparse.cpu'): supports is required and missing", CORRECT)
BAD(bad_attributes, TN_CORRUPT,
    "entry 1 (op 'bad'): attributes: default: attribute axis=40: expected an integer in [0,31]",
    CORRECT)
BAD(bad_kernel_attributes, TN_CORRUPT,
    "entry 1 (kernel 'outside.cpu'): attributes: attribute axis lies at offset 8, outside its "
    "struct "
    "of 8 bytes or not aligned",
    CORRECT)
BAD(bad_index, TN_CORRUPT,
    "entry 1 (op 'index'): mutated_inputs number 1 is 3, but there are 1 inputs", CORRECT)
BAD(bad_signature, TN_CORRUPT,
    "entry 1 (function 'half'): signature 'f64(double)': the type of an argument is expected at "
    "'double)'",
    CORRECT)
BAD(half_device, TN_CORRUPT,
    "entry 1 (device 'half'): the group 'recording' has 1 of its 4 callbacks", CORRECT)
BAD(no_limits, TN_CORRUPT, "entry 1 (device 'mute'): limits is required and missing", CORRECT)
BAD(silent_format, TN_CORRUPT,
    "entry 1 (format 'silent'): the format reads nothing and writes nothing", CORRECT)
BAD(override_kernel, TN_CORRUPT,
    "entry 0 (kernel 'good.cpu'): a kernel does not override: kernels are ranked by score and "
    "priority",
    CORRECT)

BAD(undefined_symbol, TN_IO, "the dynamic linker refuses it: undefined symbol: nobody_defines_this",
    "link the library that defines it; a plugin links nothing of Tenon's")
BAD(needs_library, TN_IO,
    "the dynamic linker refuses it: not_installed.so: cannot open shared object file: No such "
    "file or directory",
    "install the library that it needs")
BAD(init_fails, TN_UNAVAILABLE, "init failed: no licence for the moon",
    "cure what its init reports, or leave the plugin out")
BAD(init_fails_silently, TN_INTERNAL,
    "init failed: the plugin returned -1, which is no status: a fault of the library or of a "
    "plugin",
    "cure what its init reports")

/* The checks before the failing one are recorded, and so is the failing one. */
Test(bad_plugins, the_ledger_lists_the_checks) {
    zoo_expect_bad("wrong_major", TN_INCOMPATIBLE,
                   "contract: the plugin was built for major 7, this library speaks 0.1", REBUILD);
    cr_expect_str_eq(zoo_last_record().checks, "file, note, trust, contract");
    cr_expect_str_eq(zoo_last_record().name, "wrong_major");
    cr_expect_str_eq(zoo_last_record().version, "1.0");
    cr_expect_str_eq(zoo_last_record().origin, "named by the user");
    zoo_expect_bad("init_fails", TN_UNAVAILABLE, "init failed: no licence for the moon", "cure");
    cr_expect_str_eq(zoo_last_record().checks,
                     "file, note, trust, contract, name, offers, open, table, entries, init");
}

/* After a refusal the same name and the same file may come again. */
Test(bad_plugins, a_refusal_leaves_nothing_behind) {
    const char *path = zoo_copy("init_fails");
    for (int i = 0; i < 3; i++) {
        zoo_expect_refused(path, 0, TN_UNAVAILABLE, "init failed: no licence for the moon", "cure");
    }
    zoo_load("good");
}

/* Constructors run inside dlopen: nobody can keep them from crashing. What can be kept is that the
 * file is examined without running them. */
Test(bad_plugins, a_crash_is_only_met_on_opening) {
    const char *path = zoo_copy("crashes");
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    cr_expect_eq(tn_plugin_inspect(NULL, path, &identity), TN_OK);
    cr_expect_eq(identity.verdict, TN_OK, "%s", identity.reason);
    cr_expect_str_eq(identity.name, "crashes");
    const pid_t child = fork();
    if (child == 0) {
        tn_plugin_load(zoo_runtime, path, 0, NULL);
        _exit(0);
    }
    int result = 0;
    cr_assert_eq(waitpid(child, &result, 0), child);
    cr_expect(WIFSIGNALED(result), "the child ended with %d", result);
}
