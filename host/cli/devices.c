/* tenon devices: what the backends can reach. */
#include "command.h"

static const cli_option options[] = {
    {"--json", NULL, "print as JSON, with the limits of each device, which is opened"}};

static void print_device(const char *name, const tn_device_info *info) {
    char total[32], available[32];
    cli_print("%-12s %s (%s), memory %s, %s free, runs %s\n", name, info->name, info->kind,
              cli_size_text(info->memory_total, total, sizeof total),
              cli_size_text(info->memory_free, available, sizeof available), info->targets);
}

static void print_backend(tn_runtime *runtime, const tn_backend_info *backend, bool json) {
    if (json) {
        cli_print("{\"backend\": \"%s\", \"plugin\": \"%s\", \"status\": \"%s\", \"reason\": ",
                  backend->name, backend->plugin, tn_status_name(backend->status));
        cli_print_json_string(cli_out, backend->reason);
        cli_print(", \"devices\": [");
    } else if (backend->status != TN_OK) {
        cli_print("%-12s unavailable: %s\n", backend->name, backend->reason);
    }
    for (uint32_t i = 0; backend->status == TN_OK && i < backend->device_count; i++) {
        tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
        char name[160];
        snprintf(name, sizeof name, "%s:%u", backend->name, i);
        if (tn_device_list(runtime, backend->name, i, &info) != TN_OK) {
            cli_fail();
        } else if (json) {
            fputs(i > 0 ? ", " : "", cli_out);
            cli_print_device_json(runtime, name, &info);
        } else {
            print_device(name, &info);
        }
    }
    fputs(json ? "]}" : "", cli_out);
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
    fputs(json ? "[" : "", cli_out);
    for (uint32_t i = 0; i < tn_backend_count(runtime); i++) {
        tn_backend_info backend = {.struct_size = TN_BACKEND_INFO_SIZE};
        if (tn_backend_get(runtime, i, &backend) == TN_OK) {
            fputs(json && i > 0 ? ",\n " : "", cli_out);
            print_backend(runtime, &backend, json);
        }
    }
    fputs(json ? "]\n" : "", cli_out);
    tn_runtime_destroy(runtime);
    return CLI_OK;
}

const cli_command cli_devices = {
    "devices",
    "",
    "List the devices that the backends can reach",
    "The name in the first column is what --device takes. Instead of the number it may have the\n"
    "type (discrete, integrated, virtual, cpu, other; the first of that type), a part of the\n"
    "device's name, or its UUID: vulkan:discrete.\n\n"
    "Examples:\n"
    "  tenon devices\n"
    "  tenon devices --json",
    options,
    sizeof options / sizeof options[0],
    run,
};
