/* Running what makes sparse tensors. */
#include "base/error.h"
#include "run/plan.h"
#include "tensor/sparse.h"

static const tni_step *step_of(const tn_run_call *call) {
    return (const tni_step *)((const char *)call - offsetof(tni_step, call));
}

/* A kernel that fails, or that makes something wrong, leaves nothing for others to read. */
static tn_status end_output(const tn_view *view, tn_status status) {
    tni_sparse *sparse = tni_sparse_of(view);
    if (status == TN_OK) {
        tni_sparse_end(sparse);
        status = tni_sparse_check(sparse);
    }
    if (status != TN_OK) {
        tni_sparse_clear(sparse);
    }
    return status;
}

tn_status tni_plan_run_sparse(const tn_run_call *call) {
    const tni_step *step = step_of(call);
    const tn_kernel *kernel = step->kernel->entry->impl;
    for (uint32_t i = 0; i < call->output_count; i++) {
        if (tn_storage_is_sparse(call->output_storages[i])) {
            tni_sparse_begin(tni_sparse_of(call->outputs[i]));
        }
    }
    const tn_status made = kernel->run(call);
    tn_status status = made;
    for (uint32_t i = 0; i < call->output_count; i++) {
        if (tn_storage_is_sparse(call->output_storages[i])) {
            const tn_status ended = end_output(call->outputs[i], made);
            status = status != TN_OK
                         ? status
                         : tni_in(ended, "kernel %s: output %u", step->kernel->entry->name, i);
        }
    }
    return status;
}

tn_status tni_plan_copy_sparse(const tn_view *source, const tn_view *target) {
    return tni_sparse_copy(tni_sparse_of(source), tni_sparse_of(target));
}
