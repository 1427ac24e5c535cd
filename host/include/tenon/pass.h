/*
 * Graph passes: changes of a whole graph that leave what it computes as it was. Plugins offer them;
 * this is how one is run, how several are run in order, and how to see what they did.
 */
#ifndef TENON_PASS_H
#define TENON_PASS_H

#include <tenon/graph.h>
#include <tenon/plugin/pass.h>

/* One pass that is loaded. Texts live as long as its plugin. */
typedef struct tn_pass_info {
    uint32_t struct_size;
    uint32_t option_count;
    const char *name;
    const char *plugin;
    const char *doc;             /* never NULL */
    const tn_attribute *options; /* row i lies option_stride * i bytes behind row 0 */
    uint32_t option_stride;
    uint32_t reserved;
} tn_pass_info;

#define TN_PASS_INFO_SIZE TN_STRUCT_END(tn_pass_info, reserved)

/* Passes in the order of their names. */
TN_API uint32_t tn_pass_count(const tn_runtime *runtime);
TN_API tn_status tn_pass_get(const tn_runtime *runtime, uint32_t index, tn_pass_info *out_info);

/* [serial] Runs one pass on the graph. `inputs` are types that are known of variables, as for
 * tn_graph_infer (may be NULL): what the pass makes of them is right for these types, so that an
 * extent that will vary is left unknown. A success leaves types inferred; node numbers change.
 *
 * The pass works on a copy. When it fails, or when what it made is not sound (structure, inference,
 * the outputs' count, names and types, an input more than before), the graph is as it was and the
 * message names the pass and the node. */
TN_API tn_status tn_graph_run_pass(tn_graph *graph, const char *pass, const tn_option *options,
                                   uint32_t option_count, const tn_named_type *inputs,
                                   uint32_t input_count);

/* What changed, as text: a line "- …" for each node that was, "+ …" for each that is, in the order
 * of running, and a line that counts; empty when nothing changed. Nodes are told apart by name.
 * The text is freed with tn_text_free. */
TN_API tn_status tn_graph_diff(const tn_graph *before, const tn_graph *after, char **out_text);

/* A copy; tensors are shared. */
TN_API tn_status tn_graph_copy(const tn_graph *graph, tn_graph **out_graph);

/* Passes to run in order, each with options. */
typedef struct tn_pipeline tn_pipeline;

TN_API tn_status tn_pipeline_create(tn_runtime *runtime, tn_pipeline **out_pipeline);
TN_API void tn_pipeline_destroy(tn_pipeline *pipeline);

/* [serial] Adds one pass, as a user writes it: "fold-constants:limit=4096". In a value "\," stands
 * for a comma and "\\" for a backslash. NOT_FOUND when no plugin offers it. */
TN_API tn_status tn_pipeline_add(tn_pipeline *pipeline, const char *text);

/* [serial] Adds a set of passes. "0": none. "1": those after which the numbers are the same to the
 * last bit. "2": those, too, that round differently. Of these sets passes that no plugin offers are
 * left out. Anything else is the path of a JSON file, all of whose passes must be there:
 *   {"passes": ["remove-dead-nodes", {"name": "fold-constants", "options": {"limit": 4096}}]} */
TN_API tn_status tn_pipeline_add_set(tn_pipeline *pipeline, const char *set);

TN_API uint32_t tn_pipeline_count(const tn_pipeline *pipeline);

/* The name of a pass, which lives as long as the pipeline; NULL when there is no such index. */
TN_API const char *tn_pipeline_name(const tn_pipeline *pipeline, uint32_t index);

/* [serial by graph] Runs pass number `index`, as tn_graph_run_pass. */
TN_API tn_status tn_pipeline_run_pass(const tn_pipeline *pipeline, uint32_t index, tn_graph *graph,
                                      const tn_named_type *inputs, uint32_t input_count);

/* [serial by graph] Runs them all. The first failure ends it: the graph is then as the pass before
 * left it. */
TN_API tn_status tn_pipeline_run(const tn_pipeline *pipeline, tn_graph *graph,
                                 const tn_named_type *inputs, uint32_t input_count);

#endif
