/*
 * Running: a session holds a graph with its parameters on a device, makes a plan for each set of
 * input shapes it meets, keeps the last few, and runs them.
 */
#ifndef TENON_SESSION_H
#define TENON_SESSION_H

#include <tenon/device.h>
#include <tenon/graph.h>
#include <tenon/tensor.h>

typedef struct tn_session tn_session;
typedef struct tn_tuning tn_tuning;

typedef struct tn_session_options {
    uint32_t struct_size;     /* TN_SESSION_OPTIONS_SIZE */
    uint32_t plan_cache_size; /* plans kept; 0: 4 */
    /* NULL: kernels are chosen by rank. It outlives the session; see tuning.h. */
    const tn_tuning *tuning;
} tn_session_options;

#define TN_SESSION_OPTIONS_SIZE TN_STRUCT_END(tn_session_options, tuning)

/* Copies what it needs of the graph, which may be destroyed afterwards. `options` may be NULL. */
TN_API tn_status tn_session_create(tn_graph *graph, tn_device *device,
                                   const tn_session_options *options, tn_session **out_session);
TN_API void tn_session_destroy(tn_session *session);

/* What the session takes and gives, by number; names live as long as the session. */
TN_API uint32_t tn_session_input_count(const tn_session *session);
TN_API const char *tn_session_input_name(const tn_session *session, uint32_t index);
TN_API uint32_t tn_session_output_count(const tn_session *session);
TN_API const char *tn_session_output_name(const tn_session *session, uint32_t index);

/* [serial] Runs once. `inputs` has a tensor for each input, in order; shapes may differ from run to
 * run (an input whose type the graph fixes must have it). `outputs` has a place for each output: a
 * tensor of the right type there is written to, NULL is replaced by a new tensor with one count
 * for the caller. With plans and outputs in place a run allocates nothing. Tensors may lie on any
 * device.
 *
 * On failure tensors that were given may hold anything, and NULLs stay NULL. */
TN_API tn_status tn_session_run(tn_session *session, tn_tensor *const *inputs, tn_tensor **outputs);

/* [serial] Makes the plan for these input types without running: the first run is then as quick as
 * the others. */
TN_API tn_status tn_session_prepare(tn_session *session, const tn_tensor_type *inputs);

/* What the last plan is like. */
typedef struct tn_plan_info {
    uint32_t struct_size;
    uint32_t instruction_count;
    uint32_t elided_count;   /* nodes that only share memory */
    uint32_t plans_made;     /* since the session was created */
    uint64_t arena_size;     /* bytes, as planned */
    uint64_t naive_size;     /* bytes, were every intermediate tensor to have its own memory */
    uint64_t lower_bound;    /* bytes of the largest set of tensors alive at one time */
    uint64_t workspace_size; /* bytes of the largest scratch memory of a kernel, in arena_size */
    uint64_t parameter_size; /* bytes */
} tn_plan_info;

#define TN_PLAN_INFO_SIZE TN_STRUCT_END(tn_plan_info, parameter_size)

TN_API tn_status tn_session_plan(const tn_session *session, tn_plan_info *out_info);

/* One node of the last plan. Texts live until the next plan is made. */
typedef struct tn_step_info {
    uint32_t struct_size;
    uint32_t elided;
    const char *node;
    const char *op;
    const char *kernel; /* the kernel's entry name; "" when elided */
    const char *plugin;
    const char *device; /* where it runs: the session's device, or the CPU for what that cannot */
    tn_tensor_type output; /* the first output */
    /* The node of the input whose memory the first output is written over; "" for none. */
    const char *overwrites;
    /* What was measured of the kernels for the node (tuning.h); "" when the rank decided. */
    const char *measured;
} tn_step_info;

#define TN_STEP_INFO_SIZE TN_STRUCT_END(tn_step_info, measured)

TN_API uint32_t tn_session_step_count(const tn_session *session);
TN_API tn_status tn_session_step(const tn_session *session, uint32_t index, tn_step_info *out_info);

/*
 * Times of the steps. While profiling is on, each run notes when each of its steps began and ended;
 * runs are slower then, and a device's work is queued anew each time so that time stamps stand
 * between its steps. Off, it costs nothing.
 */

/* [serial:session] Turns it on (1) or off (0); either way what was noted is forgotten. */
TN_API tn_status tn_session_set_profiling(tn_session *session, uint32_t on);

/* One step of one run. Texts live until tn_session_set_profiling or the session's end. */
typedef struct tn_step_time {
    uint32_t struct_size;
    uint32_t run;      /* counted from 0 */
    uint64_t begin_ns; /* on CLOCK_MONOTONIC. Of a device without time stamps, and of its steps
                          after the first 2,048 of a run: when the step was queued. A device's clock
                          is set by the end of the run, so that it is late by the time the host
                          takes to notice it. */
    uint64_t end_ns;
    uint64_t thread; /* the system's number of the thread; 0: the times are the device's own */
    const char *node;
    const char *op;
    const char *kernel;
    const char *device;
} tn_step_time;

#define TN_STEP_TIME_SIZE TN_STRUCT_END(tn_step_time, device)

/* Runs are noted until there are 2^20 records. */
TN_API uint32_t tn_session_step_time_count(const tn_session *session);
TN_API tn_status tn_session_step_time(const tn_session *session, uint32_t index,
                                      tn_step_time *out_time);

#endif
