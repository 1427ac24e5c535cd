#include "run/tuning.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"

static void destroy_choice(void *value) {
    tni_tuning_choice *choice = value;
    tni_free(choice->kernel);
    tni_free(choice->measured);
    tni_free(choice);
}

/* Adds what follows "NAME : " in a line of /proc/cpuinfo, without its end. */
static bool add_field(tni_text *text, const char *line, const char *name) {
    const char *value = strchr(line, ':');
    if (strncmp(line, name, strlen(name)) != 0 || value == NULL) {
        return false;
    }
    value += 1 + strspn(value + 1, " \t");
    tni_text_add(text, "%.*s", (int)strcspn(value, "\n"), value);
    return true;
}

/* The processor's name: that of x86, or the number of its design on arm64. */
static void add_processor(tni_text *text) {
    struct utsname names;
    char line[4096];
    FILE *file = fopen("/proc/cpuinfo", "re");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        found = add_field(text, line, "model name") || add_field(text, line, "CPU part");
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!found) {
        tni_text_add(text, "%s", uname(&names) == 0 ? names.machine : "unknown");
    }
}

static uint32_t thread_count(tn_runtime *runtime) {
    tn_device *cpu = tni_device_cpu_acquire(runtime);
    const uint32_t count = cpu == NULL ? 1 : cpu->backend->thread_count(cpu->device);
    if (cpu != NULL) {
        tni_device_release(cpu);
    }
    return count;
}

tn_status tn_tuning_create(tn_runtime *runtime, tn_tuning **out_tuning) {
    tn_tuning *tuning = tni_allocate(1, sizeof *tuning);
    tni_text machine = {0};
    if (tuning == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tuning->runtime = runtime;
    add_processor(&machine);
    tni_text_add(&machine, ", %u threads", thread_count(runtime));
    tn_status status = tni_text_status(&machine);
    if (status == TN_OK) {
        tuning->machine = tni_copy_text(tni_text_get(&machine));
        status = tuning->machine == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    }
    tni_text_finish(&machine);
    if (status != TN_OK) {
        tn_tuning_destroy(tuning);
        return status;
    }
    *out_tuning = tuning;
    return TN_OK;
}

void tn_tuning_destroy(tn_tuning *tuning) {
    if (tuning != NULL) {
        tni_map_finish(&tuning->choices, destroy_choice);
        tni_free(tuning->machine);
        tni_free(tuning);
    }
}

uint32_t tn_tuning_count(const tn_tuning *tuning) {
    return tuning->choices.count;
}

tn_status tni_tuning_set(tn_tuning *tuning, const char *form, const char *kernel,
                         const char *measured) {
    tni_tuning_choice *before = tni_map_find(&tuning->choices, form);
    tni_tuning_choice *choice = tni_allocate(1, sizeof *choice);
    if (choice == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    choice->kernel = tni_copy_text(kernel);
    choice->measured = tni_copy_text(measured);
    if (choice->kernel == NULL || choice->measured == NULL ||
        tni_map_set(&tuning->choices, form, choice) != TN_OK) {
        destroy_choice(choice);
        return TN_OUT_OF_MEMORY;
    }
    if (before != NULL) {
        destroy_choice(before);
    }
    return TN_OK;
}

static void add_types(tni_text *text, const tn_tensor_type *types, uint32_t count) {
    char buffer[600];
    for (uint32_t i = 0; i < count; i++) {
        tni_text_add(text, "%s%s", i > 0 ? ", " : "",
                     tni_type_text(&types[i], buffer, sizeof buffer));
    }
}

/* A build is told from another by the size and time of its file. */
static void add_candidates(tni_text *text, const tni_tuning_question *question) {
    for (uint32_t i = 0; i < question->count; i++) {
        const tni_entry *entry = question->candidates[i].entry;
        struct stat file = {0};
        if (stat(entry->plugin->path, &file) != 0) {
            file = (struct stat){0};
        }
        tni_text_add(text, " %s of %s %s (%lld %lld.%09ld)", entry->entry->name,
                     entry->plugin->name, entry->plugin->version, (long long)file.st_size,
                     (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    }
}

/* A line of its own in the file, so without control characters. */
static char *take_line(tni_text *text, tni_arena *arena) {
    char *line = tni_text_status(text) == TN_OK ? tni_arena_text(arena, tni_text_get(text)) : NULL;
    for (char *at = line; at != NULL && *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at;
    }
    return line;
}

/* What the measurement depends on, as one line. */
static char *form_of(const tn_tuning *tuning, const tni_tuning_question *question,
                     tni_arena *arena) {
    const tni_node *node = question->node;
    tni_text text = {0};
    tni_text_add(&text, "%s:", node->entry->entry->name);
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        tni_text_add(&text, " %s=%s", node->attributes[i].name, node->attributes[i].value);
    }
    tni_text_add(&text, "; ");
    add_types(&text, question->inputs, node->input_count);
    tni_text_add(&text, " -> ");
    add_types(&text, question->outputs, node->output_count);
    tni_text_add(&text, "; %s;", tuning->machine);
    add_candidates(&text, question);
    char *line = take_line(&text, arena);
    tni_text_finish(&text);
    return line;
}

tn_status tni_tuning_choose(const tn_tuning *tuning, const tni_tuning_question *question,
                            tni_arena *arena, uint32_t *out_chosen, tni_tuned *out_tuned) {
    const char *form = form_of(tuning, question, arena);
    if (form == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const tni_tuning_choice *choice = tni_map_find(&tuning->choices, form);
    *out_tuned = (tni_tuned){.candidate_count = question->count};
    *out_chosen = 0;
    if (choice == NULL) {
        out_tuned->form = form;
        *out_chosen = tuning->is_trial && tuning->trial < question->count ? tuning->trial : 0;
        return TN_OK;
    }
    for (uint32_t i = 0; i < question->count; i++) {
        if (strcmp(question->candidates[i].entry->entry->name, choice->kernel) == 0) {
            *out_chosen = i;
            out_tuned->measured = tni_arena_text(arena, choice->measured);
            return out_tuned->measured == NULL ? TN_OUT_OF_MEMORY : TN_OK;
        }
    }
    return TN_OK;
}
