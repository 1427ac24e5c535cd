/* Writing a program down. */
#include "program_parts.h"

/* Where parts of the workspace begin: no device asks for more. */
#define PART_ALIGNMENT 256u

program_binding bind_input(const tn_prepare_call *call, uint32_t input) {
    return (program_binding){BOUND_INPUT, input, 0, tn_byte_size(call->inputs[input])};
}

program_binding bind_output(const tn_prepare_call *call, uint32_t output) {
    return (program_binding){BOUND_OUTPUT, output, 0, tn_byte_size(call->outputs[output])};
}

program_binding bind_workspace(uint64_t offset, uint64_t size) {
    return (program_binding){BOUND_WORKSPACE, 0, offset, size};
}

program_binding bind_input_or(const tn_prepare_call *call, uint32_t input,
                              program_binding otherwise) {
    const int is_there = input < call->input_count && call->inputs[input] != NULL &&
                         tn_byte_size(call->inputs[input]) > 0;
    return is_there ? bind_input(call, input) : otherwise;
}

static void keep(device_program *program, tn_status status) {
    if (program->status == TN_OK) {
        program->status = status;
    }
}

void program_fail(device_program *program, tn_status status) {
    keep(program, status);
}

static int uses_half(const tn_prepare_call *call) {
    int found = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        found = found || (call->inputs[i] != NULL && call->inputs[i]->dtype == TN_F16);
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        found = found || call->outputs[i]->dtype == TN_F16;
    }
    return found;
}

tn_status program_create(const tn_prepare_call *call, device_program **out_program) {
    const tn_host *host = call->host;
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    const tn_dispatch_service *dispatch = TN_SERVICE(host, dispatch);
    tn_device_limits limits = {.struct_size = TN_DEVICE_LIMITS_SIZE};
    TN_TRY(dispatch->limits(host, call->device, &limits));
    device_program *made = memory->allocate(host, sizeof *made);
    if (made == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "%s needs %zu bytes to prepare itself", call->op,
                       sizeof *made);
    }
    *made = (device_program){.host = host,
                             .memory = memory,
                             .dispatch = dispatch,
                             .device = call->device,
                             .limits = limits};
    if (uses_half(call) && !limits.has_f16) {
        keep(made, tn_fail(host, TN_UNSUPPORTED, "%s: the device has no float16", call->op));
    }
    *out_program = made;
    return TN_OK;
}

const tn_device_limits *program_limits(const device_program *program) {
    return &program->limits;
}

program_binding program_reserve(device_program *program, uint64_t size) {
    const program_binding part = bind_workspace(program->workspace_size, size);
    uint64_t end;
    if (__builtin_add_overflow(part.offset, size, &end) || end > INT64_MAX - PART_ALIGNMENT) {
        keep(program, tn_fail(program->host, TN_OUT_OF_MEMORY,
                              "more scratch memory is needed than can be addressed"));
        return part;
    }
    program->workspace_size = (end + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
    return part;
}

/* One more item of `size` bytes at the end, or NULL. */
static void *append(device_program *program, program_array *array, uint64_t size) {
    if (array->count == array->capacity) {
        const uint32_t capacity = array->capacity > 0 ? array->capacity * 2 : 4;
        void *items = program->memory->allocate(program->host, capacity * size);
        if (items == NULL) {
            keep(program, tn_fail(program->host, TN_OUT_OF_MEMORY,
                                  "no memory for a program of %u launches", capacity));
            return NULL;
        }
        if (array->count > 0) {
            memcpy(items, array->items, array->count * size);
        }
        program->memory->free(program->host, array->items);
        array->items = items;
        array->capacity = capacity;
    }
    void *item = (char *)array->items + array->count * size;
    memset(item, 0, size);
    array->count++;
    return item;
}

static int is_kernel_of(const program_kernel *kernel, const program_launch *launch) {
    return kernel->shader == launch->shader &&
           kernel->constant_count == launch->specialization_count &&
           (kernel->constant_count == 0 ||
            memcmp(kernel->constants, launch->specializations,
                   kernel->constant_count * sizeof(tn_specialization)) == 0);
}

static tn_device_kernel *create_kernel(device_program *program, const program_launch *launch) {
    const shader_code *shader = launch->shader;
    const tn_device_kernel_desc desc = {
        .struct_size = TN_DEVICE_KERNEL_DESC_SIZE,
        .binding_count = shader->binding_count,
        .entry_point = "main",
        .access = shader->access,
        .specializations = launch->specializations,
        .specialization_count = launch->specialization_count,
        .push_size = shader->push_size,
        .workgroup_size = {shader->workgroup_size[0], shader->workgroup_size[1],
                           shader->workgroup_size[2]},
        .subgroup_size = launch->subgroup_size,
    };
    program_kernel *kernel = append(program, &program->kernels, sizeof *kernel);
    if (kernel == NULL) {
        return NULL;
    }
    const tn_status status = program->dispatch->create_kernel(
        program->host, program->device, shader->words, shader->size, &desc, &kernel->kernel);
    if (status != TN_OK) {
        program->kernels.count--;
        keep(program, status);
        return NULL;
    }
    kernel->shader = shader;
    kernel->constant_count = launch->specialization_count;
    if (kernel->constant_count > 0) {
        memcpy(kernel->constants, launch->specializations,
               kernel->constant_count * sizeof(tn_specialization));
    }
    return kernel->kernel;
}

static tn_device_kernel *find_kernel(device_program *program, const program_launch *launch) {
    program_kernel *kernels = program->kernels.items;
    for (uint32_t i = 0; i < program->kernels.count; i++) {
        if (is_kernel_of(&kernels[i], launch)) {
            return kernels[i].kernel;
        }
    }
    return create_kernel(program, launch);
}

/* Spreads `count` workgroups over three axes, none above its limit, with few to spare. */
static tn_status fold(const device_program *program, uint64_t count, uint32_t groups[3]) {
    const uint32_t *limits = program->limits.max_workgroup_count;
    uint64_t rest = count;
    groups[0] = groups[1] = groups[2] = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint64_t limit = limits[axis] > 0 ? limits[axis] : 65535;
        const uint64_t others = rest / limit + (rest % limit != 0);
        const uint64_t along = others > 0 ? rest / others + (rest % others != 0) : 0;
        groups[axis] = (uint32_t)(along < limit ? along : limit);
        rest = others;
        if (rest <= 1) {
            return TN_OK;
        }
    }
    return tn_fail(program->host, TN_UNSUPPORTED, "%llu workgroups are more than the device can do",
                   (unsigned long long)count);
}

