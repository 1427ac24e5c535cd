#include "explain.h"

#include <string.h>

/* What the node took in the last run that was timed, in microseconds; below 0: it was not run. */
static double time_of(const tn_session *session, const char *node) {
    const uint32_t count = tn_session_step_time_count(session);
    double total = 0;
    bool found = false;
    uint32_t last = 0;
    for (uint32_t i = count; i-- > 0;) {
        tn_step_time time = {.struct_size = TN_STEP_TIME_SIZE};
        if (tn_session_step_time(session, i, &time) != TN_OK ||
            (i + 1 < count && time.run != last)) {
            break;
        }
        last = time.run;
        if (strcmp(time.node, node) == 0) {
            total += (double)(time.end_ns - time.begin_ns) / 1e3;
            found = true;
        }
    }
    return found ? total : -1;
}

static void print_step(const tn_session *session, const tn_step_info *step) {
    char shape[512], time[32] = "-";
    const double microseconds = time_of(session, step->node);
    if (microseconds >= 0) {
        snprintf(time, sizeof time, "%.1f", microseconds);
    }
    const bool is_measured = step->measured[0] != '\0';
    fprintf(stderr, "%-28s %-20s %-10s %-24s %-14s %10s %s%s %s%s%s%s%s\n", step->node, step->op,
            step->device, step->elided ? "(shares memory)" : step->kernel, step->plugin, time,
            cli_storage_text(step->output.storage), tn_dtype_text(step->output.dtype),
            cli_shape_text(&step->output.shape, shape, sizeof shape),
            step->overwrites[0] != '\0' ? " in place of " : "", step->overwrites,
            is_measured ? "; measured: " : "", step->measured);
}

/* A graph that runs in stages: the nodes of other stages than that with most of them. */
static void print_other_times(const tn_session *session) {
    const uint32_t count = tn_session_step_time_count(session);
    for (uint32_t i = 0; i < count; i++) {
        tn_step_time time = {.struct_size = TN_STEP_TIME_SIZE};
        bool is_listed = tn_session_step_time(session, i, &time) != TN_OK || time.run > 0;
        for (uint32_t j = 0; j < tn_session_step_count(session) && !is_listed; j++) {
            tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
            is_listed =
                tn_session_step(session, j, &step) == TN_OK && strcmp(step.node, time.node) == 0;
        }
        if (!is_listed) {
            fprintf(stderr, "%-28s %-20s %-10s %-24s %-14s %10.1f (of another stage)\n", time.node,
                    time.op, time.device, time.kernel, "",
                    (double)(time.end_ns - time.begin_ns) / 1e3);
        }
    }
}

void cli_explain(const tn_session *session) {
    tn_plan_info info = {.struct_size = TN_PLAN_INFO_SIZE};
    if (tn_session_plan(session, &info) != TN_OK) {
        return;
    }
    fprintf(stderr, "%-28s %-20s %-10s %-24s %-14s %10s %s\n", "node", "operator", "device",
            "kernel", "plugin", "time in us", "output");
    for (uint32_t i = 0; i < tn_session_step_count(session); i++) {
        tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
        if (tn_session_step(session, i, &step) == TN_OK) {
            print_step(session, &step);
        }
    }
    print_other_times(session);
    char planned[32], naive[32], bound[32], parameters[32], workspace[32];
    fprintf(stderr,
            "instructions: %u, nodes elided: %u; intermediate memory %s planned, %s were nothing "
            "shared, %s the lower bound; workspace %s of it; parameters %s\n",
            info.instruction_count, info.elided_count,
            cli_size_text(info.arena_size, planned, sizeof planned),
            cli_size_text(info.naive_size, naive, sizeof naive),
            cli_size_text(info.lower_bound, bound, sizeof bound),
            cli_size_text(info.workspace_size, workspace, sizeof workspace),
            cli_size_text(info.parameter_size, parameters, sizeof parameters));
}
