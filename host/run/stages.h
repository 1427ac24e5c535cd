/*
 * A graph whose types cannot all be known ahead runs in stages: what is known, then each node whose
 * outputs only its kernel can tell, then the rest, planned for what has come of it. Each stage is a
 * graph with a session of its own, which keeps plans for the sizes that it has met.
 */
#ifndef TENON_RUN_STAGES_H
#define TENON_RUN_STAGES_H

#include <tenon/session.h>

#include "graph/graph.h"

typedef struct tni_stages tni_stages;

/* Whether a run needs a value whose type inference has left open. */
bool tni_stages_needed(const tn_graph *graph);

/* From a graph with types as far as inference could tell. `inputs` are the numbers of the variables
 * that each run gives. NULL when nothing would come of it: a type that no run tells. */
tn_status tni_stages_create(tn_graph *graph, tn_device *device, const uint32_t *inputs,
                            uint32_t input_count, tni_stages **out_stages);
void tni_stages_destroy(tni_stages *stages);

/* As tn_session_run of the whole graph. `profile` (NULL: none) notes the steps of all stages as
 * those of one run. */
tn_status tni_stages_run(tni_stages *stages, struct tni_profile *profile, tn_tensor *const *inputs,
                         tn_tensor **outputs);

/* The session of stage `index`; NULL beyond the last. */
tn_session *tni_stages_session(const tni_stages *stages, uint32_t index);

/* The session that runs most of the nodes. */
const tn_session *tni_stages_main(const tni_stages *stages);

#endif
