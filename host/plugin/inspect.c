/* What a file says of itself, and what this library says of it, without running a line of it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plugin/contract_check.h"
#include "plugin/elf_note.h"
#include "plugin/foreign.h"
#include "plugin/plugin_file.h"
#include "plugin/trust.h"

/* Keeps the thread's error text as the reason. */
static void refuse(tn_identity *identity, tn_status verdict, const char *remedy) {
    identity->verdict = verdict;
    snprintf(identity->reason, sizeof identity->reason, "%s", tn_error_message());
    snprintf(identity->remedy, sizeof identity->remedy, "%s", remedy);
}

static void judge_foreign(const tn_runtime *runtime, const tni_plugin_file *file,
                          tn_identity *identity) {
    tni_foreign foreign = {0};
    char remedy[sizeof identity->remedy] = "";
    tn_status status = tni_foreign_recognise(runtime, file, &foreign, identity);
    if (status == TN_NOT_FOUND) {
        refuse(identity, TN_CORRUPT, tni_note_remedy(TN_CORRUPT));
        return;
    }
    if (status == TN_OK) {
        status = tni_foreign_verdict(&foreign, remedy, sizeof remedy);
    }
    if (status == TN_OK) {
        status = tni_trust_check(file->real_path, &file->status, remedy, sizeof remedy);
    }
    if (status != TN_OK) {
        refuse(identity, status, remedy);
    }
    tni_foreign_finish(&foreign);
}

static void judge(const tn_runtime *runtime, const tni_plugin_file *file, tn_identity *identity) {
    tn_status status = tni_plugin_file_identity(file, identity);
    if (status == TN_NOT_FOUND) {
        judge_foreign(runtime, file, identity);
        return;
    }
    if (status != TN_OK) {
        refuse(identity, status, tni_note_remedy(status));
        return;
    }
    char remedy[sizeof identity->remedy] = "";
    status = tni_trust_check(file->real_path, &file->status, remedy, sizeof remedy);
    if (status != TN_OK) {
        refuse(identity, status, remedy);
        return;
    }
    const tni_contract host = tni_contract_of_host(runtime);
    tni_contract_check(identity, &host);
}

tn_status tn_plugin_inspect(const tn_runtime *runtime, const char *path,
                            tn_identity *out_identity) {
    if (path == NULL || out_identity == NULL ||
        out_identity->struct_size < TN_STRUCT_END(tn_identity, verdict)) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin inspect: a path and a struct are needed");
    }
    tni_plugin_file file = TNI_PLUGIN_FILE_NONE;
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    const tn_status status = tni_plugin_file_open(path, &file);
    if (status == TN_OK) {
        judge(runtime, &file, &identity);
    } else if (status == TN_CORRUPT) {
        refuse(&identity, status, tni_note_remedy(status));
    } else {
        return tni_in(status, "plugin '%s'", path);
    }
    tni_plugin_file_close(&file);
    const uint32_t size = out_identity->struct_size;
    memcpy(out_identity, &identity, size < sizeof identity ? size : sizeof identity);
    out_identity->struct_size = size;
    return TN_OK;
}
