#include "recognise.h"

/*
 * Each version of the library API added symbols, or changed the parameters of one. Where only
 * parameters changed, the C++ name of the function that an operator's author calls tells, if the
 * library shows it.
 */
struct described_version {
    const char *words;
    int is_loaded;
};

static int has_symbol_with(const tn_foreign_file *file, const char *one, const char *other) {
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        if (strstr(file->symbols[i], one) != NULL && strstr(file->symbols[i], other) != NULL) {
            return 1;
        }
    }
    return 0;
}

static struct described_version with_messages(const tn_foreign_file *file) {
    if (tn_defines_symbol(file, "_opCallDestroyOpState")) {
        return (struct described_version){"11", 1};
    }
    if (has_symbol_with(file, "setCreateOpState", "MXContext")) {
        return (struct described_version){"10", 1};
    }
    if (has_symbol_with(file, "setCreateOpState", "")) {
        return (struct described_version){"8 or 9", 0};
    }
    return (struct described_version){"8, 9 or 10", 1}; /* _opVersion says when it is loaded */
}

static struct described_version find_version(const tn_foreign_file *file) {
    if (tn_defines_symbol(file, "_msgSize")) {
        return with_messages(file);
    }
    if (tn_defines_symbol(file, "_passRegSize")) {
        return (struct described_version){"7", 1};
    }
    if (tn_defines_symbol(file, "_opCallInferSType")) {
        return (struct described_version){"5 or 6", 0};
    }
    if (tn_defines_symbol(file, "_partCallReviewSubgraph")) {
        return (struct described_version){"4", 0};
    }
    return (struct described_version){tn_defines_symbol(file, "_partRegSize") ? "2 or 3" : "1 or 2",
                                      0};
}

int32_t recognise_extension(const tn_host *host, const tn_foreign_file *file,
                            tn_foreign_identity *out_identity) {
    (void)host;
    const int has_version =
        tn_defines_symbol(file, "_opVersion") && tn_defines_symbol(file, "_opRegSize");
    if (!has_version && !tn_defines_symbol(file, "initialize")) {
        return 0;
    }
    if (!has_version) {
        snprintf(out_identity->description, sizeof out_identity->description,
                 "MXNet extension of release 1.6");
        snprintf(out_identity->reason, sizeof out_identity->reason,
                 "it exports initialize and no _opVersion: libraries of that release could "
                 "register nothing. One of a later release lacks it when it is built without "
                 "lib_api.cc");
        snprintf(out_identity->remedy, sizeof out_identity->remedy,
                 "build it with the lib_api.h of MXNet 1.7 or later, if it is one, and from 1.8 on "
                 "with lib_api.cc");
        out_identity->verdict = TN_INCOMPATIBLE;
        return 1;
    }
    const struct described_version version = find_version(file);
    snprintf(out_identity->description, sizeof out_identity->description,
             "MXNet extension, library API version %s", version.words);
    if (!version.is_loaded) {
        snprintf(out_identity->reason, sizeof out_identity->reason,
                 "no release of MXNet had that version; versions 7 (MXNet 1.7), 10 (1.8) and 11 "
                 "(1.9 and 2.0) are loaded");
        snprintf(out_identity->remedy, sizeof out_identity->remedy,
                 "build it with the lib_api.h of one of these releases");
        out_identity->verdict = TN_INCOMPATIBLE;
    }
    return 100;
}
