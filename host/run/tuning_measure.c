/*
 * Measuring: the whole graph runs once with the first candidate of each node, once with the second,
 * and so on, and the times of the steps are noted, so that each kernel is timed where it stands,
 * with its inputs where the nodes before it have left them.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"
#include "run/session.h"

enum { MOST_CANDIDATES = 8, MOST_RUNS = 5 };

/* Enough for a trial, once it has been run twice. */
#define ENOUGH_NS 1000000000u

/* What was measured of one form; no time is UINT64_MAX. */
typedef struct measurement {
    const char *kernels[MOST_CANDIDATES];
    uint64_t least_ns[MOST_CANDIDATES];
} measurement;

typedef struct measuring {
    tn_tuning *tuning;
    tn_graph *graph;
    tn_device *device;
    tn_tensor *const *inputs;
    tni_map forms; /* measurement */
    tni_arena memory;
    uint32_t most_candidates;
    bool differs; /* some choice is not the first candidate */
} measuring;

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static tn_status run_once(tn_session *session, tn_tensor *const *inputs, uint64_t *out_ns) {
    const uint32_t count = tn_session_output_count(session);
    tn_tensor **outputs = tni_allocate(count, sizeof *outputs);
    if (outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const uint64_t begin = now_ns();
    const tn_status status = tn_session_run(session, inputs, outputs);
    *out_ns = now_ns() - begin;
    for (uint32_t i = 0; i < count; i++) {
        tn_tensor_release(outputs[i]);
    }
    tni_free(outputs);
    return status;
}

static measurement *find_form(measuring *work, const char *form) {
    measurement *found = tni_map_find(&work->forms, form);
    if (found != NULL) {
        return found;
    }
    found = tni_arena_allocate(&work->memory, 1, sizeof *found);
    if (found == NULL || tni_map_set(&work->forms, form, found) != TN_OK) {
        return NULL;
    }
    for (int i = 0; i < MOST_CANDIDATES; i++) {
        found->least_ns[i] = UINT64_MAX;
    }
    return found;
}

/* The least time of a step over the runs; UINT64_MAX when it has none of its own. */
static uint64_t least_time(const tn_session *session, const tni_step *step) {
    const char *name = tni_plan_node(step->plan, step->node)->name;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < session->profile->count; i++) {
        const tn_step_time *time = &session->profile->times[i];
        const uint64_t ns = time->end_ns - time->begin_ns;
        least = strcmp(time->node, name) == 0 && ns < least ? ns : least;
    }
    return least;
}

