/*
 * A plugin on its way into the runtime, step by step: from a file by way of its note to a record
 * with entries, and from there to code that is loaded.
 */
#ifndef TENON_PLUGIN_CANDIDATE_H
#define TENON_PLUGIN_CANDIDATE_H

#include "base/text.h"
#include "plugin/foreign.h"
#include "plugin/load.h"
#include "plugin/plugin_file.h"

typedef struct tni_candidate {
    tni_load *load;
    tn_runtime *runtime;
    const char *path; /* as it was given */
    tni_plugin_file file;
    tn_identity identity;
    tni_foreign foreign; /* has a loader for a library without a note */
    tni_plugin *plugin;  /* the result; not committed before the last step */
    bool may_wait;       /* it need not be loaded before something of it is wanted */
    bool was_met;        /* an earlier load has this file */
    bool is_postponed;   /* it needs a loader that may still come */
    tni_text checks;     /* names of the steps taken */
    char remedy[sizeof((tn_identity *)0)->remedy];
    char changed[256]; /* process state that the plugin had changed */
} tni_candidate;

/* Takes all steps that the file needs. After a failure the error text says why, and `remedy`
 * perhaps what would help. */
tn_status tni_candidate_take(tni_candidate *candidate);

/* The steps from a waiting plugin to one that is ready. */
tn_status tni_candidate_wake(tni_candidate *candidate);

void tni_candidate_finish(tni_candidate *candidate);

#endif
