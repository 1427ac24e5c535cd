#include "plugin/contract_check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/identity.h>

#include "plugin/names.h"

/* The services of a finished runtime, for identities that are looked at without one. A test holds
 * this list against a runtime's. */
static const tni_service known_services[] = {
    {"error", 1, NULL},  {"log", 1, NULL},      {"memory", 1, NULL},   {"random", 1, NULL},
    {"attrs", 1, NULL},  {"string", 1, NULL},   {"function", 1, NULL}, {"tensor", 1, NULL},
    {"sparse", 1, NULL}, {"parallel", 1, NULL}, {"dispatch", 1, NULL}, {"graph", 1, NULL},
};

tni_contract tni_contract_of_host(const tn_runtime *runtime) {
    tni_contract contract = {.major = TN_CONTRACT_MAJOR,
                             .minor = TN_CONTRACT_MINOR,
                             .services = known_services,
                             .service_count = sizeof known_services / sizeof known_services[0],
                             .sanitizer = TN_SANITIZER};
    if (runtime != NULL) {
        contract.services = runtime->services;
        contract.service_count = runtime->service_count;
    }
    return contract;
}

/* Both texts as they grow; what does not fit is cut. */
typedef struct findings {
    tn_identity *identity;
    bool any;
} findings;

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Begins the next mismatch in both texts. */
static void begin(findings *found) {
    tn_identity *identity = found->identity;
    if (found->any) {
        append(identity->reason, sizeof identity->reason, "; ");
        append(identity->remedy, sizeof identity->remedy, "; ");
    }
    found->any = true;
}

#define REASON(...) append(found->identity->reason, sizeof found->identity->reason, __VA_ARGS__)
#define REMEDY(...) append(found->identity->remedy, sizeof found->identity->remedy, __VA_ARGS__)

static void check_version(findings *found, const tni_contract *host) {
    const tn_identity *theirs = found->identity;
    if (theirs->contract_major != host->major) {
        begin(found);
        REASON("contract: the plugin was built for major %u, this library speaks %u.%u",
               theirs->contract_major, host->major, host->minor);
        REMEDY("rebuild it with the headers of contract %u.%u, or use a library that speaks "
               "contract %u",
               host->major, host->minor, theirs->contract_major);
        return; /* minors of different majors cannot be compared */
    }
    if (host->major == 0 && theirs->contract_minor != host->minor) {
        begin(found);
        REASON("contract: the plugin was built with %u.%u, this library speaks %u.%u, and while "
               "the major is 0 the minors must be equal",
               theirs->contract_major, theirs->contract_minor, host->major, host->minor);
        REMEDY("rebuild it with the headers of contract %u.%u", host->major, host->minor);
    }
    if (theirs->needs_minor > host->minor) {
        begin(found);
        REASON("needs: the plugin needs contract minor %u, this library has %u",
               theirs->needs_minor, host->minor);
        REMEDY("use a library that speaks contract %u.%u or later, or build it with "
               "TN_NEEDS_MINOR at most %u",
               host->major, theirs->needs_minor, host->minor);
    }
}

static bool offers(const tni_contract *host, const char *name, uint32_t version) {
    for (uint32_t i = 0; i < host->service_count; i++) {
        if (host->services[i].version == version && strcmp(host->services[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_services(findings *found, const tni_contract *host) {
    char missing[sizeof found->identity->requires_services] = "";
    char name[64];
    unsigned version;
    const char *cursor = found->identity->requires_services;
    while (tni_service_list_next(&cursor, name, &version) > 0) {
        if (!offers(host, name, version)) {
            append(missing, sizeof missing, "%s%s/%u", missing[0] != '\0' ? "," : "", name,
                   version);
        }
    }
    if (missing[0] == '\0') {
        return;
    }
    begin(found);
    REASON("services: the plugin requires %s, this library offers ", missing);
    for (uint32_t i = 0; i < host->service_count; i++) {
        REASON("%s%s/%u", i > 0 ? "," : "", host->services[i].name, host->services[i].version);
    }
    REMEDY("use a library that offers %s", missing);
}

static void check_sanitizer(findings *found, const tni_contract *host) {
    const char *theirs = found->identity->sanitizer;
    if (strcmp(theirs, "none") == 0 || strcmp(theirs, host->sanitizer) == 0) {
        return;
    }
    begin(found);
    REASON("sanitizer: the plugin was built with '%s', this library with '%s'", theirs,
           host->sanitizer);
    REMEDY("build the plugin without -fsanitize=%s, or the library with it", theirs);
}

tn_status tni_contract_check(tn_identity *identity, const tni_contract *host) {
    findings found = {identity, false};
    identity->reason[0] = '\0';
    identity->remedy[0] = '\0';
    check_version(&found, host);
    check_services(&found, host);
    check_sanitizer(&found, host);
    identity->verdict = found.any ? TN_INCOMPATIBLE : TN_OK;
    return identity->verdict;
}
