/* A device and its limits as JSON: everything that the contract has a name for. */
#include <inttypes.h>

#include <tenon/plugin/helpers.h>

#include "command.h"

/* ---- Fields, by the type of the struct's member ---- */

typedef enum field_type { NUMBER32, NUMBER64, FLOATING, FLAG, TEXT } field_type;

typedef struct field {
    const char *name;
    uint32_t offset;
    field_type type;
    uint32_t count; /* more than 1: an array */
} field;

#define INFO(name, type)                                                                           \
    { #name, offsetof(tn_device_info, name), type, 1 }
#define LIMIT(name, type)                                                                          \
    { #name, offsetof(tn_device_limits, name), type, 1 }
#define LIMIT_3(name)                                                                              \
    { #name, offsetof(tn_device_limits, name), NUMBER32, 3 }

static const field info_fields[] = {
    INFO(name, TEXT),
    INFO(kind, TEXT),
    INFO(driver, TEXT),
    INFO(driver_version, TEXT),
    INFO(api_version, TEXT),
    INFO(vendor, TEXT),
    INFO(vendor_id, NUMBER32),
    INFO(product_id, NUMBER32),
    INFO(location, TEXT),
    INFO(targets, TEXT),
    INFO(memory_total, NUMBER64),
    INFO(memory_free, NUMBER64),
    INFO(compute_units, NUMBER32),
    INFO(max_clock_mhz, NUMBER32),
};

static const field limit_fields[] = {
    LIMIT_3(max_workgroup_size),
    LIMIT(max_workgroup_invocations, NUMBER32),
    LIMIT_3(max_workgroup_count),
    LIMIT(shared_memory_size, NUMBER32),
    LIMIT(subgroup_size, NUMBER32),
    LIMIT(min_subgroup_size, NUMBER32),
    LIMIT(max_subgroup_size, NUMBER32),
    LIMIT(max_subgroups, NUMBER32),
    LIMIT(max_loop_iterations, NUMBER32),
    LIMIT(max_bindings, NUMBER32),
    LIMIT(max_binding_size, NUMBER64),
    LIMIT(binding_alignment, NUMBER32),
    LIMIT(max_push_size, NUMBER32),
    LIMIT(push_constant_size, NUMBER32),
    LIMIT(max_allocation_size, NUMBER64),
    LIMIT(has_f16, FLAG),
    LIMIT(has_f64, FLAG),
    LIMIT(has_i8, FLAG),
    LIMIT(has_i16, FLAG),
    LIMIT(has_i64, FLAG),
    LIMIT(has_8_bit_storage, FLAG),
    LIMIT(has_16_bit_storage, FLAG),
    LIMIT(has_integer_dot, FLAG),
    LIMIT(has_memory_model, FLAG),
    LIMIT(has_device_addresses, FLAG),
    LIMIT(has_unified_memory, FLAG),
    LIMIT(has_transfer_queue, FLAG),
    LIMIT(queue_count, NUMBER32),
    LIMIT(timestamp_bits, NUMBER32),
    LIMIT(timestamp_period, FLOATING),
    LIMIT(copies_by_kernel, FLAG),
    LIMIT(copy_command_rate, NUMBER64),
    LIMIT(copy_kernel_rate, NUMBER64),
    LIMIT(has_cooperative_matrix, NUMBER32),
    LIMIT(features, TEXT),
    LIMIT(note, TEXT),
};

static void print_value(const char *at, field_type type) {
    uint32_t small;
    uint64_t large;
    double floating;
    const char *text;
    switch (type) {
    case NUMBER32: cli_print("%" PRIu32, (memcpy(&small, at, sizeof small), small)); break;
    case NUMBER64: cli_print("%" PRIu64, (memcpy(&large, at, sizeof large), large)); break;
    case FLOATING: cli_print("%.9g", (memcpy(&floating, at, sizeof floating), floating)); break;
    case FLAG: fputs((memcpy(&small, at, sizeof small), small) ? "true" : "false", cli_out); break;
    case TEXT: cli_print_json_string(cli_out, (memcpy(&text, at, sizeof text), text)); break;
    }
}

static void print_fields(const void *from, const field *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)from + fields[i].offset;
        cli_print("%s\"%s\": ", i > 0 ? ", " : "", fields[i].name);
        for (uint32_t k = 0; k < fields[i].count; k++) {
            fputs(fields[i].count == 1 ? "" : k == 0 ? "[" : ", ", cli_out);
            print_value(at + k * sizeof(uint32_t), fields[i].type);
        }
        fputs(fields[i].count > 1 ? "]" : "", cli_out);
    }
}

/* ---- Lists ---- */

static void print_subgroup_operations(uint32_t operations) {
    static const char *const names[] = {"basic",     "vote",    "arithmetic",
                                        "ballot",    "shuffle", "shuffle_relative",
                                        "clustered", "quad"};
    const char *comma = "";
    fputs(", \"subgroup_operations\": [", cli_out);
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((operations >> i & 1) != 0) {
            cli_print("%s\"%s\"", comma, names[i]);
            comma = ", ";
        }
    }
    putc(']', cli_out);
}

static void print_matrix_shapes(const tn_device_limits *limits) {
    fputs(", \"matrix_shapes\": [", cli_out);
    for (uint32_t i = 0; i < limits->matrix_shape_count; i++) {
        const tn_matrix_shape *shape =
            (const void *)((const char *)limits->matrix_shapes + i * limits->matrix_shape_stride);
        cli_print(
            "%s{\"m\": %u, \"n\": %u, \"k\": %u, \"scope\": %u, \"a\": \"%s\", \"b\": \"%s\", "
            "\"c\": \"%s\", \"result\": \"%s\"}",
            i > 0 ? ", " : "", shape->m, shape->n, shape->k, shape->scope, tn_dtype_text(shape->a),
            tn_dtype_text(shape->b), tn_dtype_text(shape->c), tn_dtype_text(shape->result));
    }
    putc(']', cli_out);
}

/* A device that cannot be opened is listed all the same. */
static void print_limits(tn_runtime *runtime, const char *name) {
    tn_device *device;
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    tn_status status = tn_device_open(runtime, name, &device);
    if (status == TN_OK) {
        status = tn_device_get_limits(device, &limits);
        if (status == TN_OK) {
            fputs(", \"limits\": {", cli_out);
            print_fields(&limits, limit_fields, sizeof limit_fields / sizeof limit_fields[0]);
            print_subgroup_operations(limits.subgroup_operations);
            print_matrix_shapes(&limits);
            putc('}', cli_out);
        }
        tn_device_close(device);
    }
    if (status != TN_OK) {
        fputs(", \"limits\": null, \"error\": ", cli_out);
        cli_print_json_string(cli_out, tn_error_message());
    }
}

void cli_print_device_json(tn_runtime *runtime, const char *name, const tn_device_info *info) {
    cli_print("{\"device\": \"%s\", ", name);
    print_fields(info, info_fields, sizeof info_fields / sizeof info_fields[0]);
    fputs(", \"uuid\": \"", cli_out);
    for (int i = 0; i < 16; i++) {
        cli_print("%02x", info->uuid[i]);
    }
    cli_print("\", \"host_addressable\": %s",
              info->flags & TN_DEVICE_HOST_ADDRESSABLE ? "true" : "false");
    print_limits(runtime, name);
    putc('}', cli_out);
}
