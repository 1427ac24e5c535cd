#include "labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "tensors.h"

enum { MOST_CLASSES = 1000000, MOST_ROWS = 1000, USUAL_COUNT = 5 };

typedef struct label_list {
    char **names;
    size_t count, capacity;
} label_list;

static void finish(label_list *labels) {
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->names[i]);
    }
    free(labels->names);
}

static bool add(label_list *labels, const char *line, size_t length) {
    if (labels->count == labels->capacity) {
        const size_t capacity = labels->capacity == 0 ? 64 : 2 * labels->capacity;
        char **names = realloc(labels->names, capacity * sizeof *names);
        if (names == NULL) {
            return false;
        }
        labels->names = names;
        labels->capacity = capacity;
    }
    labels->names[labels->count] = strndup(line, length);
    return labels->names[labels->count] != NULL && ++labels->count > 0;
}

static int read_labels(const char *path, label_list *labels) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int result = CLI_OK;
    if (file == NULL) {
        return cli_fail_with("%s: the labels cannot be read: there is no such file, or it may not "
                             "be opened",
                             path);
    }
    while (result == CLI_OK && (length = getline(&line, &capacity, file)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
            length--;
        }
        if (labels->count >= MOST_CLASSES || !add(labels, line, (size_t)length)) {
            result = cli_fail_with("%s: too many labels", path);
        }
    }
    free(line);
    fclose(file);
    return result;
}

bool cli_wants_classes(const cli_arguments *arguments) {
    return cli_has(arguments, "--top") || cli_has(arguments, "--labels");
}

typedef struct ranked_class {
    double score;
    int64_t number;
} ranked_class;

/* The highest first, NaN last; of equal ones the first. */
static int compare(const void *left, const void *right) {
    const ranked_class *a = left, *b = right;
    const bool a_is_nan = a->score != a->score, b_is_nan = b->score != b->score;
    if (a_is_nan != b_is_nan) {
        return a_is_nan ? 1 : -1;
    }
    if (a->score > b->score || a->score < b->score) {
        return a->score > b->score ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static void print_class_json(const label_list *labels, const ranked_class *class) {
    cli_print("{\"class\": %lld, ", (long long)class->number);
    if ((size_t) class->number < labels->count) {
        cli_print("\"name\": ");
        cli_print_json_string(cli_out, labels->names[class->number]);
        cli_print(", ");
    }
    cli_print(isfinite(class->score) ? "\"score\": %.9g}" : "\"score\": \"%g\"}", class->score);
}

static void print_row_json(const label_list *labels, ranked_class *classes, int64_t count,
                           uint64_t wanted) {
    qsort(classes, (size_t)count, sizeof *classes, compare);
    cli_print("[");
    for (int64_t i = 0; i < count && (uint64_t)i < wanted; i++) {
        cli_print(i > 0 ? ", " : "");
        print_class_json(labels, &classes[i]);
    }
    cli_print("]");
}

static void print_row(const label_list *labels, ranked_class *classes, int64_t count,
                      uint64_t wanted) {
    qsort(classes, (size_t)count, sizeof *classes, compare);
    for (int64_t i = 0; i < count && (uint64_t)i < wanted; i++) {
        const int64_t number = classes[i].number;
        const bool is_named = (size_t)number < labels->count;
        cli_print("  %-10.6g %lld%s%s\n", classes[i].score, (long long)number, is_named ? " " : "",
                  is_named ? labels->names[number] : "");
    }
}

static int print_rows(const label_list *labels, const char *name, const tn_view *view,
                      uint64_t wanted, bool json) {
    int32_t rank = view->rank;
    while (rank > 1 && view->shape[rank - 1] == 1) { /* (1,1000,1,1) has 1000 classes */
        rank--;
    }
    const int64_t classes = rank > 0 ? view->shape[rank - 1] : 1;
    const int64_t rows = tn_extent_product(view->shape, 0, rank - 1);
    if (labels->count > 0 && (size_t)classes != labels->count) {
        return cli_fail_with(
            "output %s has %lld classes along its last axis of more than one, but there are %zu "
            "labels",
            name, (long long)classes, labels->count);
    }
    if (classes > MOST_CLASSES || rows > MOST_ROWS) {
        return cli_fail_with("output %s is no table of scores: %lld rows of %lld", name,
                             (long long)rows, (long long)classes);
    }
    ranked_class *ranked = calloc((size_t)classes + 1, sizeof *ranked);
    if (ranked == NULL) {
        return cli_fail_with("out of memory");
    }
    if (json) {
        cli_print("{\"name\": ");
        cli_print_json_string(cli_out, name);
        cli_print(", \"rows\": [");
    }
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < classes; i++) {
            ranked[i] = (ranked_class){cli_element(view, row * classes + i), i};
        }
        if (json) {
            cli_print(row > 0 ? ", " : "");
            print_row_json(labels, ranked, classes, wanted);
        } else {
            cli_print(rows > 1 ? "%s, row %lld:\n" : "%s:\n", name, (long long)row);
            print_row(labels, ranked, classes, wanted);
        }
    }
    cli_print(json ? "]}" : "");
    free(ranked);
    return CLI_OK;
}

int cli_print_classes(const cli_arguments *arguments, const char *name, const tn_tensor *scores) {
    const char *path = cli_value(arguments, "--labels");
    label_list labels = {0};
    uint64_t wanted;
    if (!cli_count(arguments, "--top", MOST_CLASSES, USUAL_COUNT, &wanted)) {
        return CLI_USAGE;
    }
    int result = path == NULL ? CLI_OK : read_labels(path, &labels);
    if (result == CLI_OK) {
        result =
            print_rows(&labels, name, tn_tensor_view(scores), wanted, cli_has(arguments, "--json"));
    }
    finish(&labels);
    return result;
}
