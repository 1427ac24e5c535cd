/* tenon devices: what the backends can reach. */
#include "command.h"

static const cli_option options[] = {{"--json", NULL, "print as JSON, with everything known"}};

static void print_uuid(const uint8_t *uuid) {
    for (int i = 0; i < 16; i++) {
        printf("%02x", uuid[i]);
    }
}

static void print_device(const tn_backend_info *backend, uint32_t index,
                         const tn_device_info *info) {
    char name[64], total[32], available[32];
    snprintf(name, sizeof name, "%s:%u", backend->name, index);
    printf("%-12s %s (%s), memory %s, %s free, runs %s\n", name, info->name, info->kind,
           cli_size_text(info->memory_total, total, sizeof total),
           cli_size_text(info->memory_free, available, sizeof available), info->targets);
}

static void print_device_json(const tn_backend_info *backend, uint32_t index,
                              const tn_device_info *info) {
    printf("{\"device\": \"%s:%u\", \"name\": ", backend->name, index);
    cli_print_json_string(stdout, info->name);
    printf(", \"kind\": ");
    cli_print_json_string(stdout, info->kind);
    printf(", \"driver\": ");
    cli_print_json_string(stdout, info->driver);
    printf(", \"targets\": ");
    cli_print_json_string(stdout, info->targets);
    printf(", \"uuid\": \"");
    print_uuid(info->uuid);
    printf("\", \"memory_total\": %llu, \"memory_free\": %llu, \"compute_units\": %u, "
           "\"host_addressable\": %s}",
           (unsigned long long)info->memory_total, (unsigned long long)info->memory_free,
           info->compute_units, info->flags & TN_DEVICE_HOST_ADDRESSABLE ? "true" : "false");
}

static void print_backend(tn_runtime *runtime, const tn_backend_info *backend, bool json) {
    if (json) {
        printf("{\"backend\": \"%s\", \"plugin\": \"%s\", \"status\": \"%s\", \"reason\": ",
               backend->name, backend->plugin, tn_status_name(backend->status));
        cli_print_json_string(stdout, backend->reason);
        printf(", \"devices\": [");
    } else if (backend->status != TN_OK) {
        printf("%-12s unavailable: %s\n", backend->name, backend->reason);
    }
    for (uint32_t i = 0; backend->status == TN_OK && i < backend->device_count; i++) {
        tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
        if (tn_device_list(runtime, backend->name, i, &info) != TN_OK) {
            cli_fail();
        } else if (json) {
            fputs(i > 0 ? ", " : "", stdout);
            print_device_json(backend, i, &info);
        } else {
            print_device(backend, i, &info);
        }
    }
    fputs(json ? "]}" : "", stdout);
}

static int run(const cli_arguments *arguments) {
    if (arguments->word_count > 0) {
        return cli_bad_usage("devices: takes no arguments; see `tenon devices --help`");
    }
    tn_runtime *runtime = cli_open_runtime(arguments);
    if (runtime == NULL) {
        return CLI_FAILED;
    }
    const bool json = cli_has(arguments, "--json");
    fputs(json ? "[" : "", stdout);
    for (uint32_t i = 0; i < tn_backend_count(runtime); i++) {
        tn_backend_info backend = {.struct_size = TN_BACKEND_INFO_SIZE};
        if (tn_backend_get(runtime, i, &backend) == TN_OK) {
            fputs(json && i > 0 ? ",\n " : "", stdout);
            print_backend(runtime, &backend, json);
        }
    }
    fputs(json ? "]\n" : "", stdout);
    tn_runtime_destroy(runtime);
    return CLI_OK;
}

const cli_command cli_devices = {
    "devices",
    "",
    "List the devices that the backends can reach",
    "The name in the first column is what --device takes; \"vulkan:NAME\" with a part of a\n"
    "device's name, or its UUID, works too.\n\n"
    "Examples:\n"
    "  tenon devices\n"
    "  tenon devices --json",
    options,
    sizeof options / sizeof options[0],
    run,
};
