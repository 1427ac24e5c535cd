/* A session inside the host. */
#ifndef TENON_RUN_SESSION_H
#define TENON_RUN_SESSION_H

#include "run/profile.h"
#include "run/stages.h"
#include "tensor/tensor.h"

/* What serves one set of input types, and of the elements that inference has read. */
typedef struct tni_cached_plan {
    tni_plan *plan;     /* NULL: the graph runs in stages */
    tni_stages *stages; /* stages.h */
    tn_tensor_type *types;
    tn_tensor **elements; /* by input: a copy; NULL where they do not matter */
    uint64_t last_used;   /* the session's run counter */
} tni_cached_plan;

struct tn_session {
    tn_runtime *runtime;
    tn_graph *graph; /* its own copy */
    tn_device *device;
    tn_device *fallback; /* the CPU, for what `device` cannot compute; NULL on the CPU itself */
    uint32_t *inputs;    /* node numbers */
    uint32_t input_count, output_count;
    char **output_names;
    tn_tensor **parameters;  /* by node number, on the device */
    unsigned char *is_value; /* by input: inference reads its elements */
    tn_tensor **elements;    /* for one run, by input: those, in host memory, or NULL */
    tni_cached_plan *plans;  /* the first plan_count of plan_limit */
    uint32_t plan_count, plan_limit, plans_made;
    uint64_t runs;
    tni_cached_plan *last; /* of the last run, or NULL */
    /* For one run: tensors on the session's device, and their views. */
    tn_tensor **staged_inputs, **staged_outputs;
    const tn_view **input_views, **output_views;
    const tn_tuning *tuning; /* NULL: kernels are chosen by rank */
    tni_profile *profile;    /* NULL: runs are not timed */
    tni_arena arena;
};

/* Memory for a tensor of the session's: on its device, or in host memory when it is sparse. */
tn_status tni_session_create_tensor(const tn_session *session, const tn_tensor_type *type,
                                    tn_tensor **out_tensor);

/* The plan for these input types: kept, or made now. */
tn_status tni_session_find_plan(tn_session *session, const tn_tensor_type *types,
                                tni_cached_plan **out_plan);

void tni_cached_plan_finish(tn_session *session, tni_cached_plan *cached);

#endif
