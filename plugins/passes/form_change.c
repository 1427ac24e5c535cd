#include "form_change.h"

int form_is_changed(const form_change *all, tn_value value) {
    return value.node != TN_NO_NODE && value.node < all->original_count &&
           all->is_changed[value.node];
}

int form_can_change(const form_change *all, tn_value value) {
    return value.node != TN_NO_NODE && value.node < all->original_count && value.output == 0;
}

static tn_status find_entered(const form_change *all, uint32_t number, uint32_t *out_node) {
    *out_node = number;
    if (all->is_changed[number]) {
        return TN_OK;
    }
    if (all->entered[number] == 0) {
        TN_TRY(all->enter(all, number, &all->entered[number]));
    }
    *out_node = all->entered[number];
    return TN_OK;
}

static tn_status find_left(const form_change *all, uint32_t number, uint32_t *out_node) {
    if (all->left[number] == 0) {
        TN_TRY(all->leave(all, number, &all->left[number]));
    }
    *out_node = all->left[number];
    return TN_OK;
}

/* Gives a node its inputs in the forms that it is to have them in. */
static tn_status change_node(const form_change *all, uint32_t number) {
    const pass_work *work = all->work;
    tn_node_info info;
    if (!work_node(work, number, &info) || info.op == NULL) {
        return TN_OK;
    }
    const uint32_t wanted =
        info.visible_output_count == 1 ? all->wanted_inputs(all, number, &info) : 0;
    for (uint32_t i = 0, count = info.input_count; i < count; i++) {
        work_node(work, number, &info); /* what it points to moves as nodes are added */
        const tn_value old = info.inputs[i];
        uint32_t node = old.node;
        if (node != TN_NO_NODE && i < wanted) {
            TN_TRY(find_entered(all, old.node, &node));
        } else if (form_is_changed(all, old)) {
            TN_TRY(find_left(all, old.node, &node));
        }
        if (node != old.node) {
            TN_TRY(
                work->graphs->set_input(work->host, work->graph, number, i, (tn_value){node, 0}));
        }
    }
    all->is_changed[number] = wanted > 0;
    return wanted > 0 && all->adapt != NULL ? all->adapt(all, number) : TN_OK;
}

/* Outputs keep their form and their names. */
static tn_status restore_outputs(const form_change *all) {
    const pass_work *work = all->work;
    uint32_t count;
    const tn_value *borrowed = work->graphs->outputs(work->host, work->graph, &count);
    void *copy;
    TN_TRY(tn_allocate(work->host, count, sizeof(tn_value), &copy));
    tn_value *outputs = copy;
    tn_status status = TN_OK;
    memcpy(outputs, borrowed, count * sizeof *outputs);
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        if (form_is_changed(all, outputs[i])) {
            status = find_left(all, outputs[i].node, &outputs[i].node);
        }
    }
    if (status == TN_OK) {
        status = work->graphs->set_outputs(work->host, work->graph, outputs, count);
    }
    for (uint32_t i = 0; status == TN_OK && i < all->original_count; i++) {
        use_facts facts;
        if (all->left[i] != 0 && work_uses(work, all->left[i], &facts) == TN_OK &&
            facts.is_output) {
            status = work_take_name(work, all->left[i]);
        }
    }
    tn_free(work->host, outputs);
    return status;
}

/* Parameters that are there in the other form alone. */
static tn_status remove_unused_parameters(const form_change *all) {
    for (uint32_t i = 0; i < all->original_count; i++) {
        tn_node_info info;
        if (all->entered[i] != 0 && work_node(all->work, i, &info) && info.op == NULL &&
            work_host_tensor(all->work, (tn_value){i, 0}) != NULL) {
            TN_TRY(work_remove_unused(all->work, i));
        }
    }
    return TN_OK;
}

static tn_status change_nodes(form_change *all, const uint32_t *order, uint32_t count) {
    const pass_work *work = all->work;
    void *memory;
    all->original_count = work->graphs->node_count(work->host, work->graph);
    TN_TRY(tn_allocate(work->host, all->original_count, 2 * sizeof(uint32_t) + 1, &memory));
    all->entered = memory;
    all->left = all->entered + all->original_count;
    all->is_changed = (uint8_t *)(all->left + all->original_count);
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        status = change_node(all, order[i]);
    }
    if (status == TN_OK) {
        status = restore_outputs(all);
    }
    if (status == TN_OK) {
        status = remove_unused_parameters(all);
    }
    tn_free(work->host, memory);
    return status;
}

tn_status change_form(const tn_pass_call *call, form_change *all) {
    pass_work work;
    uint32_t *order, count;
    work_begin(&work, call);
    all->work = &work;
    TN_TRY(work_order(&work, &order, &count));
    const tn_status status = change_nodes(all, order, count);
    tn_free(work.host, order);
    return status;
}
