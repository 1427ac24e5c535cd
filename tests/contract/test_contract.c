/* Who may load whom: the rules of major 0, and those of majors that do not exist yet. */
#include <criterion/criterion.h>
#include <string.h>

#include "plugin/contract_check.h"
#include "zoo.h"

TestSuite(contract);

static const tni_service offered[] = {{"error", 1, NULL}, {"log", 1, NULL}, {"log", 2, NULL}};

static tni_contract host_of(uint32_t major, uint32_t minor) {
    return (tni_contract){major, minor, offered, 3, "none"};
}

static tn_identity plugin_of(uint32_t major, uint32_t minor, uint32_t needs) {
    return (tn_identity){.struct_size = TN_IDENTITY_SIZE,
                         .contract_major = major,
                         .contract_minor = minor,
                         .needs_minor = needs,
                         .name = "p",
                         .sanitizer = "none"};
}

static void expect(tn_identity plugin, tni_contract host, const char *reason, const char *remedy) {
    const tn_status status = tni_contract_check(&plugin, &host);
    cr_expect_eq(status, reason[0] == '\0' ? TN_OK : TN_INCOMPATIBLE);
    cr_expect_eq(plugin.verdict, status);
    cr_expect_str_eq(plugin.reason, reason);
    cr_expect_str_eq(plugin.remedy, remedy);
}

Test(contract, major_0_needs_the_same_minor) {
    expect(plugin_of(0, 3, 3), host_of(0, 3), "", "");
    expect(plugin_of(0, 2, 2), host_of(0, 3),
           "contract: the plugin was built with 0.2, this library speaks 0.3, and while the major "
           "is 0 the minors must be equal",
           "rebuild it with the headers of contract 0.3");
    expect(plugin_of(0, 4, 3), host_of(0, 3),
           "contract: the plugin was built with 0.4, this library speaks 0.3, and while the major "
           "is 0 the minors must be equal",
           "rebuild it with the headers of contract 0.3");
}

/* From major 1 on it does not matter what a plugin was built with, only what it needs. */
Test(contract, later_majors_need_what_they_need) {
    expect(plugin_of(1, 0, 0), host_of(1, 0), "", "");
    expect(plugin_of(1, 0, 0), host_of(1, 25), "", "");
    expect(plugin_of(1, 25, 0), host_of(1, 0), "", "");
    expect(plugin_of(1, 25, 24), host_of(1, 24), "", "");
    expect(plugin_of(2, 25, 25), host_of(2, 24),
           "needs: the plugin needs contract minor 25, this library has 24",
           "use a library that speaks contract 2.25 or later, or build it with TN_NEEDS_MINOR at "
           "most 24");
}

Test(contract, majors_do_not_mix) {
    expect(plugin_of(1, 0, 0), host_of(2, 5),
           "contract: the plugin was built for major 1, this library speaks 2.5",
           "rebuild it with the headers of contract 2.5, or use a library that speaks contract 1");
    expect(plugin_of(2, 9, 9), host_of(1, 0),
           "contract: the plugin was built for major 2, this library speaks 1.0",
           "rebuild it with the headers of contract 1.0, or use a library that speaks contract 2");
}

Test(contract, services) {
    tn_identity plugin = plugin_of(1, 0, 0);
    strcpy(plugin.requires_services, "error/1,log/2");
    strcpy(plugin.optional_services, "warp/9");
    expect(plugin, host_of(1, 0), "", "");
    strcpy(plugin.requires_services, "log/3,error/1,warp/1");
    expect(plugin, host_of(1, 0),
           "services: the plugin requires log/3,warp/1, this library offers error/1,log/1,log/2",
           "use a library that offers log/3,warp/1");
}

Test(contract, sanitizers) {
    tn_identity plugin = plugin_of(1, 0, 0);
    tni_contract host = host_of(1, 0);
    host.sanitizer = "address";
    expect(plugin, host, "", ""); /* a plain plugin works in every host */
    strcpy(plugin.sanitizer, "address");
    expect(plugin, host, "", "");
    strcpy(plugin.sanitizer, "thread");
    expect(plugin, host,
           "sanitizer: the plugin was built with 'thread', this library with 'address'",
           "build the plugin without -fsanitize=thread, or the library with it");
}

Test(contract, everything_at_once) {
    tn_identity plugin = plugin_of(0, 7, 9);
    strcpy(plugin.requires_services, "warp/1");
    strcpy(plugin.sanitizer, "thread");
    expect(plugin, host_of(0, 3),
           "contract: the plugin was built with 0.7, this library speaks 0.3, and while the major "
           "is 0 the minors must be equal; needs: the plugin needs contract minor 9, this library "
           "has 3; services: the plugin requires warp/1, this library offers error/1,log/1,log/2; "
           "sanitizer: the plugin was built with 'thread', this library with 'none'",
           "rebuild it with the headers of contract 0.3; use a library that speaks contract 0.9 or "
           "later, or build it with TN_NEEDS_MINOR at most 3; use a library that offers warp/1; "
           "build the plugin without -fsanitize=thread, or the library with it");
}

/* The longest list that a note can hold is cut, not overrun. */
Test(contract, long_lists) {
    tn_identity plugin = plugin_of(1, 0, 0);
    for (size_t i = 0; i + 4 < sizeof plugin.requires_services; i += 4) {
        memcpy(plugin.requires_services + i, "x/1,", 5);
    }
    plugin.requires_services[strlen(plugin.requires_services) - 1] = '\0';
    tni_contract host = host_of(2, 0);
    cr_expect_eq(tni_contract_check(&plugin, &host), TN_INCOMPATIBLE);
    cr_expect_lt(strlen(plugin.reason), sizeof plugin.reason);
    cr_expect_lt(strlen(plugin.remedy), sizeof plugin.remedy);
}

/* What is said of a file without a runtime holds in every runtime. */
Test(contract, every_runtime_has_the_known_services, .init = zoo_begin, .fini = zoo_end) {
    const tni_contract known = tni_contract_of_host(NULL);
    const tni_contract actual = tni_contract_of_host(zoo_runtime);
    cr_expect_eq(known.service_count, actual.service_count);
    for (uint32_t i = 0; i < known.service_count; i++) {
        uint32_t j = 0;
        while (j < actual.service_count &&
               (strcmp(known.services[i].name, actual.services[j].name) != 0 ||
                known.services[i].version != actual.services[j].version)) {
            j++;
        }
        cr_expect_lt(j, actual.service_count, "%s/%u is not there", known.services[i].name,
                     known.services[i].version);
    }
}
