/*
 * Values that are held in another form in a part of a graph: in another dtype, in another layout.
 * Nodes that want it so take it and give it in that form, and where such a part meets the rest, a
 * node stands that changes the form, one for each value. The graph's outputs keep their form.
 */
#ifndef PASSES_FORM_CHANGE_H
#define PASSES_FORM_CHANGE_H

#include "work.h"

typedef struct form_change form_change;

struct form_change {
    const pass_work *work;
    const void *context; /* the pass's own */

    /* How many inputs, from the first on, a node wants in the other form, in which it then gives
     * its only visible output; 0: it stays as it is. */
    uint32_t (*wanted_inputs)(const form_change *all, uint32_t number, const tn_node_info *info);
    /* Adds what has output 0 of the node in the other form, and back. */
    tn_status (*enter)(const form_change *all, uint32_t number, uint32_t *out_node);
    tn_status (*leave)(const form_change *all, uint32_t number, uint32_t *out_node);
    /* Changes a node that works in the other form from now on. May be NULL. */
    tn_status (*adapt)(const form_change *all, uint32_t number);

    uint32_t original_count; /* nodes from here on are made by the pass */
    uint8_t *is_changed;     /* by node: it gives the other form now */
    uint32_t *entered;       /* by node: the one that enter made; 0: none */
    uint32_t *left;          /* by node: the one that leave made; 0: none */
};

/* Whether the value is given in the other form by now. */
int form_is_changed(const form_change *all, tn_value value);

/* Whether it is a value that can be changed at all: the first output of a node that was there. */
int form_can_change(const form_change *all, tn_value value);

/* Goes through the graph. The caller fills in the functions and the context. */
tn_status change_form(const tn_pass_call *call, form_change *all);

#endif