static tn_status find_groups(const device_program *program, const program_launch *launch,
                             uint32_t groups[3]) {
    const uint32_t *size = launch->shader->workgroup_size;
    const uint64_t invocations = (uint64_t)size[0] * size[1] * size[2];
    const uint64_t count = launch->workgroups + launch->invocations / invocations +
                           (launch->invocations % invocations != 0);
    if (count > 0) {
        return fold(program, count, groups);
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        groups[axis] = launch->groups[axis];
        if (groups[axis] > program->limits.max_workgroup_count[axis]) {
            return tn_fail(program->host, TN_UNSUPPORTED,
                           "%u workgroups along axis %u are more than the device's %u",
                           groups[axis], axis, program->limits.max_workgroup_count[axis]);
        }
    }
    return TN_OK;
}

/* What is bound must be within what a shader can reach. */
static tn_status check_bindings(const device_program *program, const program_launch *launch) {
    const uint64_t most = program->limits.max_binding_size;
    for (uint32_t i = 0; i < launch->shader->binding_count; i++) {
        if (most > 0 && launch->bindings[i].size > most) {
            return tn_fail(program->host, TN_UNSUPPORTED,
                           "%llu bytes are more than the %llu that a shader can reach at once",
                           (unsigned long long)launch->bindings[i].size, (unsigned long long)most);
        }
    }
    return TN_OK;
}

void program_add(device_program *program, const program_launch *launch) {
    const shader_code *shader = launch->shader;
    uint32_t groups[3] = {0, 0, 0};
    if (program->status != TN_OK) {
        return;
    }
    if (launch->push_size != shader->push_size ||
        launch->specialization_count > PROGRAM_MAX_CONSTANTS) {
        keep(program, tn_fail(program->host, TN_INTERNAL,
                              "shader %s takes %u bytes of push constants, but is given %u",
                              shader->name, shader->push_size, launch->push_size));
        return;
    }
    const tn_status status = find_groups(program, launch, groups);
    if (status != TN_OK) {
        keep(program, status);
        return;
    }
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) {
        return;
    }
    const tn_status reachable = check_bindings(program, launch);
    if (reachable != TN_OK) {
        keep(program, reachable);
        return;
    }
    tn_device_kernel *kernel = find_kernel(program, launch);
    program_step *step =
        kernel != NULL ? append(program, &program->steps, sizeof(program_step)) : NULL;
    if (step == NULL) {
        return;
    }
    step->kernel = kernel;
    memcpy(step->groups, groups, sizeof groups);
    step->binding_count = shader->binding_count;
    memcpy(step->bindings, launch->bindings, sizeof step->bindings);
    step->push_size = launch->push_size;
    if (launch->push_size > 0) {
        memcpy(step->push, launch->push, launch->push_size);
    }
}

tn_status program_finish(device_program *program, tn_prepare_call *call) {
    const tn_status status = program->status;
    if (status != TN_OK) {
        program_release(call->host, program);
        return status;
    }
    call->workspace_size = program->workspace_size;
    call->state = program;
    return TN_OK;
}
