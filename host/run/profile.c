#include "run/profile.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { DEVICE_SLOTS = 4096 };

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Names that outlive the plan: a plan goes when its place in the cache is needed. */
static tn_status describe_steps(tni_profile *profile, tni_plan *plan) {
    plan->step_names =
        tni_arena_allocate(&plan->memory, plan->instruction_count, sizeof *plan->step_names);
    if (plan->step_names == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->instruction_count; i++) {
        const tni_step *step = &plan->steps[plan->step_of_instruction[i]];
        const tni_node *node = tni_plan_node(plan, step->node);
        tn_step_time *names = &plan->step_names[i];
        *names =
            (tn_step_time){.struct_size = TN_STEP_TIME_SIZE,
                           .node = tni_arena_text(&profile->memory, node->name),
                           .op = tni_arena_text(&profile->memory, node->entry->entry->name),
                           .kernel = tni_arena_text(&profile->memory, step->kernel->entry->name),
                           .device = tni_arena_text(
                               &profile->memory, tn_device_name(plan->places[step->place].device))};
        if (names->node == NULL || names->op == NULL || names->kernel == NULL ||
            names->device == NULL) {
            plan->step_names = NULL;
            return TN_OUT_OF_MEMORY;
        }
    }
    return TN_OK;
}

tn_status tni_profile_begin(tni_profile *profile, tni_plan *plan) {
    const uint32_t wanted = profile->count + plan->instruction_count;
    plan->profile = NULL;
    if (wanted > TNI_PROFILE_LIMIT) {
        return TN_OK;
    }
    if (plan->step_names == NULL) {
        TNI_TRY(describe_steps(profile, plan));
    }
    TNI_TRY(tni_grow((void **)&profile->times, &profile->capacity, wanted, sizeof *profile->times));
    for (uint32_t i = 0; i < plan->instruction_count; i++) {
        profile->times[profile->count + i] = plan->step_names[i];
        profile->times[profile->count + i].run = profile->run_count;
    }
    profile->first = profile->count;
    plan->profile = profile;
    return TN_OK;
}

static bool has_stamps(const tni_plan *plan, uint32_t instruction) {
    return 2 * instruction + 1 < DEVICE_SLOTS &&
           plan->places[TNI_PLACE_DEVICE].device->backend->write_time != NULL;
}

static bool is_remote(const tni_plan *plan, uint32_t instruction) {
    return plan->places[plan->steps[plan->step_of_instruction[instruction]].place].stream != NULL;
}

static tn_status write_stamp(const tni_plan *plan, uint32_t slot) {
    const tni_place *place = &plan->places[TNI_PLACE_DEVICE];
    tni_error_clear();
    return tni_error_complete(place->device->backend->write_time(place->stream->stream, slot));
}

tn_status tni_profile_run(const tni_plan *plan, uint32_t first, uint32_t count,
                          uint32_t *out_failed) {
    tn_step_time *times = plan->profile->times + plan->profile->first;
    for (uint32_t i = first; i < first + count; i++) {
        *out_failed = i;
        const bool is_stamped = is_remote(plan, i) && has_stamps(plan, i);
        times[i].thread = (uint64_t)gettid();
        times[i].begin_ns = now();
        if (is_stamped) {
            TNI_TRY(write_stamp(plan, 2 * i));
        }
        TNI_TRY(plan->instructions[i].run(plan->instructions[i].call));
        if (is_stamped) {
            TNI_TRY(write_stamp(plan, 2 * i + 1));
        }
        times[i].end_ns = now();
    }
    return TN_OK;
}

static tn_status read_stamps(const tni_plan *plan, uint32_t instruction, tn_step_time *time) {
    const tni_place *place = &plan->places[TNI_PLACE_DEVICE];
    const tn_device_backend *backend = place->device->backend;
    void *stream = place->stream->stream;
    tni_error_clear();
    TNI_TRY(tni_error_complete(backend->read_time(stream, 2 * instruction, &time->begin_ns)));
    return tni_error_complete(backend->read_time(stream, 2 * instruction + 1, &time->end_ns));
}

/* The device's clock is another one: what ended last there ended about now. */
static tn_status take_device_times(const tni_profile *profile, const tni_plan *plan) {
    tn_step_time *times = profile->times + profile->first;
    const uint64_t finished = now();
    uint64_t last = 0;
    for (uint32_t i = 0; i < plan->instruction_count; i++) {
        if (is_remote(plan, i) && has_stamps(plan, i)) {
            TNI_TRY(read_stamps(plan, i, &times[i]));
            times[i].thread = 0;
            last = times[i].end_ns > last ? times[i].end_ns : last;
        }
    }
    for (uint32_t i = 0; i < plan->instruction_count; i++) {
        if (times[i].thread == 0) { /* a step of the device */
            times[i].begin_ns += finished - last;
            times[i].end_ns += finished - last;
        }
    }
    return TN_OK;
}

tn_status tni_profile_end(tni_profile *profile, tni_plan *plan, bool has_failed) {
    if (plan->profile == NULL) {
        return TN_OK;
    }
    plan->profile = NULL;
    if (has_failed) {
        return TN_OK;
    }
    if (plan->places[TNI_PLACE_DEVICE].stream != NULL) {
        TNI_TRY(tni_in(take_device_times(profile, plan), "profile"));
    }
    profile->count += plan->instruction_count;
    profile->run_count++;
    return TN_OK;
}

void tni_profile_destroy(tni_profile *profile) {
    if (profile != NULL) {
        tni_arena_finish(&profile->memory);
        tni_free(profile->times);
        tni_free(profile);
    }
}
