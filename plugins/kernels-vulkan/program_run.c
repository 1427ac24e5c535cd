/* Running a program, and its end. */
#include "program_parts.h"

static tn_binding resolve(const tn_run_call *call, const program_binding *binding) {
    if (binding->kind == BOUND_WORKSPACE) {
        return (tn_binding){call->workspace, call->workspace_offset + binding->offset,
                            binding->size};
    }
    const tn_view *view =
        binding->kind == BOUND_INPUT ? call->inputs[binding->index] : call->outputs[binding->index];
    return (tn_binding){view->data, view->byte_offset + binding->offset, binding->size};
}

tn_status program_run(const tn_run_call *call) {
    const device_program *program = call->state;
    const program_step *steps = program->steps.items;
    for (uint32_t i = 0; i < program->steps.count; i++) {
        const program_step *step = &steps[i];
        tn_binding bindings[SHADER_MAX_BINDINGS];
        for (uint32_t k = 0; k < step->binding_count; k++) {
            bindings[k] = resolve(call, &step->bindings[k]);
        }
        TN_TRY(program->dispatch->launch(call->host, call->stream, step->kernel, step->groups,
                                         bindings, step->binding_count, step->push,
                                         step->push_size));
    }
    return TN_OK;
}

void program_release(const tn_host *host, void *state) {
    device_program *program = state;
    const tn_memory_service *memory = program->memory;
    const program_kernel *kernels = program->kernels.items;
    for (uint32_t i = 0; i < program->kernels.count; i++) {
        program->dispatch->release_kernel(host, kernels[i].kernel);
    }
    memory->free(host, program->kernels.items);
    memory->free(host, program->steps.items);
    memory->free(host, program);
}
