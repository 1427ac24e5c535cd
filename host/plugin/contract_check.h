/*
 * Does a plugin's identity fit a host? A pure comparison, so that the rules of contract majors that
 * do not exist yet are tested today.
 */
#ifndef TENON_PLUGIN_CONTRACT_CHECK_H
#define TENON_PLUGIN_CONTRACT_CHECK_H

#include <tenon/plugins.h>

#include "plugin/runtime.h"

/* What a host speaks and offers. */
typedef struct tni_contract {
    uint32_t major;
    uint32_t minor;
    const tni_service *services;
    uint32_t service_count;
    const char *sanitizer;
} tni_contract;

/* This library, with the services of a runtime or, for NULL, those that every runtime has. */
tni_contract tni_contract_of_host(const tn_runtime *runtime);

/*
 * Writes verdict, reason and remedy of the identity: TN_OK, or INCOMPATIBLE with every mismatch,
 * each as theirs, ours and what would satisfy it [TN-REQ-012]. Returns the verdict.
 *
 * A plugin with a sanitizer needs a host with the same one, whose run-time library it shares; a
 * plugin without any works in every host.
 */
tn_status tni_contract_check(tn_identity *identity, const tni_contract *host);

#endif
