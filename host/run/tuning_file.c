/*
 * A tuning as a file: a first line that names the format, then three lines for each form of nodes:
 * the form, the kernel, and what was measured. The file is hostile input; what a kernel's name in
 * it can do is to choose among the kernels that compute the node anyway.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/tuning.h"

static const char first_line[] = "tenon tuning 1";

enum { LINES = 3, LONGEST_LINE = 1 << 20, MOST_FORMS = 1 << 16, LARGEST_FILE = 1 << 28 };

typedef struct line_reader {
    const char *data;
    uint64_t size, at;
    uint32_t line; /* of the last one that was read, from 1 on */
} line_reader;

/* The next line, not empty and of printable characters, as a text to be freed. */
static tn_status read_line(line_reader *reader, char **out_line) {
    const char *begin = reader->data + reader->at;
    const uint64_t rest = reader->size - reader->at;
    const char *end = rest == 0 ? NULL : memchr(begin, '\n', rest);
    reader->line++;
    if (end == NULL || end == begin || end - begin > LONGEST_LINE) {
        return tni_fail(TN_CORRUPT, "line %u: expected a line of 1 to %d bytes", reader->line,
                        (int)LONGEST_LINE);
    }
    const size_t length = (size_t)(end - begin);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)begin[i] < ' ' || begin[i] == 0x7f) {
            return tni_fail(TN_CORRUPT, "line %u: a control character", reader->line);
        }
    }
    *out_line = tni_allocate(length + 1, 1);
    if (*out_line == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    memcpy(*out_line, begin, length);
    reader->at += length + 1;
    return TN_OK;
}

static tn_status read_choice(line_reader *reader, tn_tuning *tuning) {
    char *lines[LINES] = {NULL};
    tn_status status = TN_OK;
    for (int i = 0; status == TN_OK && i < LINES; i++) {
        status = read_line(reader, &lines[i]);
    }
    if (status == TN_OK) {
        status = tni_tuning_set(tuning, lines[0], lines[1], lines[2]);
    }
    for (int i = 0; i < LINES; i++) {
        tni_free(lines[i]);
    }
    return status;
}

static tn_status read_all(line_reader *reader, tn_tuning *tuning) {
    char *line = NULL;
    TNI_TRY(read_line(reader, &line));
    const bool is_right = strcmp(line, first_line) == 0;
    tni_free(line);
    if (!is_right) {
        return tni_fail(TN_CORRUPT, "line 1: expected \"%s\"", first_line);
    }
    while (reader->at < reader->size) {
        if (tuning->choices.count >= MOST_FORMS) {
            return tni_fail(TN_CORRUPT, "line %u: more than %d forms", reader->line, MOST_FORMS);
        }
        TNI_TRY(read_choice(reader, tuning));
    }
    return TN_OK;
}

static tn_status add_all(tn_tuning *tuning, const tn_tuning *from) {
    for (uint32_t i = 0; i < from->choices.capacity; i++) {
        const tni_map_slot *slot = &from->choices.slots[i];
        const tni_tuning_choice *choice = slot->value;
        if (slot->key != NULL) {
            TNI_TRY(tni_tuning_set(tuning, slot->key, choice->kernel, choice->measured));
        }
    }
    return TN_OK;
}

tn_status tn_tuning_read(tn_tuning *tuning, const char *path) {
    tni_mapping mapping;
    tn_tuning *read = NULL;
    TNI_TRY(tni_map_file(path, &mapping));
    tn_status status = mapping.size <= LARGEST_FILE
                           ? tn_tuning_create(tuning->runtime, &read)
                           : tni_fail(TN_CORRUPT, "the file is larger than %d bytes", LARGEST_FILE);
    if (status == TN_OK) {
        line_reader reader = {.data = mapping.data, .size = mapping.size};
        status = read_all(&reader, read);
    }
    if (status == TN_OK) {
        status = add_all(tuning, read);
    }
    tn_tuning_destroy(read);
    tni_unmap_file(&mapping);
    return tni_in(status, "tuning '%s'", path);
}

static int compare_slots(const void *left, const void *right) {
    const tni_map_slot *const *a = left, *const *b = right;
    return strcmp((*a)->key, (*b)->key);
}

/* In the order of their forms, so that equal tunings are equal files. */
static tn_status write_text(const tn_tuning *tuning, tni_text *text) {
    const tni_map_slot **slots = tni_allocate(tuning->choices.count, sizeof *slots);
    uint32_t count = 0;
    if (slots == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < tuning->choices.capacity; i++) {
        if (tuning->choices.slots[i].key != NULL) {
            slots[count++] = &tuning->choices.slots[i];
        }
    }
    if (count > 1) {
        qsort(slots, count, sizeof *slots, compare_slots);
    }
    tni_text_add(text, "%s\n", first_line);
    for (uint32_t i = 0; i < count; i++) {
        const tni_tuning_choice *choice = slots[i]->value;
        tni_text_add(text, "%s\n%s\n%s\n", slots[i]->key, choice->kernel, choice->measured);
    }
    tni_free(slots);
    return tni_text_status(text);
}

tn_status tn_tuning_write(const tn_tuning *tuning, const char *path) {
    tni_text text = {0};
    tni_writer writer = {0};
    tn_status status = write_text(tuning, &text);
    if (status == TN_OK) {
        status = tni_writer_open(&writer, path);
        if (status == TN_OK) {
            status = tni_writer_write(&writer, text.data, text.size);
        }
        if (status == TN_OK) {
            status = tni_writer_commit(&writer);
        }
        tni_writer_finish(&writer);
    }
    tni_text_finish(&text);
    return tni_in(status, "tuning '%s'", path);
}