static tn_status note_step(measuring *work, const tn_session *session, const tni_step *step) {
    const uint32_t trial = work->tuning->trial;
    if (step->tuned.form == NULL || trial >= step->tuned.candidate_count || step->is_elided) {
        return TN_OK;
    }
    measurement *found = find_form(work, step->tuned.form);
    if (found == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const uint32_t count = step->tuned.candidate_count;
    work->most_candidates = count > work->most_candidates ? count : work->most_candidates;
    const uint64_t ns = least_time(session, step);
    found->kernels[trial] = step->kernel->entry->name;
    found->least_ns[trial] = ns < found->least_ns[trial] ? ns : found->least_ns[trial];
    return TN_OK;
}

static tn_status create_session(const measuring *work, const tn_tuning *tuning,
                                tn_session **out_session) {
    const tn_session_options options = {.struct_size = TN_SESSION_OPTIONS_SIZE, .tuning = tuning};
    return tn_session_create(work->graph, work->device, &options, out_session);
}

static tn_status time_steps(measuring *work, tn_session *session) {
    uint64_t ns, total = 0;
    TNI_TRY(run_once(session, work->inputs, &ns)); /* makes the plan */
    TNI_TRY(tn_session_set_profiling(session, 1));
    for (int i = 0; i < MOST_RUNS && total < ENOUGH_NS; i++) {
        TNI_TRY(run_once(session, work->inputs, &ns));
        total += ns;
    }
    const tni_plan *plan = session->last->plan;
    for (uint32_t i = 0; plan != NULL && i < plan->step_count; i++) {
        TNI_TRY(note_step(work, session, &plan->steps[i]));
    }
    return TN_OK;
}

/* A kernel that cannot be prepared after all spoils its trial, and no other. */
static tn_status try_candidates(measuring *work, uint32_t trial) {
    tn_session *session;
    work->tuning->trial = trial;
    TNI_TRY(create_session(work, work->tuning, &session));
    const tn_status status = time_steps(work, session);
    tn_session_destroy(session);
    return status == TN_UNSUPPORTED && trial > 0 ? TN_OK : status;
}

static tn_status describe(const measurement *found, tni_text *text) {
    for (int i = 0; i < MOST_CANDIDATES; i++) {
        if (found->least_ns[i] != UINT64_MAX) {
            tni_text_add(text, "%s%s %.1f us", i > 0 ? ", " : "", found->kernels[i],
                         (double)found->least_ns[i] / 1e3);
        }
    }
    return tni_text_status(text);
}

/* The first candidate, unless another is faster by a twentieth. */
static int fastest(const measurement *found) {
    int best = 0;
    for (int i = 1; i < MOST_CANDIDATES; i++) {
        best = found->least_ns[i] < found->least_ns[best] ? i : best;
    }
    return (double)found->least_ns[best] < 0.95 * (double)found->least_ns[0] ? best : 0;
}

/* Keeps the fastest of each form, or, where the sum was not faster, the first. */
static tn_status keep(measuring *work, bool keeps_first) {
    for (uint32_t i = 0; i < work->forms.capacity; i++) {
        const tni_map_slot *slot = &work->forms.slots[i];
        const measurement *found = slot->value;
        tni_text text = {0};
        if (slot->key == NULL || found->least_ns[0] == UINT64_MAX) {
            continue;
        }
        const int best = keeps_first ? 0 : fastest(found);
        work->differs = work->differs || best > 0;
        tn_status status = describe(found, &text);
        if (status == TN_OK) {
            status =
                tni_tuning_set(work->tuning, slot->key, found->kernels[best], tni_text_get(&text));
        }
        tni_text_finish(&text);
        TNI_TRY(status);
    }
    return TN_OK;
}

/* Whether the whole graph is slower with the choices than by rank: reorders between kernels that
 * want other layouts are in no kernel's time. */
static tn_status compare(const measuring *work, tn_session *ranked, tn_session *tuned,
                         bool *out_is_slower) {
    uint64_t ns, least_ranked = UINT64_MAX, least_tuned = UINT64_MAX, total = 0;
    for (int i = 0; i <= MOST_RUNS && total < ENOUGH_NS; i++) {
        TNI_TRY(run_once(ranked, work->inputs, &ns));
        least_ranked = i > 0 && ns < least_ranked ? ns : least_ranked;
        total += i > 0 ? ns : 0;
        TNI_TRY(run_once(tuned, work->inputs, &ns));
        least_tuned = i > 0 && ns < least_tuned ? ns : least_tuned;
        total += i > 0 ? ns : 0;
    }
    *out_is_slower = least_tuned > least_ranked;
    return TN_OK;
}

static tn_status check_whole(measuring *work) {
    tn_session *ranked = NULL, *tuned = NULL;
    bool is_slower = false;
    tn_status status = create_session(work, NULL, &ranked);
    if (status == TN_OK) {
        status = create_session(work, work->tuning, &tuned);
    }
    if (status == TN_OK) {
        status = compare(work, ranked, tuned, &is_slower);
    }
    tn_session_destroy(ranked);
    tn_session_destroy(tuned);
    return status == TN_OK && is_slower ? keep(work, true) : status;
}

static tn_status measure(measuring *work) {
    work->most_candidates = 1;
    for (uint32_t i = 0; i < work->most_candidates && i < MOST_CANDIDATES; i++) {
        TNI_TRY(try_candidates(work, i));
    }
    work->tuning->is_trial = false;
    TNI_TRY(keep(work, false));
    return work->differs ? check_whole(work) : TN_OK;
}

tn_status tn_tuning_measure(tn_tuning *tuning, tn_graph *graph, tn_device *device,
                            tn_tensor *const *inputs) {
    measuring work = {.tuning = tuning, .graph = graph, .device = device, .inputs = inputs};
    tuning->is_trial = true;
    const tn_status status = measure(&work);
    tuning->is_trial = false;
    tni_map_finish(&work.forms, NULL);
    tni_arena_finish(&work.memory);
    return tni_in(status, "tuning");
}
